// SPDX-License-Identifier: GPL-2.0
/*
 * Demangle: by GCC's libiberty, like gdb and binutils: unlike libstdc++'s demangler, it supports D
 * and both of Rust's manglings. It is linked statically, as Debian only has that.
 */

#include <libiberty/demangle.h>
#include <stddef.h>
#include <string.h>

#include "demangle.h"

/* The demangler recurses, and takes room on the stack for each character. */
#define NAME_MAX_LENGTH 4096

#define OPTIONS (DMGL_PARAMS | DMGL_ANSI)

/* A name that may not be mangled stays as it is: C may have a function "i". */
char *demangle(const char *name)
{
	if (strlen(name) > NAME_MAX_LENGTH)
		return NULL;
	if (!strncmp(name, "_Z", 2) || !strncmp(name, "_R", 2))
		return cplus_demangle(name, OPTIONS | DMGL_AUTO);
	if (!strncmp(name, "_D", 2))
		return dlang_demangle(name, OPTIONS);
	return NULL;
}
