// SPDX-License-Identifier: GPL-2.0
/*
 * Address spaces: a segment tree of ranges, and beginnings by process and time.
 *
 * A place may be mapped any number of times, by a JIT compiler or a plug-in host, so a lookup must
 * not go through everything that was ever there. The edges of all ranges cut the addresses of all
 * processes into intervals, the leaves of the tree. A range is listed at the few nodes that cover
 * exactly its leaves, each list by time: a lookup bisects the lists on the way from one leaf to the
 * root.
 */

#include <assert.h>

#include "address_spaces.h"
#include "common/array.h"

/* A longer chain of parents is a loop, caused by reused pids. */
#define FORKS_MAX 256

struct range {
	uint32_t pid;
	uint64_t start;
	uint64_t last; /* address */
	uint64_t time;
	size_t order;
	size_t what;
};

/* An address space begins: as a copy of the parent's, or empty at exec. */
struct process_start {
	uint32_t pid;
	uint32_t parent; /* @pid itself at exec */
	uint64_t time;
	size_t order;
};

/* Where a range begins, or the first address after one. */
struct edge {
	uint64_t pid;
	uint64_t address;
};

struct address_spaces {
	struct range *ranges; /* by time, when ready */
	size_t nr_ranges;
	struct edge *edges;
	size_t nr_edges;
	size_t *lists;	  /* of each node, where its list ends in listed */
	uint32_t *listed; /* ranges */
	struct process_start *starts;
	size_t nr_starts;
	size_t order;
	bool ready;
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
	free(spaces->edges);
	free(spaces->lists);
	free(spaces->listed);
	free(spaces->starts);
	free(spaces);
}

bool address_spaces_map(struct address_spaces *spaces, uint32_t pid, uint64_t time, uint64_t start,
			uint64_t len, size_t what)
{
	if (!len)
		return true;
	if (spaces->nr_ranges == UINT32_MAX || !array_reserve(spaces->ranges, spaces->nr_ranges))
		return false;
	spaces->ranges[spaces->nr_ranges++] = (struct range){
		.pid = pid,
		.start = start,
		.last = len - 1 > UINT64_MAX - start ? UINT64_MAX : start + len - 1,
		.time = time,
		.order = spaces->order++,
		.what = what,
	};
	spaces->ready = false;
	return true;
}

bool address_spaces_begin(struct address_spaces *spaces, uint32_t pid, uint64_t time,
			  uint32_t parent)
{
	if (!array_reserve(spaces->starts, spaces->nr_starts))
		return false;
	spaces->starts[spaces->nr_starts++] = (struct process_start){
		.pid = pid,
		.parent = parent,
		.time = time,
		.order = spaces->order++,
	};
	spaces->ready = false;
	return true;
}

/* ------------------------------------------------------------------- ready -- */

static int compare_ranges(const void *a, const void *b)
{
	const struct range *first = a, *second = b;
	int result = COMPARE(first->time, second->time);

	return result ? result : COMPARE(first->order, second->order);
}

static int compare_starts(const void *a, const void *b)
{
	const struct process_start *first = a, *second = b;
	int result = COMPARE(first->pid, second->pid);

	if (!result)
		result = COMPARE(first->time, second->time);
	return result ? result : COMPARE(first->order, second->order);
}

static int compare_edges(const void *a, const void *b)
{
	const struct edge *first = a, *second = b;
	int result = COMPARE(first->pid, second->pid);

	return result ? result : COMPARE(first->address, second->address);
}

static struct edge start_of(const struct range *range)
{
	return (struct edge){ range->pid, range->start };
}

static struct edge end_of(const struct range *range)
{
	if (range->last == UINT64_MAX)
		return (struct edge){ range->pid + 1ULL, 0 };
	return (struct edge){ range->pid, range->last + 1 };
}

static bool make_edges(struct address_spaces *spaces)
{
	size_t i, count = 0, all = 2 * spaces->nr_ranges;

	free(spaces->edges);
	spaces->edges = calloc(all + 1, sizeof(*spaces->edges));
	if (!spaces->edges)
		return false;
	for (i = 0; i < spaces->nr_ranges; i++) {
		spaces->edges[2 * i] = start_of(&spaces->ranges[i]);
		spaces->edges[2 * i + 1] = end_of(&spaces->ranges[i]);
	}
	array_sort(spaces->edges, all, compare_edges);
	for (i = 0; i < all; i++)
		if (!count || compare_edges(&spaces->edges[count - 1], &spaces->edges[i]) != 0)
			spaces->edges[count++] = spaces->edges[i];
	spaces->nr_edges = count;
	return true;
}

static size_t edge_index(const struct address_spaces *spaces, struct edge edge)
{
	return array_lower_bound(&edge, spaces->edges, spaces->nr_edges, sizeof(edge),
				 compare_edges);
}

/*
 * The leaf of edge number i is node nr_edges + i, the parent of a node is half of it. For each node
 * of @range, either increment its count, or append the range to its list.
 */
static void list_range(struct address_spaces *spaces, size_t number, bool counting)
{
	const struct range *range = &spaces->ranges[number];
	size_t from = edge_index(spaces, start_of(range)) + spaces->nr_edges;
	size_t to = edge_index(spaces, end_of(range)) + spaces->nr_edges;

	for (; from < to; from /= 2, to /= 2) {
		size_t nodes[2], count = 0;

		if (from % 2)
			nodes[count++] = from++;
		if (to % 2)
			nodes[count++] = --to;
		while (count--) {
			size_t *end = &spaces->lists[nodes[count]];

			if (!counting)
				spaces->listed[*end] = (uint32_t)number;
			(*end)++;
		}
	}
}

