/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Common: for the library and the tool; not installed. */
#ifndef TOOL_COMMON_H
#define TOOL_COMMON_H

#include <stdint.h>
#include <time.h>

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))

/* Nanoseconds. */
static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

#endif
