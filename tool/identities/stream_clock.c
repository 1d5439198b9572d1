// SPDX-License-Identifier: GPL-2.0
/* Stream clock: interpolated between the times of records. */

#include <errno.h>

#include "common/array.h"
#include "stream_clock.h"

#define SECOND 1000000000ULL
/* A tick at the lowest HZ. */
#define TICK 10000000ULL

/* FAT counts in steps of two seconds, others in seconds; none of them has a fraction. */
uint64_t ctime_grain(int64_t ctime)
{
	return ctime % (int64_t)SECOND ? TICK : 2 * SECOND + TICK;
}

int stream_clock_add(struct stream_clock *clock, uint64_t mono, uint64_t time)
{
	if (clock->nr_pairs && mono < clock->pairs[clock->nr_pairs - 1].mono + SECOND)
		return 0;
	if (!array_reserve(clock->pairs, clock->nr_pairs))
		return -ENOMEM;
	clock->pairs[clock->nr_pairs++] = (struct clock_pair){ mono, time };
	return 0;
}

void stream_clock_add_real(struct stream_clock *clock, uint64_t mono, uint64_t real)
{
	int64_t ahead = (int64_t)(real - mono);
	const struct wall_range range = { ahead, ahead };

	if (!clock->has_real)
		clock->ahead = range;
	wall_range_widen(&clock->ahead, &range);
	clock->has_real = true;
}

void stream_clock_before(struct stream_clock *clock, uint64_t begin, const struct wall_range *range)
{
	clock->has_before = true;
	clock->before = *range;
	clock->begin = begin;
}

void stream_clock_until(struct stream_clock *clock, uint64_t until)
{
	clock->has_until = true;
	clock->until = until;
}

void stream_clock_free(struct stream_clock *clock)
{
	free(clock->pairs);
}

static int compare_mono(const void *a, const void *b)
{
	const struct clock_pair *first = a, *second = b;

	return COMPARE((int64_t)first->mono, (int64_t)second->mono);
}

static int compare_time(const void *a, const void *b)
{
	const struct clock_pair *first = a, *second = b;

	return COMPARE((int64_t)first->time, (int64_t)second->time);
}

/* A damaged log may have any numbers, which must not overflow. */
static int64_t plus(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t stream_clock_minus(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a - (uint64_t)b);
}

/* The range of the difference between two clocks around a moment. */
struct difference {
	int64_t least, most;
};

static struct difference difference_at(const struct stream_clock *clock,
				       const struct clock_pair *moment,
				       int (*compare)(const void *, const void *))
{
	size_t next =
		array_lower_bound(moment, clock->pairs, clock->nr_pairs, sizeof(*moment), compare);
	const struct clock_pair *after = &clock->pairs[next < clock->nr_pairs ? next : next - 1];
	const struct clock_pair *before = &clock->pairs[next ? next - 1 : 0];
	int64_t one = (int64_t)(before->time - before->mono);
	int64_t other = (int64_t)(after->time - after->mono);

	return (struct difference){ one < other ? one : other, one > other ? one : other };
}

/* How far the clocks may have drifted outside the range of the pairs. */
static int64_t drift_outside(int64_t moment, uint64_t first, uint64_t last)
{
	if (moment < (int64_t)first)
		return CLOCK_DRIFT(stream_clock_minus((int64_t)first, moment));
	return moment > (int64_t)last ? CLOCK_DRIFT(stream_clock_minus(moment, (int64_t)last)) : 0;
}

/* By CLOCK_MONOTONIC: the range in which a file with @ctime may have changed. */
struct change {
	int64_t early, late;
};

static struct change change_at(const struct wall_range *ahead, int64_t ctime)
{
	return (struct change){
		.early = stream_clock_minus(ctime, ahead->max),
		.late = plus(stream_clock_minus(ctime, ahead->min), (int64_t)ctime_grain(ctime)),
	};
}

static struct change find_change(const struct stream_clock *clock, int64_t ctime)
{
	struct change change = change_at(&clock->ahead, ctime), before;
	int64_t begin = (int64_t)clock->begin;

	if (!clock->has_before)
		return change;
	before = change_at(&clock->before, ctime);
	if (before.early >= begin)
		return change;
	if (before.late > begin)
		before.late = begin;
	if (before.early < change.early)
		change.early = before.early;
	if (before.late > change.late)
		change.late = before.late;
	return change;
}

struct time_span stream_clock_changed(const struct stream_clock *clock, int64_t ctime,
				      uint64_t seen)
{
	struct change change = find_change(clock, ctime);
	struct clock_pair moment = { .mono = (uint64_t)change.early };
	const struct clock_pair *first, *last;
	int64_t from, to;

	if (!clock->has_real || !clock->nr_pairs || (clock->has_until && seen > clock->until))
		return (struct time_span){ 0, UINT64_MAX };
	first = clock->pairs;
	last = first + clock->nr_pairs - 1;
	from = plus(change.early, difference_at(clock, &moment, compare_mono).least);
	from = stream_clock_minus(from, (int64_t)TICK + drift_outside(change.early, first->mono,
								      last->mono));
	moment.mono = (uint64_t)change.late;
	to = plus(change.late, difference_at(clock, &moment, compare_mono).most);
	to = plus(to, drift_outside(change.late, first->mono, last->mono));
	return (struct time_span){ from > 0 ? (uint64_t)from : 0, to > 0 ? (uint64_t)to : 0 };
}

uint64_t stream_clock_real(const struct stream_clock *clock, uint64_t time)
{
	const struct clock_pair moment = { .time = time };
	const struct clock_pair *first, *last;
	int64_t real;

	if (!clock->has_real || !clock->nr_pairs || !time)
		return 0;
	first = clock->pairs;
	last = first + clock->nr_pairs - 1;
	real = stream_clock_minus((int64_t)time, difference_at(clock, &moment, compare_time).most);
	real = stream_clock_minus(real, drift_outside((int64_t)time, first->time, last->time));
	real = plus(real, clock->ahead.min);
	return real > 0 ? (uint64_t)real : 0;
}
