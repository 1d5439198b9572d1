// SPDX-License-Identifier: GPL-2.0
/* Stream clock: interpolated between the times of records. */

#include <errno.h>

#include "common/array.h"
#include "stream_clock.h"

#define SECOND 1000000000ULL
/* A tick of the slowest kernels. */
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

	if (!clock->has_real || ahead < clock->ahead_min)
		clock->ahead_min = ahead;
	if (!clock->has_real || ahead > clock->ahead_max)
		clock->ahead_max = ahead;
	clock->has_real = true;
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

static int64_t smaller(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* What to add to one clock for the other around @key, at least and at most. */
static void differences(const struct stream_clock *clock, const struct clock_pair *key,
			int (*compare)(const void *, const void *), int64_t *least, int64_t *most)
{
	size_t next = array_lower_bound(key, clock->pairs, clock->nr_pairs, sizeof(*key), compare);
	const struct clock_pair *after = &clock->pairs[next < clock->nr_pairs ? next : next - 1];
	const struct clock_pair *before = &clock->pairs[next ? next - 1 : 0];
	int64_t one = (int64_t)(before->time - before->mono);
	int64_t other = (int64_t)(after->time - after->mono);

	*least = smaller(one, other);
	*most = one > other ? one : other;
}

/* How far a moment is from the pairs, and so by how much the clocks may have drifted. */
static int64_t drift_outside(int64_t moment, int64_t first, int64_t last)
{
	if (moment < first)
		return CLOCK_DRIFT(first - moment);
	return moment > last ? CLOCK_DRIFT(moment - last) : 0;
}

static struct time_span everything(void)
{
	return (struct time_span){ 0, UINT64_MAX };
}

struct time_span stream_clock_changed(const struct stream_clock *clock, int64_t ctime)
{
	int64_t grain = (int64_t)ctime_grain(ctime);
	struct clock_pair early, late;
	int64_t least, most, from, to, ignored;
	const struct clock_pair *first = clock->pairs;

	if (!clock->has_real || !clock->nr_pairs || ctime < 0 || ctime > INT64_MAX - grain)
		return everything();
	early.mono = (uint64_t)(ctime - clock->ahead_max);
	late.mono = (uint64_t)(ctime + grain - clock->ahead_min);
	differences(clock, &early, compare_mono, &least, &ignored);
	differences(clock, &late, compare_mono, &ignored, &most);
	from = (int64_t)early.mono + least - (int64_t)TICK -
	       drift_outside((int64_t)early.mono, (int64_t)first->mono,
			     (int64_t)first[clock->nr_pairs - 1].mono);
	to = (int64_t)late.mono + most +
	     drift_outside((int64_t)late.mono, (int64_t)first->mono,
			   (int64_t)first[clock->nr_pairs - 1].mono);
	return (struct time_span){ from > 0 ? (uint64_t)from : 0, to > 0 ? (uint64_t)to : 0 };
}

uint64_t stream_clock_real(const struct stream_clock *clock, uint64_t time)
{
	const struct clock_pair key = { .time = time };
	const struct clock_pair *first = clock->pairs;
	int64_t least, most, real;

	if (!clock->has_real || !clock->nr_pairs || !time)
		return 0;
	differences(clock, &key, compare_time, &least, &most);
	real = (int64_t)time - most + clock->ahead_min -
	       drift_outside((int64_t)time, (int64_t)first->time,
			     (int64_t)first[clock->nr_pairs - 1].time);
	return real > 0 ? (uint64_t)real : 0;
}
