/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Compressed files: gzip, xz or zstd, as used for kernel modules. libdw could read them, but
 * without a limit, and in Debian 12 without zstd.
 */
#ifndef TOOL_COMPRESSED_H
#define TOOL_COMPRESSED_H

#include <stdbool.h>

/* Judged by the first bytes. */
bool is_compressed(int fd);

/*
 * Its content, as a memfd that nobody else can change. -1 with a text in @problem if it is corrupt
 * or truncated, or larger than any module. The position of @fd is undefined afterwards.
 */
int decompress(int fd, const char **problem);

#endif
