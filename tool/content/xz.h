/* SPDX-License-Identifier: GPL-2.0 */
/* Xz: decompresses what is in memory, by liblzma, which is loaded when it is first needed. */
#ifndef TOOL_XZ_H
#define TOOL_XZ_H

#include <stdbool.h>
#include <stddef.h>

/* Load liblzma, for good; false where it is not installed. */
bool xz_load(void);
/* To be freed, of @size; NULL for what is no xz stream, or more than any file's symbols. */
void *xz_decode(const void *from, size_t from_size, size_t *size);

#endif
