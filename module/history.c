// SPDX-License-Identifier: GPL-2.0
/*
 * One ring for each CPU, which only the hook on that CPU writes, with preemption off.
 * So there is no lock. Readers copy a slot and then check whether the writer has come
 * round to it meanwhile, as with a seqcount.
 */
#include <linux/vmalloc.h>

#include "history.h"

DEFINE_PER_CPU(struct bid_history, bid_history);

/* False when the slot was, or may have been, overwritten while it was copied. */
static bool read_entry(const struct bid_history *history, u32 nr, struct bid_history_entry *to)
{
	*to = history->ring[nr & (BID_HISTORY_DEPTH - 1)];
	smp_rmb(); /* pairs with the smp_wmb() in bid_history_add() */
	return READ_ONCE(history->next) - nr < BID_HISTORY_DEPTH;
}

/* Entries of one CPU are considered in their order: equal ones are not before. */
static bool is_before(const struct bid_history_entry *a, const struct bid_history_entry *b)
{
	if (a->tick != b->tick)
		return time_before(a->tick, b->tick);
	return (s32)(a->cycles - b->cycles) < 0;
}

/**
 * struct search - a search for the last mapping of an address
 * @tgid: of the process
 * @start_time: which process of those that had @tgid; 0 for the last of them
 * @addr: the address
 * @known: some mapping of the process was found
 * @found: the last mapping of @addr so far; @found.end is 0 for none
 */
struct search {
	pid_t tgid;
	u64 start_time;
	u64 addr;
	bool known;
	struct bid_history_entry found;
};

static void consider(struct search *search, bool any, const struct bid_history_entry *entry)
{
	if (entry->tgid != search->tgid || !entry->file_id)
		return;
	if (any && entry->start_time > search->start_time) {
		search->start_time = entry->start_time;
		search->found.end = 0;
	}
	if (entry->start_time != search->start_time)
		return;
	search->known = true;
	if (search->addr < entry->start || search->addr >= entry->end)
		return;
	if (!search->found.end || !is_before(entry, &search->found))
		search->found = *entry;
}

/**
 * bid_history_find() - find what a process had mapped at an address last
 * @tgid: of the process, in the initial pid namespace
 * @addr: the address
 * @start_time: in: which process of those that had @tgid, 0 for the last; out: its own
 * @file_id: set to that of the mapped file
 * @offset: set to the offset of @addr in the file
 *
 * Process context.
 *
 * Return: 0; -ESRCH when no mapping of the process is remembered; -ENOENT when none is
 * that has @addr.
 */
int bid_history_find(pid_t tgid, u64 addr, u64 *start_time, u64 *file_id, u64 *offset)
{
	struct search search = {
		.tgid = tgid,
		.start_time = *start_time,
		.addr = addr,
	};
	const struct bid_history *history;
	struct bid_history_entry entry;
	u32 nr, i;
	int cpu;

	for_each_possible_cpu(cpu) {
		history = per_cpu_ptr(&bid_history, cpu);
		/* pairs with the release in bid_history_add() */
		nr = smp_load_acquire(&history->next);
		for (i = BID_HISTORY_DEPTH - 1; i; i--)
			if (read_entry(history, nr - i, &entry))
				consider(&search, !*start_time, &entry);
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

/* Return: 0 or -ENOMEM. May sleep. */
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

/* The hook is gone. */
void bid_history_exit(void)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		vfree(per_cpu_ptr(&bid_history, cpu)->ring);
		per_cpu_ptr(&bid_history, cpu)->ring = NULL;
	}
}
