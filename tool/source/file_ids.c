// SPDX-License-Identifier: GPL-2.0
/* File ids: a table of what distinguishes the files that have one. */

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

struct file_id {
	struct version version;
	char path[];
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

/* Of all of it, as a server gives its files the numbers, times and contents that it likes. */
static uint64_t file_ids_key(const struct version *version, const char *path)
{
	return hash_bytes(hash_bytes(hash_start(), version, sizeof(*version)), path, strlen(path));
}

void file_ids_bound(struct file_ids *ids)
{
	const uint64_t given = ids->given;

	if (ids->bytes < FILE_IDS_BYTES_MAX)
		return;
	file_ids_free(ids);
	*ids = (struct file_ids){ .given = given };
}

static bool file_ids_add(struct file_ids *ids, uint64_t key, const struct version *version,
			 const char *path)
{
	const size_t size = strlen(path) + 1;
	struct file_id *new;

	new = malloc(sizeof(*new) + size);
	if (!new || !array_reserve(ids->files, ids->count) ||
	    !hash_map_add(&ids->by_hash, key, (uint32_t)ids->count)) {
		free(new);
		return false;
	}
	new->version = *version;
	memcpy(new->path, path, size);
	ids->files[ids->count++] = new;
	ids->bytes += sizeof(*new) + size;
	ids->given++;
	return true;
}

uint64_t file_ids_of(struct file_ids *ids, const struct buildid_file *file)
{
	const char *path = path_of(file);
	struct hash_slot *slot = NULL;
	const struct file_id *found;
	struct version version;
	uint64_t key;

	set_version(&version, file);
	key = file_ids_key(&version, path);
	while ((slot = hash_map_next(&ids->by_hash, key, slot))) {
		found = ids->files[slot->value];
		if (!memcmp(&found->version, &version, sizeof(version)) &&
		    !strcmp(found->path, path))
			return FILE_IDS_FIRST + ids->given - ids->count + slot->value;
	}
	return file_ids_add(ids, key, &version, path) ? FILE_IDS_FIRST + ids->given - 1 : 0;
}

void file_ids_free(struct file_ids *ids)
{
	while (ids->count)
		free(ids->files[--ids->count]);
	free(ids->files);
	hash_map_free(&ids->by_hash);
}
