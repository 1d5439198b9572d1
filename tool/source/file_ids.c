// SPDX-License-Identifier: GPL-2.0
/* File ids: a table of the records that have one. */

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "file_ids.h"

/* What makes two records those of one file, in the order of struct buildid_file. */
struct version {
	uint64_t ino, user_ino;
	uint32_t dev_major, dev_minor, user_dev_major, user_dev_minor;
	int64_t ctime, mtime;
	uint64_t size;
	uint64_t kind, reason, id_size;
	uint8_t id[BUILDID_ID_MAX];
};

static void set_version(struct version *version, const struct buildid_file *file)
{
	size_t size;
	const uint8_t *bytes = buildid_file_id_bytes(file, &size);

	*version = (struct version){
		.ino = file->ino,
		.user_ino = file->user_ino,
		.dev_major = file->dev_major,
		.dev_minor = file->dev_minor,
		.user_dev_major = file->user_dev_major,
		.user_dev_minor = file->user_dev_minor,
		.ctime = file->ctime,
		.mtime = file->mtime,
		.size = file->file_size,
		.kind = file->kind,
		.reason = file->reason,
		.id_size = size,
	};
	if (size)
		memcpy(version->id, bytes, size);
}

/* A file that was opened has a ctime: all of its paths are of one version. */
static const char *path_of(const struct buildid_file *file)
{
	return file->ctime ? "" : buildid_file_path(file) ?: "";
}

static bool file_ids_same(const struct buildid_file *one, const struct buildid_file *other)
{
	struct version of_one, of_other;

	set_version(&of_one, one);
	set_version(&of_other, other);
	return !memcmp(&of_one, &of_other, sizeof(of_one)) && !strcmp(path_of(one), path_of(other));
}

/* Of all of it, as a server gives its files the numbers, times and contents that it likes. */
static uint64_t file_ids_key(const struct buildid_file *file)
{
	const char *path = path_of(file);
	struct version version;

	set_version(&version, file);
	return hash_bytes(hash_bytes(hash_start(), &version, sizeof(version)), path, strlen(path));
}

uint64_t file_ids_of(struct file_ids *ids, const struct buildid_file *file)
{
	const uint64_t key = file_ids_key(file);
	struct hash_slot *slot = NULL;
	struct buildid_file *copy;

	while ((slot = hash_map_next(&ids->by_hash, key, slot)))
		if (file_ids_same(ids->files[slot->value], file))
			return FILE_IDS_FIRST + slot->value;
	copy = malloc(file->header.size);
	if (!copy || !array_reserve(ids->files, ids->count) ||
	    !hash_map_add(&ids->by_hash, key, (uint32_t)ids->count)) {
		free(copy);
		return 0;
	}
	memcpy(copy, file, file->header.size);
	ids->files[ids->count] = copy;
	return FILE_IDS_FIRST + ids->count++;
}

void file_ids_free(struct file_ids *ids)
{
	while (ids->count)
		free(ids->files[--ids->count]);
	free(ids->files);
	hash_map_free(&ids->by_hash);
}
