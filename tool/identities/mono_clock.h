/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Mono clock: CLOCK_MONOTONIC at a time by another clock of perf record -k, from the one pair of
 * that and of CLOCK_REALTIME that perf writes as it begins. Nothing but a range.
 */
#ifndef TOOL_MONO_CLOCK_H
#define TOOL_MONO_CLOCK_H

#include "stream_clock.h"

/* perf may be held up between its two reads, as by others on a machine that is busy. */
#define MONO_CLOCK_BETWEEN 100000000

/**
 * struct mono_clock - how to convert
 * @begin: the other clock as perf began
 * @mono: CLOCK_MONOTONIC at the same moment
 * @slack: by which that may be off to either side
 */
struct mono_clock {
	uint64_t begin;
	int64_t mono;
	uint64_t slack;
};

/* @real is CLOCK_REALTIME at @begin, and was @ahead of CLOCK_MONOTONIC. */
struct mono_clock mono_clock_of(uint64_t begin, uint64_t real, const struct wall_range *ahead);
/* It was that, or up to *@slack more or less. 0 is no time and stays so. */
uint64_t mono_clock_convert(const struct mono_clock *clock, uint64_t time, uint64_t *slack);

#endif
