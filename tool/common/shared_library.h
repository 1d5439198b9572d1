/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Loaded: libraries that only some commands need, and which bring a dozen others: to
 * load these takes longer than most commands take, and one may do without them.
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
 * Load the library named @soname, for good, and fill in @pointers. NULL, or a text
 * of why it is not there.
 */
const char *shared_library_open(const char *soname, const struct shared_function *functions,
				size_t count, void *pointers);

#endif
