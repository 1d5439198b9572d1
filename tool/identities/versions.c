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
	return (size_t)(file_id * 0x9e3779b97f4a7c15ULL >> 20) & (versions->room - 1);
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
	version->ctime = file->ctime;
	if (file->path_len && !(file->flags & BUILDID_FILE_PATH_PART))
		version->path = versions_path(buildid_file_path(file));
	/* What was known once stays so. */
	if (!version->identity.size && !version->identity.known)
		identities_of_file(file, &version->identity);
	return 0;
}

/* ------------------------------------------------------------------ inodes -- */

#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

static int compare_inodes(const void *a, const void *b)
{
	const struct inode *first = a, *second = b;
	int result = COMPARE(first->ino, second->ino);

	return result ? result : COMPARE(first->dev, second->dev);
}

int versions_ready(struct versions *versions)
{
	size_t i;

	versions->inodes = calloc(versions->count * 2 + 1, sizeof(*versions->inodes));
	if (!versions->inodes)
		return -ENOMEM;
	for (i = 0; i < versions->count; i++) {
		const struct version *version = &versions->all[i];
		struct inode *inode = &versions->inodes[versions->nr_inodes];

		*inode++ = (struct inode){ version->dev, version->ino, i };
		*inode = (struct inode){ version->user_dev, version->user_ino, i };
		versions->nr_inodes +=
			version->dev == version->user_dev && version->ino == version->user_ino ? 1 :
												 2;
	}
	if (versions->nr_inodes)
		qsort(versions->inodes, versions->nr_inodes, sizeof(*versions->inodes),
		      compare_inodes);
	return 0;
}

bool version_is_of(const struct version *version, const struct perfdata_mapping *mapping)
{
	uint64_t dev = versions_device(mapping->major, mapping->minor);

	if (!mapping->has_inode)
		return true;
	if (mapping->generation && mapping->generation != version->generation)
		return false;
	return (version->dev == dev && version->ino == mapping->ino) ||
	       (version->user_dev == dev && version->user_ino == mapping->ino);
}

/* How many are before the first of @wanted. */
static size_t first_inode(const struct versions *versions, const struct inode *request)
{
	size_t low = 0, high = versions->nr_inodes;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (compare_inodes(&versions->inodes[middle], request) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct version *versions_next(const struct versions *versions,
				    const struct perfdata_mapping *mapping, size_t *cursor)
{
	const struct inode request = {
		.dev = versions_device(mapping->major, mapping->minor),
		.ino = mapping->ino,
	};

	if (!mapping->has_inode || !mapping->ino)
		return NULL;
	if (!*cursor)
		*cursor = first_inode(versions, &request) + 1;
	for (; *cursor <= versions->nr_inodes; ++*cursor) {
		const struct inode *inode = &versions->inodes[*cursor - 1];
		const struct version *version = &versions->all[inode->version];

		if (compare_inodes(inode, &request))
			return NULL;
		if (version_is_of(version, mapping)) {
			++*cursor;
			return version;
		}
	}
	return NULL;
}

void versions_free(struct versions *versions)
{
	free(versions->inodes);
	free(versions->all);
	free(versions->buckets);
}
