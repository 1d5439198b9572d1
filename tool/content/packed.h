/* SPDX-License-Identifier: GPL-2.0 */
/* Packed: files compressed as kernel modules are, by gzip, xz or zstd. */
#ifndef TOOL_PACKED_H
#define TOOL_PACKED_H

#include <stdbool.h>

/* By how it begins. */
bool packed_is(int fd);

/*
 * What is in it, as a file in memory, which nobody else can change. -1 with a text in
 * @problem when it is damaged or cut short, or more than any module is. The position
 * of @fd is left anywhere.
 */
int packed_open(int fd, const char **problem);

#endif
