/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Zip: which member is at an offset in the file, by its central directory. Not by libarchive,
 * which does not say where a member's bytes are. Without zip64.
 */
#ifndef TOOL_ZIP_H
#define TOOL_ZIP_H

#include <stdbool.h>
#include <stdint.h>

struct zip_member {
	uint64_t start; /* of its bytes in the file */
	char *name;	/* the caller frees it */
};

/*
 * The last uncompressed member that begins at or before @offset; the caller checks whether it
 * extends that far.
 */
bool zip_find(int fd, uint64_t offset, struct zip_member *member);

/*
 * Calls @take for each uncompressed member until it returns false; the name is valid during the
 * call.
 */
void zip_each(int fd, bool (*take)(void *data, const struct zip_member *member), void *data);

#endif
