/* SPDX-License-Identifier: GPL-2.0 */
/* File ids: a number for each version of each file, as the module has. */
#ifndef TOOL_FILE_IDS_H
#define TOOL_FILE_IDS_H

#include <stddef.h>

#include "common/hash_map.h"
#include "file_state.h"
#include "libbuildid/libbuildid.h"

/* Above those of a module, which may be loaded all the same. */
#define FILE_IDS_FIRST (1ULL << 48)

/* Initialized to all zeros. */
struct file_ids {
	struct buildid_file **files;
	size_t count;
	struct hash_map by_hash; /* indexes of @files */
};

/*
 * Of @file, whose file_id is not looked at; 0 without memory. Of what nobody could open the
 * version is the inode and the path.
 */
uint64_t file_ids_of(struct file_ids *ids, const struct buildid_file *file);
void file_ids_free(struct file_ids *ids);

#endif
