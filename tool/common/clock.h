/* SPDX-License-Identifier: GPL-2.0 */
/* Clock: one number, in the unit of the module's records. */
#ifndef TOOL_CLOCK_H
#define TOOL_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds. */
static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* CLOCK_REALTIME less CLOCK_MONOTONIC now: a suspend, or whoever sets the clock, moves it. */
static inline int64_t clock_real(void)
{
	return (int64_t)(clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC));
}

#endif
