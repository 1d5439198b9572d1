// SPDX-License-Identifier: GPL-2.0
/* Content name: PATH@xxxxxxxx, short or in full. */

#include <stdio.h>
#include <string.h>

#include "content_name.h"

static char *make_name(const char *path, const struct build_id *id, int digits)
{
	char text[BUILD_ID_TEXT];
	char *name;

	build_id_text(id, text);
	return asprintf(&name, "%s@%.*s", path, digits, text) < 0 ? NULL : name;
}

char *content_name(const char *path, const struct build_id *id)
{
	return make_name(path, id, CONTENT_NAME_DIGITS);
}

char *content_name_in_full(const char *path, const struct build_id *id)
{
	return make_name(path, id, BUILD_ID_TEXT);
}

size_t content_name_path(const char *name, const struct build_id *id)
{
	const char *at = strrchr(name, '@');
	size_t length = strlen(name), digits;
	char text[BUILD_ID_TEXT];

	/* Without a path before the '@', the name itself is a path. */
	if (!id->size || !at || at == name)
		return length;
	digits = strlen(build_id_text(id, text));
	if (strcmp(at + 1, text) != 0 && digits > CONTENT_NAME_DIGITS)
		text[CONTENT_NAME_DIGITS] = '\0';
	return strcmp(at + 1, text) ? length : (size_t)(at - name);
}
