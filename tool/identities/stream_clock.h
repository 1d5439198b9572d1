/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stream clock: when a file changed, by the clock of a perf.data. A ctime is by CLOCK_REALTIME, as
 * coarse as a tick or coarser, and that clock may be set; perf's own clock drifts against both
 * others. So a moment by one clock is a span by another.
 */
#ifndef TOOL_STREAM_CLOCK_H
#define TOOL_STREAM_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "wall_clock.h"

/* One moment by CLOCK_MONOTONIC and by the clock of the perf.data. */
struct clock_pair {
	uint64_t mono, time;
};

/* Initialized to all zeros. */
struct stream_clock {
	struct clock_pair *pairs; /* by mono, a second or more apart */
	size_t nr_pairs;
	bool has_real;
	struct wall_range ahead; /* from the beginning of the stream on */
	bool has_before;
	struct wall_range before; /* until then */
	uint64_t begin;		  /* by CLOCK_MONOTONIC */
	bool has_until;
	uint64_t until; /* after this it is unknown, by CLOCK_MONOTONIC */
};

struct time_span {
	uint64_t from, to;
};

/* One moment, from a record, in the order of the stream. 0 or -ENOMEM. */
int stream_clock_add(struct stream_clock *clock, uint64_t mono, uint64_t time);
/* CLOCK_REALTIME at @mono, both in nanoseconds. */
void stream_clock_add_real(struct stream_clock *clock, uint64_t mono, uint64_t real);
/* Before @begin CLOCK_REALTIME was ahead by @range. */
void stream_clock_before(struct stream_clock *clock, uint64_t begin,
			 const struct wall_range *range);
/* After @until, by CLOCK_MONOTONIC, anybody may have set CLOCK_REALTIME. */
void stream_clock_until(struct stream_clock *clock, uint64_t until);
/*
 * By the clock of the perf.data: a file with @ctime had certainly changed by the end, and had
 * certainly not before the beginning. The span is everything if that is unknown, as for a file
 * whose ctime was seen at @seen, by CLOCK_MONOTONIC, after the last time at which the clock is
 * known.
 */
struct time_span stream_clock_changed(const struct stream_clock *clock, int64_t ctime,
				      uint64_t seen);
/* A lower bound for CLOCK_REALTIME at @time, by the clock of the perf.data; 0: unknown. */
uint64_t stream_clock_real(const struct stream_clock *clock, uint64_t time);
void stream_clock_free(struct stream_clock *clock);

/* Nanoseconds by which a change may be later than its ctime. */
uint64_t ctime_grain(int64_t ctime);
/* How far two clocks may drift apart in this many nanoseconds, by NTP's limit of 500 ppm. */
#define CLOCK_DRIFT(ns) ((ns) / 2000)

#endif
