// SPDX-License-Identifier: GPL-2.0
#include <linux/vmalloc.h>

#include "history.h"

DEFINE_PER_CPU(struct bid_history, bid_history);

/*
 * False when it is, or may be, written over meanwhile. What was never written is
 * zero.
 */
static bool read_entry(const struct bid_history *history, u32 nr, struct bid_history_entry *to)
{
	*to = history->ring[nr & (BID_HISTORY_DEPTH - 1)];
	smp_rmb(); /* pairs with the smp_wmb() in bid_history_add() */
	return READ_ONCE(history->next) - nr < BID_HISTORY_DEPTH;
}

/* In one processor's the later one comes later anyway. */
static bool is_before(const struct bid_history_entry *a, const struct bid_history_entry *b)
{
	if (a->tick != b->tick)
		return time_before(a->tick, b->tick);
	return (s32)(a->cycles - b->cycles) < 0;
}

/**
 * struct search - for a mapping of a process
 * @tgid: the process
 * @start_time: which of those with that number; 0 for the last
 * @addr: in it
 * @known: some mapping of it was found
 * @found: the last one with @addr, or one of no length
 */
struct search {
	pid_t tgid;
	u64 start_time;
	u64 addr;
	bool known;
	struct bid_history_entry found;
};

static void consider(struct search *search, bool any, const struct bid_history_entry *past)
{
	if (past->tgid != search->tgid || !past->file_id)
		return;
	if (any && past->start_time > search->start_time) {
		search->start_time = past->start_time;
		search->found.end = 0;
	}
	if (past->start_time != search->start_time)
		return;
	search->known = true;
	if (search->addr < past->start || search->addr >= past->end)
		return;
	if (!search->found.end || !is_before(past, &search->found))
		search->found = *past;
}

/**
 * bid_history_find() - what a process had mapped last
 * @tgid: the process, as the initial namespace counts
 * @addr: in it
 * @start_time: which of those with that number, 0 for the last; set to its
 * @file_id: set to what was mapped
 * @offset: set to the offset in the file
 *
 * Return: 0; -ESRCH when no such process is remembered; -ENOENT when no such
 * mapping of it is.
 */
int bid_history_find(pid_t tgid, u64 addr, u64 *start_time, u64 *file_id, u64 *offset)
{
	struct search search = {
		.tgid = tgid,
		.start_time = *start_time,
		.addr = addr,
	};
	const struct bid_history *history;
	struct bid_history_entry past;
	u32 nr, i;
	int cpu;

	for_each_possible_cpu(cpu) {
		history = per_cpu_ptr(&bid_history, cpu);
		nr = smp_load_acquire(&history->next); /* pairs with bid_history_add() */
		for (i = BID_HISTORY_DEPTH - 1; i; i--)
			if (read_entry(history, nr - i, &past))
				consider(&search, !*start_time, &past);
		cond_resched();
	}
	if (!search.known)
		return -ESRCH;
	if (!search.found.end)
		return -ENOENT;
	*start_time = search.start_time;
	*file_id = search.found.file_id;
	*offset = addr - search.found.start + (search.found.pgoff << PAGE_SHIFT);
	return 0;
}

int bid_history_init(void)
{
	struct bid_history *history;
	int cpu;

	BUILD_BUG_ON(sizeof(struct bid_history_entry) != 64);
	for_each_possible_cpu(cpu) {
		history = per_cpu_ptr(&bid_history, cpu);
		history->ring = vzalloc_node(array_size(BID_HISTORY_DEPTH, sizeof(*history->ring)),
					     cpu_to_node(cpu));
		if (!history->ring) {
			bid_history_exit();
			return -ENOMEM;
		}
	}
	return 0;
}

void bid_history_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		vfree(per_cpu_ptr(&bid_history, cpu)->ring);
		per_cpu_ptr(&bid_history, cpu)->ring = NULL;
	}
}
