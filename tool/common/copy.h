/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Write and copy: a write may be short or interrupted, so everything that has to
 * be written as a whole is written here. Functions return false with errno.
 */
#ifndef TOOL_COPY_H
#define TOOL_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "reason.h"

bool write_all(int fd, const void *bytes, size_t size);
bool pwrite_all(int fd, const void *bytes, size_t size, off_t offset);

/* All of @from, which is rewound if it is a file, to where @to is; either may be a pipe. */
bool copy_stream(int from, int to);

/*
 * @size bytes of the file @from, those from @at on, to the file @to at @offset, without a buffer
 * where the filesystem can. How many: fewer only where @from ends; -1 with errno.
 */
ssize_t copy_bytes(int from, uint64_t at, int to, uint64_t offset, size_t size);

/* Whether two files have the same @size bytes at @offset; true as far as they cannot be read. */
bool same_bytes(int one, int other, uint64_t offset, uint64_t size);

/* Bytes of the file @from that are not in holes. */
uint64_t copy_size(int from);

#define COPY_ALL UINT64_MAX

/*
 * All of the file @from into @to, which is empty: holes stay holes, and blocks are
 * shared where the filesystem can. False with @reason, also when there are more than @most
 * bytes outside of holes, as somebody may fill them meanwhile, and when @from was written to,
 * as the copy may then be a mix of two contents.
 */
bool copy_file(int from, int to, uint64_t most, struct reason *reason);

/* Likewise @size bytes from @start on, all of which the file has. */
bool copy_part(int from, int to, uint64_t start, uint64_t size, uint64_t most,
	       struct reason *reason);

#endif
