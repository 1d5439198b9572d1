/* SPDX-License-Identifier: GPL-2.0 */
/* Xz: decompresses memory with liblzma, which is loaded when first needed. */
#ifndef TOOL_XZ_H
#define TOOL_XZ_H

#include <stdbool.h>
#include <stddef.h>

/* Load liblzma, permanently; false if it is not installed. */
bool xz_load(void);
/*
 * Returns @size bytes, which the caller frees; NULL if it is not an xz stream, or too large for
 * symbols.
 */
void *xz_decode(const void *from, size_t from_size, size_t *size);

#endif
