/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Write and copy: a write may be short or interrupted, so whatever has to be written completely is
 * written here. Functions return false with errno.
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

/* All of @from, rewound if it is a file, to the current position of @to; either may be a pipe. */
bool copy_stream(int from, int to);

/*
 * Copy @size bytes of the file @from, starting at @at, to the file @to at @offset; in the kernel if
 * possible. Returns the number of bytes, fewer only if @from ends; -1 with errno.
 */
ssize_t copy_bytes(int from, uint64_t at, int to, uint64_t offset, size_t size);

/*
 * Whether two files have the same @size bytes at @offset; what cannot be read counts as the same.
 */
bool same_bytes(int one, int other, uint64_t offset, uint64_t size);

/* Bytes of the file @from that are not in holes. */
uint64_t copy_size(int from);

#define COPY_ALL UINT64_MAX

/*
 * Copy all of the file @from into the empty @to: holes stay holes, and blocks are shared if the
 * filesystem supports that. False with @reason; also if there are more than @most bytes outside of
 * holes, as somebody may fill holes meanwhile, and if @from was written to, as the copy may then be
 * a mix of two contents.
 */
bool copy_file(int from, int to, uint64_t most, struct reason *reason);

/* The same for @size bytes from @start on; the file must have them all. */
bool copy_part(int from, int to, uint64_t start, uint64_t size, uint64_t most,
	       struct reason *reason);

#endif
