/* SPDX-License-Identifier: GPL-2.0 */
/* Clock: one number, in the unit and the time namespace of the module's records. */
#ifndef TOOL_CLOCK_H
#define TOOL_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds, in the initial time namespace. */
uint64_t clock_ns(clockid_t clock);
/* How far @clock in our time namespace is ahead of that, to convert times from /proc. */
int64_t clock_shift(clockid_t clock);

/* CLOCK_REALTIME minus CLOCK_MONOTONIC: changes by suspend, and when the clock is set. */
static inline int64_t clock_real(void)
{
	return (int64_t)(clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC));
}

#endif
