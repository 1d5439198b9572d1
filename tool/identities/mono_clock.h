/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Mono clock: converts times of another clock of perf record -k to CLOCK_MONOTONIC, by the one pair
 * of that clock and CLOCK_REALTIME that perf writes at its start. The result is a range.
 */
#ifndef TOOL_MONO_CLOCK_H
#define TOOL_MONO_CLOCK_H

#include "stream_clock.h"

/* perf may be delayed between its two reads, on a busy machine. */
#define MONO_CLOCK_BETWEEN 100000000

/**
 * struct mono_clock - how to convert
 * @begin: the other clock as perf began
 * @mono: CLOCK_MONOTONIC at the same moment
 * @slack: by which @mono may be off, in either direction
 */
struct mono_clock {
	uint64_t begin;
	int64_t mono;
	uint64_t slack;
};

/* @real is CLOCK_REALTIME at @begin, and @ahead the range of its lead over CLOCK_MONOTONIC. */
struct mono_clock mono_clock_of(uint64_t begin, uint64_t real, const struct wall_range *ahead);
/* Returns the time, give or take *@slack. 0 means no time and stays 0. */
uint64_t mono_clock_convert(const struct mono_clock *clock, uint64_t time, uint64_t *slack);

#endif
