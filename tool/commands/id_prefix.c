// SPDX-License-Identifier: GPL-2.0
/* Id prefix: compared as text, as there may be half a byte of it. */

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/hex.h"
#include "id_prefix.h"
#include "libbuildid/libbuildid.h"

#define DIGITS_MIN 8

bool id_prefix_is(const char *text)
{
	size_t length = 0;

	while (hex_digit(text[length]) >= 0)
		length++;
	return !text[length] && length >= DIGITS_MIN && length < ID_PREFIX_ROOM;
}

void id_prefix_start(struct id_prefix *prefix, const char *digits)
{
	size_t i;

	*prefix = (struct id_prefix){};
	for (i = 0; digits[i] && i < ID_PREFIX_ROOM - 1; i++)
		prefix->digits[i] = (char)tolower((unsigned char)digits[i]);
}

static bool is_known(const struct id_prefix *prefix, const struct build_id *id)
{
	size_t i;

	for (i = 0; i < prefix->count; i++)
		if (build_id_equal(&prefix->found[i], id))
			return true;
	return false;
}

void id_prefix_offer(struct id_prefix *prefix, const uint8_t *bytes, size_t size)
{
	size_t length = strlen(prefix->digits);
	char text[BUILD_ID_TEXT];
	struct build_id id;

	if (!build_id_set(&id, bytes, size) ||
	    strncmp(build_id_text(&id, text), prefix->digits, length) != 0 || is_known(prefix, &id))
		return;
	if (prefix->count == ID_PREFIX_SHOWN)
		prefix->more = true;
	else
		prefix->found[prefix->count++] = id;
}

void id_prefix_offer_file(struct id_prefix *prefix, const struct buildid_record *record)
{
	const uint8_t *bytes;
	size_t size;

	if (record->type != BUILDID_RECORD_FILE)
		return;
	bytes = buildid_file_id_bytes((const void *)record, &size);
	if (bytes)
		id_prefix_offer(prefix, bytes, size);
}

/* All digits but the first two name a file, those its directory. */
void id_prefix_offer_stored(struct id_prefix *prefix, const char *root)
{
	struct build_id id;
	struct dirent *entry;
	char *path = NULL, *name = NULL;
	DIR *directory;

	if (asprintf(&path, "%s/.build-id/%.2s", root, prefix->digits) < 0)
		return;
	directory = opendir(path);
	free(path);
	while (directory && (entry = readdir(directory))) {
		entry->d_name[strcspn(entry->d_name, ".")] = '\0';
		if (asprintf(&name, "%.2s%s", prefix->digits, entry->d_name) < 0)
			continue;
		if (build_id_parse(&id, name))
			id_prefix_offer(prefix, id.bytes, id.size);
		free(name);
	}
	if (directory)
		closedir(directory);
}

bool id_prefix_settle(const struct id_prefix *prefix, struct output *out, struct build_id *id)
{
	char list[ID_PREFIX_SHOWN * (BUILD_ID_TEXT + 1)] = "", text[BUILD_ID_TEXT];
	size_t length = 0, i;

	if (prefix->count == 1) {
		*id = prefix->found[0];
		return true;
	}
	for (i = 0; i < prefix->count; i++)
		length += (size_t)snprintf(list + length, sizeof(list) - length, " %s",
					   build_id_text(&prefix->found[i], text));
	if (prefix->count)
		out_error(out, prefix->digits, "several build-ids begin so; which of these:%s%s",
			  list, prefix->more ? " ..." : "");
	else if (!build_id_parse(id, prefix->digits))
		out_error(out, prefix->digits, "no build-id is known that begins so");
	return !prefix->count && id->size;
}
