/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory limit: of what a library may allocate for a file that anybody may have made. Its
 * tables are as long as its headers say, and a file that long may be one hole. A look at the
 * headers beforehand would not do: whoever made the file may change them meanwhile.
 */
#ifndef TOOL_MEMORY_LIMIT_H
#define TOOL_MEMORY_LIMIT_H

#include <stdbool.h>
#include <sys/resource.h>

struct memory_limit {
	bool set;
	struct rlimit before;
};

/* Until memory_limit_end(), @bytes may be allocated. */
void memory_limit_begin(struct memory_limit *limit, rlim_t bytes);
void memory_limit_end(const struct memory_limit *limit);

#endif
