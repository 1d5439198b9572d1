/* SPDX-License-Identifier: GPL-2.0 */
/* File ids: a number for each version of each file, as the module has. */
#ifndef TOOL_FILE_IDS_H
#define TOOL_FILE_IDS_H

#include <stddef.h>

#include "common/hash_map.h"
#include "file_state.h"
#include "libbuildid/libbuildid.h"

#define FILE_IDS_BYTES_MAX (64U << 20)

/* Above those of a module, which may be loaded all the same. */
#define FILE_IDS_FIRST (1ULL << 48)

struct file_id;

/* Initialized to all zeros. */
struct file_ids {
	struct file_id **files;
	size_t count, bytes;
	struct hash_map by_hash; /* indexes of @files */
	uint64_t given;		 /* of these the last @count are in @files */
};

/*
 * Of @file, whose file_id is not looked at; 0 without memory. Of what nobody could open the
 * version is the inode and the path.
 */
uint64_t file_ids_of(struct file_ids *ids, const struct buildid_file *file);
/*
 * Forget all when they take FILE_IDS_BYTES_MAX, as users give their files the names and times that
 * they like: what had an id then gets another one.
 */
void file_ids_bound(struct file_ids *ids);
void file_ids_free(struct file_ids *ids);

#endif
