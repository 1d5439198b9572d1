/* SPDX-License-Identifier: GPL-2.0 */
/* Demangle: names of C++ functions, and of Rust's older ones, as their source has them. */
#ifndef TOOL_DEMANGLE_H
#define TOOL_DEMANGLE_H

#include <stdbool.h>

/* Load libstdc++, for good; false where it is not installed. */
bool demangle_load(void);
/* To be freed; NULL for what is no such name. A hostile name may take all memory. */
char *demangle(const char *name);

#endif
