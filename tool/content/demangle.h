/* SPDX-License-Identifier: GPL-2.0 */
/* Demangle: names of functions of C++, Rust and D as their source has them. */
#ifndef TOOL_DEMANGLE_H
#define TOOL_DEMANGLE_H

/* The caller frees it; NULL if it is not such a name. A hostile name may take all memory. */
char *demangle(const char *name);

#endif
