/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared libraries that only some commands need, loaded when needed. They depend on a dozen others,
 * so linking with them would more than double the run time of most commands, and the tool would not
 * start where they are not installed.
 */
#ifndef TOOL_SHARED_LIBRARY_H
#define TOOL_SHARED_LIBRARY_H

#include <stddef.h>

/* A function of the library, and where in a structure its pointer goes. */
struct shared_function {
	const char *name;
	size_t offset;
};

/*
 * Load the library @soname permanently, and fill in @pointers. Returns NULL, or why it cannot be
 * loaded.
 */
const char *shared_library_open(const char *soname, const struct shared_function *functions,
				size_t count, void *pointers);

#endif