/* Count first, so that each list gets its own place; the ranges are sorted by time. */
static bool make_lists(struct address_spaces *spaces)
{
	size_t nodes = 2 * spaces->nr_edges, sum = 0, i;

	free(spaces->lists);
	free(spaces->listed);
	spaces->listed = NULL;
	spaces->lists = calloc(nodes + 1, sizeof(*spaces->lists));
	if (!spaces->lists)
		return false;
	for (i = 0; i < spaces->nr_ranges; i++)
		list_range(spaces, i, true);
	for (i = 0; i < nodes; i++) {
		size_t count = spaces->lists[i];

		spaces->lists[i] = sum;
		sum += count;
	}
	spaces->listed = calloc(sum + 1, sizeof(*spaces->listed));
	for (i = 0; spaces->listed && i < spaces->nr_ranges; i++)
		list_range(spaces, i, false);
	return spaces->listed != NULL;
}

bool address_spaces_ready(struct address_spaces *spaces)
{
	array_sort(spaces->ranges, spaces->nr_ranges, compare_ranges);
	array_sort(spaces->starts, spaces->nr_starts, compare_starts);
	spaces->ready = make_edges(spaces) && make_lists(spaces);
	return spaces->ready;
}

/* ------------------------------------------------------------------- lookup -- */

/* From @time on the answer differs. */
static void end_before(struct address_spaces_scope *scope, uint64_t time)
{
	if (time - 1 < scope->until)
		scope->until = time - 1;
}

static void begin_at(struct address_spaces_scope *scope, uint64_t time)
{
	if (time > scope->from)
		scope->from = time;
}

/* The last start of @pid that is not after @time, or NULL. */
static const struct process_start *start_before(const struct address_spaces *spaces, uint32_t pid,
						uint64_t time, struct address_spaces_scope *scope)
{
	const struct process_start key = { .pid = pid, .time = time, .order = SIZE_MAX };
	size_t count = array_lower_bound(&key, spaces->starts, spaces->nr_starts, sizeof(key),
					 compare_starts);

	if (count < spaces->nr_starts && spaces->starts[count].pid == pid)
		end_before(scope, spaces->starts[count].time);
	if (!count || spaces->starts[count - 1].pid != pid)
		return NULL;
	begin_at(scope, spaces->starts[count - 1].time);
	return &spaces->starts[count - 1];
}

static bool is_later(const struct range *range, const struct range *than)
{
	return !than || compare_ranges(range, than) > 0;
}

/* The last in the list of @node until @time. */
static const struct range *last_until(const struct address_spaces *spaces, size_t node,
				      uint64_t time, struct address_spaces_scope *scope)
{
	size_t low = node ? spaces->lists[node - 1] : 0;
	size_t begin = low, end = spaces->lists[node], high = end;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (spaces->ranges[spaces->listed[middle]].time <= time)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < end)
		end_before(scope, spaces->ranges[spaces->listed[low]].time);
	return low > begin ? &spaces->ranges[spaces->listed[low - 1]] : NULL;
}

/* Between two edges of @pid: of edge number @next, and the one before. */
static void stay_between(const struct address_spaces *spaces, size_t next, uint32_t pid,
			 struct address_spaces_scope *scope)
{
	const struct edge *low = next ? &spaces->edges[next - 1] : NULL;
	const struct edge *high = next < spaces->nr_edges ? &spaces->edges[next] : NULL;

	if (low && low->pid == pid && low->address > scope->start)
		scope->start = low->address;
	if (high && high->pid == pid && high->address - 1 < scope->last)
		scope->last = high->address - 1;
}

/* The last range that @pid mapped itself between @start and @time. */
static const struct range *range_at(const struct address_spaces *spaces, uint32_t pid,
				    uint64_t address, uint64_t time,
				    const struct process_start *start,
				    struct address_spaces_scope *scope)
{
	const struct edge place = { pid, address };
	const struct range *best = NULL;
	size_t node = edge_index(spaces, place);

	/* The edge after the address. */
	if (node < spaces->nr_edges && !compare_edges(&spaces->edges[node], &place))
		node++;
	stay_between(spaces, node, pid, scope);
	if (!node)
		return NULL;
	for (node += spaces->nr_edges - 1; node; node /= 2) {
		const struct range *range = last_until(spaces, node, time, scope);

		if (range && is_later(range, best))
			best = range;
	}
	if (best)
		begin_at(scope, best->time);
	if (best && start &&
	    (best->time < start->time || (best->time == start->time && best->order < start->order)))
		return NULL;
	return best;
}

size_t address_spaces_find(const struct address_spaces *spaces, uint32_t pid, uint64_t time,
			   uint64_t address, struct address_spaces_scope *scope)
{
	struct address_spaces_scope all = { .last = UINT64_MAX, .until = UINT64_MAX };
	const struct process_start *start;
	const struct range *range;
	int forks;

	assert(spaces->ready);
	for (forks = 0; forks < FORKS_MAX; forks++) {
		struct address_spaces_scope here = all;

		start = start_before(spaces, pid, time, &here);
		range = range_at(spaces, pid, address, time, start, &here);
		/* The mappings that a parent had at the fork do not change. */
		if (forks) {
			here.from = all.from;
			here.until = all.until;
		}
		all = here;
		if (range || !start || start->parent == start->pid)
			break;
		pid = start->parent;
		time = start->time;
		range = NULL;
	}
	if (scope)
		*scope = all;
	return range ? range->what : ADDRESS_SPACES_NOTHING;
}

void address_spaces_each(const struct address_spaces *spaces,
			 void (*each)(void *context, size_t what, uint64_t start, uint64_t last),
			 void *context)
{
	size_t i;

	for (i = 0; i < spaces->nr_ranges; i++)
		each(context, spaces->ranges[i].what, spaces->ranges[i].start,
		     spaces->ranges[i].last);
}
