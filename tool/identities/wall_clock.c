// SPDX-License-Identifier: GPL-2.0
/* Wall clock: the module has seen each step since it was loaded. */

#include "common/clock.h"
#include "wall_clock.h"

int wall_clock_range(struct buildid *handle, struct wall_range *range, int64_t *slept)
{
	/* in this order: a delay in between counts as suspended */
	int64_t mono = (int64_t)clock_ns(CLOCK_MONOTONIC);
	int64_t all = (int64_t)clock_ns(CLOCK_BOOTTIME) - mono;
	struct buildid_info info;
	int err = buildid_get_info(handle, &info, sizeof(info));

	if (err)
		return err;
	/* In a time namespace clocks may have any offset. */
	if (all < (int64_t)info.slept)
		all = (int64_t)info.slept;
	/* Before the module was loaded, it was less, by the time suspended until then. */
	range->min = info.real_offset_min - (all - (int64_t)info.slept);
	range->max = info.real_offset_max;
	if (slept)
		*slept = all;
	return 0;
}

void wall_range_widen(struct wall_range *range, const struct wall_range *more)
{
	if (more->min < range->min)
		range->min = more->min;
	if (more->max > range->max)
		range->max = more->max;
}
