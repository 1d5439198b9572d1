/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory limit: how much a library may allocate for an untrusted file. The headers determine the
 * size of its tables, and a file that large may be one hole. Checking the headers beforehand is not
 * enough: the file's owner may change them meanwhile.
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
