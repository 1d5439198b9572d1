/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Wall clock: what CLOCK_REALTIME is ahead of CLOCK_MONOTONIC, in nanoseconds. Whoever sets the
 * clock moves it, and sleep does: so it is a range.
 */
#ifndef TOOL_WALL_CLOCK_H
#define TOOL_WALL_CLOCK_H

#include "libbuildid/libbuildid.h"

struct wall_range {
	int64_t min, max;
};

/*
 * Since the machine was booted, as far as the module knows: before it was loaded, that somebody
 * set the clock cannot be seen any more. @slept: since then as well, may be NULL. 0 or -errno.
 */
int wall_clock_range(struct buildid *handle, struct wall_range *range, int64_t *slept);
/* With @more in it. */
void wall_range_widen(struct wall_range *range, const struct wall_range *more);

#endif
