// SPDX-License-Identifier: GPL-2.0
/* Versions: in the order of their records, with a map by file_id and a list by inode. */

#include <errno.h>

#include "common/array.h"
#include "identity.h"
#include "versions.h"

uint64_t versions_device(uint32_t major, uint32_t minor)
{
	return (uint64_t)major << 32 | minor;
}

uint64_t versions_path(const char *path)
{
	return hash_text(path ? path : "");
}

uint32_t versions_find(const struct versions *versions, uint64_t file_id)
{
	return hash_map_get(&versions->map, file_id, VERSIONS_NONE);
}

int versions_add(struct versions *versions, const struct buildid_file *file)
{
	uint32_t index = versions_find(versions, file->file_id);
	struct version *version;

	if (index == VERSIONS_NONE) {
		index = (uint32_t)versions->count;
		if (!array_reserve(versions->all, versions->count) ||
		    !hash_map_add(&versions->map, file->file_id, index))
			return -ENOMEM;
		versions->all[versions->count++] = (struct version){ .file_id = file->file_id };
	}
	version = &versions->all[index];
	version->dev = versions_device(file->dev_major, file->dev_minor);
	version->ino = file->ino;
	version->user_dev = versions_device(file->user_dev_major, file->user_dev_minor);
	version->user_ino = file->user_ino;
	version->generation = file->generation;
	version->ctime = file->ctime;
	if (file->path_len && !(file->flags & BUILDID_FILE_PATH_PART))
		version->path = versions_path(buildid_file_path(file));
	/* A FILE record of later may know less. */
	if (!version->identity.id.size && !version->identity.known)
		identity_of_file(file, &version->identity);
	return 0;
}

/* ------------------------------------------------------------------ inodes -- */

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
	array_sort(versions->inodes, versions->nr_inodes, compare_inodes);
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
		*cursor = array_lower_bound(&request, versions->inodes, versions->nr_inodes,
					    sizeof(request), compare_inodes) +
			  1;
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
	hash_map_free(&versions->map);
}
