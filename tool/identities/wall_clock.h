/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Wall clock: CLOCK_REALTIME minus CLOCK_MONOTONIC, in nanoseconds. Setting the clock changes it,
 * and so does suspend: so it is a range.
 */
#ifndef TOOL_WALL_CLOCK_H
#define TOOL_WALL_CLOCK_H

#include "libbuildid/libbuildid.h"

struct wall_range {
	int64_t min, max;
};

/*
 * Since boot, as far as the module knows: it cannot see whether the clock was set before it was
 * loaded. @slept: time suspended since boot; may be NULL. 0 or -errno.
 */
int wall_clock_range(struct buildid *handle, struct wall_range *range, int64_t *slept);
/* Extend @range to include @more. */
void wall_range_widen(struct wall_range *range, const struct wall_range *more);

#endif
