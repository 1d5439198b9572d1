// SPDX-License-Identifier: GPL-2.0
/* Address spaces: ranges sorted by process and address, beginnings by process and time. */

#include "address_spaces.h"
#include "common/array.h"

/* A longer chain of parents is a loop, made of pids that were used again. */
#define FORKS_MAX 256

struct range {
	uint32_t pid;
	uint64_t start;
	uint64_t last;	/* address */
	uint64_t reach; /* highest last of the process up to here, when sorted */
	uint64_t time;
	size_t order;
	size_t what;
};

/* An address space begins: as a copy of the parent's, or empty at exec. */
struct birth {
	uint32_t pid;
	uint32_t parent; /* @pid itself at exec */
	uint64_t time;
	size_t order;
};

struct address_spaces {
	struct range *ranges;
	size_t nr_ranges;
	struct birth *births;
	size_t nr_births;
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

bool address_spaces_map(struct address_spaces *spaces, uint32_t pid, uint64_t time, uint64_t start,
			uint64_t len, size_t what)
{
	if (!len)
		return true;
	if (!array_reserve(spaces->ranges, spaces->nr_ranges))
		return false;
	spaces->ranges[spaces->nr_ranges++] = (struct range){
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

bool address_spaces_begin(struct address_spaces *spaces, uint32_t pid, uint64_t time,
			  uint32_t parent)
{
	if (!array_reserve(spaces->births, spaces->nr_births))
		return false;
	spaces->births[spaces->nr_births++] = (struct birth){
		.pid = pid,
		.parent = parent,
		.time = time,
		.order = spaces->order++,
	};
	spaces->sorted = false;
	return true;
}

/* ------------------------------------------------------------------- lookup -- */

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
	array_sort(spaces->ranges, spaces->nr_ranges, compare_ranges);
	array_sort(spaces->births, spaces->nr_births, compare_births);
	for (i = 0; i < spaces->nr_ranges; i++) {
		range = &spaces->ranges[i];
		if (!i || range[-1].pid != range->pid || range->last > reach)
			reach = range->last;
		range->reach = reach;
	}
	spaces->sorted = true;
}

/* The index of the first range of @pid, or of what follows, that starts after @address. */
static size_t ranges_until(const struct address_spaces *spaces, uint32_t pid, uint64_t address)
{
	const struct range key = { .pid = pid, .start = address, .order = SIZE_MAX };

	return array_lower_bound(&key, spaces->ranges, spaces->nr_ranges, sizeof(key),
				 compare_ranges);
}

/* The last birth of @pid that is not after @time, or NULL. */
static const struct birth *birth_before(const struct address_spaces *spaces, uint32_t pid,
					uint64_t time)
{
	const struct birth key = { .pid = pid, .time = time, .order = SIZE_MAX };
	size_t count = array_lower_bound(&key, spaces->births, spaces->nr_births, sizeof(key),
					 compare_births);

	return count && spaces->births[count - 1].pid == pid ? &spaces->births[count - 1] : NULL;
}

static bool is_later(const struct range *range, const struct range *than)
{
	return !than || range->time > than->time ||
	       (range->time == than->time && range->order > than->order);
}

/*
 * The last range that @pid mapped itself between @birth and @time. Backwards from the
 * one that starts last, until no range before it reaches as far as @address.
 */
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
		if (!birth || birth->parent == birth->pid)
			return ADDRESS_SPACES_NOTHING;
		pid = birth->parent;
		time = birth->time;
	}
	return ADDRESS_SPACES_NOTHING;
}
