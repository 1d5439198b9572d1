// SPDX-License-Identifier: GPL-2.0
/* Versions: of files, as FILE records tell of them. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "identities.h"
#include "versions.h"

#define FIRST_ROOM 1024

uint64_t versions_device(uint32_t major, uint32_t minor)
{
	return (uint64_t)major << 32 | minor;
}

uint64_t versions_path(const char *path)
{
	uint64_t state = 0xcbf29ce484222325ULL;

	while (path && *path)
		state = (state ^ (unsigned char)*path++) * 0x100000001b3ULL;
	return state;
}

static size_t bucket_of(const struct versions *versions, uint64_t file_id)
{
	return (size_t)(file_id * 0x9e3779b97f4a7c15ULL >> 20) &
	       (versions->room - 1);
}

size_t versions_find(const struct versions *versions, uint64_t file_id)
{
	size_t i;

	if (!versions->buckets)
		return VERSIONS_NONE;
	i = versions->buckets[bucket_of(versions, file_id)];
	while (i && versions->all[i - 1].file_id != file_id)
		i = versions->all[i - 1].next;
	return i ? i - 1 : VERSIONS_NONE;
}

static void insert(struct versions *versions, size_t number)
{
	struct version *version = &versions->all[number];
	size_t *bucket = &versions->buckets[bucket_of(versions, version->file_id)];

	version->next = *bucket;
	*bucket = number + 1;
}

static bool grow(struct versions *versions)
{
	size_t room = versions->room ? versions->room * 2 : FIRST_ROOM;
	struct version *all;
	size_t *buckets;
	size_t i;

	if (versions->count < versions->room)
		return true;
	all = reallocarray(versions->all, room, sizeof(*all));
	if (!all)
		return false;
	versions->all = all;
	buckets = calloc(room, sizeof(*buckets));
	if (!buckets)
		return false;
	free(versions->buckets);
	versions->buckets = buckets;
	versions->room = room;
	for (i = 0; i < versions->count; i++)
		insert(versions, i);
	return true;
}

int versions_add(struct versions *versions, const struct buildid_file *file)
{
	size_t number = versions_find(versions, file->file_id);
	struct version *version;

	if (number == VERSIONS_NONE) {
		if (!grow(versions))
			return -ENOMEM;
		number = versions->count++;
		version = &versions->all[number];
		*version = (struct version){ .file_id = file->file_id };
		insert(versions, number);
	}
	version = &versions->all[number];
	version->dev = versions_device(file->dev_major, file->dev_minor);
	version->ino = file->ino;
	version->user_dev = versions_device(file->user_dev_major, file->user_dev_minor);
	version->user_ino = file->user_ino;
	version->generation = file->generation;
	if (file->path_len && !(file->flags & BUILDID_FILE_PATH_PART))
		version->path = versions_path(buildid_file_path(file));
	/* What was known once stays so. */
	if (!version->identity.size && !version->identity.known)
		identities_of_file(file, &version->identity);
	return 0;
}

void versions_free(struct versions *versions)
{
	free(versions->all);
	free(versions->buckets);
}
