// SPDX-License-Identifier: GPL-2.0
/*
 * Mono clock: the slack covers drift between the clocks; the range of CLOCK_REALTIME minus
 * CLOCK_MONOTONIC covers setting the clock and suspends.
 */

#include "mono_clock.h"

struct mono_clock mono_clock_of(uint64_t begin, uint64_t real, const struct wall_range *ahead)
{
	uint64_t range = (uint64_t)ahead->max - (uint64_t)ahead->min;

	return (struct mono_clock){
		.begin = begin,
		.mono = (int64_t)(real - (uint64_t)ahead->min - range / 2),
		.slack = range / 2 + range + MONO_CLOCK_BETWEEN,
	};
}

uint64_t mono_clock_convert(const struct mono_clock *clock, uint64_t time, uint64_t *slack)
{
	int64_t since = (int64_t)(time - clock->begin), mono;

	*slack = 0;
	if (!time)
		return 0;
	*slack = clock->slack + CLOCK_DRIFT(since < 0 ? 0 - (uint64_t)since : (uint64_t)since);
	mono = (int64_t)((uint64_t)clock->mono + (uint64_t)since);
	return mono > 0 ? (uint64_t)mono : 1;
}
