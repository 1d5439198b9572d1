/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Compressed files: by gzip, xz or zstd, as kernel modules are. libdw could read
 * them, but in Debian 12 not those by zstd, and without a limit.
 */
#ifndef TOOL_COMPRESSED_H
#define TOOL_COMPRESSED_H

#include <stdbool.h>

/* Judged by the first bytes. */
bool is_compressed(int fd);

/*
 * What is in it, as a memfd that nobody else can change. -1 with a text in @problem
 * when it is corrupt or truncated, or larger than any module. The position of @fd is
 * left anywhere.
 */
int decompress(int fd, const char **problem);

#endif
