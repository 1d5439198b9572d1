// SPDX-License-Identifier: GPL-2.0
/* Address spaces of a perf.data: what lay where, when, for whom. */

#include <stdlib.h>

#include "address_spaces.h"

/* A chain of forks that is longer goes round in circles. */
#define FORKS_MAX 256

struct range {
	uint32_t pid;
	uint64_t start;
	uint64_t last;	/* address in it */
	uint64_t reach; /* highest last so far, of this process */
	uint64_t time;
	size_t order;
	size_t what;
};

/* A process begins, with what @parent had or with nothing. */
struct birth {
	uint32_t pid;
	uint32_t parent;
	bool exec;
	uint64_t time;
	size_t order;
};

struct address_spaces {
	struct range *ranges;
	size_t nr_ranges, ranges_room;
	struct birth *births;
	size_t nr_births, births_room;
	size_t order;
	bool sorted;
};

struct address_spaces *address_spaces_new(void)
{
	return calloc(1, sizeof(struct address_spaces));
}

void address_spaces_free(struct address_spaces *spaces)
{
	if (!spaces)
		return;
	free(spaces->ranges);
	free(spaces->births);
	free(spaces);
}

/* Room for one more, or NULL; what is at @array may move. */
static void *room(void *array, size_t count, size_t *rooms, size_t size)
{
	void *grown;

	if (count < *rooms)
		return array;
	grown = reallocarray(array, *rooms ? *rooms * 2 : 256, size);
	if (grown)
		*rooms = *rooms ? *rooms * 2 : 256;
	return grown;
}

bool address_spaces_map(struct address_spaces *spaces, uint32_t pid, uint64_t time, uint64_t start,
			uint64_t len, size_t what)
{
	struct range *ranges;

	if (!len)
		return true;
	ranges = room(spaces->ranges, spaces->nr_ranges, &spaces->ranges_room, sizeof(*ranges));
	if (!ranges)
		return false;
	spaces->ranges = ranges;
	ranges[spaces->nr_ranges++] = (struct range){
		.pid = pid,
		.start = start,
		.last = len - 1 > UINT64_MAX - start ? UINT64_MAX : start + len - 1,
		.time = time,
		.order = spaces->order++,
		.what = what,
	};
	spaces->sorted = false;
	return true;
}

static bool add_birth(struct address_spaces *spaces, const struct birth *birth)
{
	struct birth *births =
		room(spaces->births, spaces->nr_births, &spaces->births_room, sizeof(*births));

	if (!births)
		return false;
	spaces->births = births;
	births[spaces->nr_births] = *birth;
	births[spaces->nr_births++].order = spaces->order++;
	spaces->sorted = false;
	return true;
}

bool address_spaces_fork(struct address_spaces *spaces, uint32_t pid, uint64_t time,
			 uint32_t parent)
{
	const struct birth birth = { .pid = pid, .parent = parent, .time = time };

	/* A thread. */
	return pid == parent || add_birth(spaces, &birth);
}

bool address_spaces_exec(struct address_spaces *spaces, uint32_t pid, uint64_t time)
{
	const struct birth birth = { .pid = pid, .exec = true, .time = time };

	return add_birth(spaces, &birth);
}

/* ------------------------------------------------------------------ looking -- */

#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

static int compare_ranges(const void *a, const void *b)
{
	const struct range *first = a, *second = b;
	int result = COMPARE(first->pid, second->pid);

	if (!result)
		result = COMPARE(first->start, second->start);
	return result ? result : COMPARE(first->order, second->order);
}

static int compare_births(const void *a, const void *b)
{
	const struct birth *first = a, *second = b;
	int result = COMPARE(first->pid, second->pid);

	if (!result)
		result = COMPARE(first->time, second->time);
	return result ? result : COMPARE(first->order, second->order);
}

static void sort(struct address_spaces *spaces)
{
	struct range *range;
	uint64_t reach = 0;
	size_t i;

	if (spaces->sorted)
		return;
	if (spaces->nr_ranges)
		qsort(spaces->ranges, spaces->nr_ranges, sizeof(*spaces->ranges), compare_ranges);
	if (spaces->nr_births)
		qsort(spaces->births, spaces->nr_births, sizeof(*spaces->births), compare_births);
	for (i = 0; i < spaces->nr_ranges; i++) {
		range = &spaces->ranges[i];
		if (!i || range[-1].pid != range->pid || range->last > reach)
			reach = range->last;
		range->reach = reach;
	}
	spaces->sorted = true;
}

/* How many ranges are before the first of @pid that starts behind @address. */
static size_t ranges_until(const struct address_spaces *spaces, uint32_t pid, uint64_t address)
{
	size_t low = 0, high = spaces->nr_ranges;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct range *range = &spaces->ranges[middle];

		if (range->pid < pid || (range->pid == pid && range->start <= address))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The last birth of @pid that is not after @time, or NULL. */
static const struct birth *birth_before(const struct address_spaces *spaces, uint32_t pid,
					uint64_t time)
{
	size_t low = 0, high = spaces->nr_births;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct birth *birth = &spaces->births[middle];

		if (birth->pid < pid || (birth->pid == pid && birth->time <= time))
			low = middle + 1;
		else
			high = middle;
	}
	return low && spaces->births[low - 1].pid == pid ? &spaces->births[low - 1] : NULL;
}

static bool is_later(const struct range *range, const struct range *than)
{
	return !than || range->time > than->time ||
	       (range->time == than->time && range->order > than->order);
}

/* Of @pid's own mappings the last one made between @birth and @time. */
static const struct range *range_at(const struct address_spaces *spaces, uint32_t pid,
				    uint64_t address, uint64_t time, const struct birth *birth)
{
	size_t i = ranges_until(spaces, pid, address);
	const struct range *best = NULL;

	while (i--) {
		const struct range *range = &spaces->ranges[i];

		if (range->pid != pid || range->reach < address)
			break;
		if (range->last < address || range->time > time)
			continue;
		if (birth && (range->time < birth->time ||
			      (range->time == birth->time && range->order < birth->order)))
			continue;
		if (is_later(range, best))
			best = range;
	}
	return best;
}

size_t address_spaces_find(struct address_spaces *spaces, uint32_t pid, uint64_t time,
			   uint64_t address)
{
	const struct birth *birth;
	const struct range *range;
	int forks;

	sort(spaces);
	for (forks = 0; forks < FORKS_MAX; forks++) {
		birth = birth_before(spaces, pid, time);
		range = range_at(spaces, pid, address, time, birth);
		if (range)
			return range->what;
		if (!birth || birth->exec)
			return ADDRESS_SPACES_NOTHING;
		pid = birth->parent;
		time = birth->time;
	}
	return ADDRESS_SPACES_NOTHING;
}
