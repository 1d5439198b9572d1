// SPDX-License-Identifier: GPL-2.0
/*
 * One ring for each CPU, which only the hook on that CPU writes, with preemption off.
 * So there is no lock. Readers copy a slot and then check whether the writer has come
 * round to it meanwhile, as with a seqcount.
 */
#include <linux/sched/signal.h>
#include <linux/vmalloc.h>

#include <buildid.h>

#include "history.h"

DEFINE_PER_CPU(struct bid_history, bid_history);

/* False when the slot was, or may have been, overwritten while it was copied. */
static bool read_entry(const struct bid_history *history, u32 nr, struct bid_history_entry *to)
{
	*to = history->ring[nr & (BID_HISTORY_DEPTH - 1)];
	smp_rmb(); /* pairs with the first smp_wmb() in bid_history_add() */
	return READ_ONCE(history->next) - nr < BID_HISTORY_DEPTH;
}

/* Of two stamps; those of one CPU at the same time are in no order. */
static bool is_before(u64 stamp, u64 other)
{
	s64 ticks = bid_history_ticks(stamp, other);

	if (ticks)
		return ticks > 0;
	return (s32)((u32)(stamp - other) << (32 - BID_HISTORY_CYCLES)) < 0;
}

/* How long ago a mapping was made, in nanoseconds; exact to a tick. */
u64 bid_history_age(const struct bid_history_entry *entry)
{
	s64 ticks = bid_history_ticks(entry->stamp, bid_history_stamp(READ_ONCE(jiffies), 0));

	return max_t(s64, ticks, 0) * TICK_NSEC;
}

/**
 * struct search - a search for the last mapping of an address
 * @query: what is looked for; its start_time is that of the last process so far
 * @any: whichever process was the last
 * @known: there is a mapping of the process
 * @found: the last mapping of the address so far; its pages are 0 for none
 */
struct search {
	struct bid_history_query *query;
	bool any;
	bool known;
	struct bid_history_entry found;
};

/* Entries of one CPU are considered in their order: equal ones are not before. */
static bool is_later(const struct bid_history_entry *entry, const struct bid_history_entry *than)
{
	return !than->pages || !is_before(entry->stamp, than->stamp);
}

static u32 execs_of(const struct bid_history_entry *entry)
{
	return entry->start_flags >> BID_HISTORY_EXECS_SHIFT & BID_HISTORY_EXECS;
}

/* In the time that is asked for, and before it in the same image. */
static bool is_in_time(const struct bid_history_query *query, const struct bid_history_entry *entry)
{
	if (query->since && bid_history_ticks(query->since, entry->stamp) < 0)
		return false;
	return !query->before ||
	       (is_before(entry->stamp, query->before) && execs_of(entry) == query->execs);
}

static void consider(struct search *search, const struct bid_history_entry *entry)
{
	struct bid_history_query *query = search->query;

	if (entry->tgid != query->tgid || !entry->pages)
		return;
	if (search->any && entry->start_time > query->start_time) {
		query->start_time = entry->start_time;
		search->known = false;
		search->found.pages = 0;
	}
	if (entry->start_time != query->start_time || !is_in_time(query, entry))
		return;
	search->known = true;
	if (query->addr < bid_history_start(entry) || query->addr >= bid_history_end(entry))
		return;
	if (is_later(entry, &search->found))
		search->found = *entry;
}

/**
 * bid_history_find() - find what a process had mapped at an address last
 * @query: what is looked for, and the answer
 *
 * Process context.
 *
 * Return: 0; -ESRCH when no mapping of the process is remembered; -ENOENT when none is
 * that has the address.
 */
int bid_history_find(struct bid_history_query *query)
{
	struct search search = { .query = query, .any = !query->start_time };
	const struct bid_history *history;
	struct bid_history_entry entry;
	u32 nr, i;
	int cpu;

	for_each_possible_cpu(cpu) {
		history = per_cpu_ptr(&bid_history, cpu);
		/* pairs with the second smp_wmb() in bid_history_add() */
		nr = smp_load_acquire(&history->next);
		for (i = BID_HISTORY_DEPTH - 1; i; i--)
			if (read_entry(history, nr - i, &entry))
				consider(&search, &entry);
		cond_resched();
	}
	if (!search.known)
		return -ESRCH;
	if (!search.found.pages)
		return -ENOENT;
	query->file_id = search.found.file_id;
	query->offset =
		query->addr - bid_history_start(&search.found) + (search.found.pgoff << PAGE_SHIFT);
	return 0;
}

/* The oldest one that can be read is older, or no slot was ever used again. */
static bool is_complete(const struct bid_history *history, u64 since)
{
	struct bid_history_entry oldest;
	u32 nr;

	do {
		/* pairs with the second smp_wmb() in bid_history_add() */
		nr = smp_load_acquire(&history->next) - (BID_HISTORY_DEPTH - 1);
	} while (!read_entry(history, nr, &oldest));
	return !oldest.pages || bid_history_ticks(oldest.stamp, since) > 0;
}

/**
 * bid_history_complete() - is every mapping remembered that was made since then?
 * @since: a stamp; its whole tick is meant
 *
 * To be asked after a search that found nothing: what was forgotten before the answer is
 * taken into account. Process context.
 */
bool bid_history_complete(u64 since)
{
	int cpu;

	for_each_possible_cpu(cpu)
		if (!is_complete(per_cpu_ptr(&bid_history, cpu), since))
			return false;
	return true;
}

/* In a cursor: which CPU, from 1 on, as 0 is the beginning; and the next entry there. */
static u64 cursor_at(int cpu, u32 nr)
{
	return (u64)(cpu + 1) << 32 | nr;
}

static bool is_wanted(const struct bid_history_entry *entry, pid_t tgid)
{
	return entry->file_id && (!tgid || entry->tgid == tgid);
}

/* From entry @nr of the CPU back to the oldest one; false when there is none. */
static bool find_back(int cpu, u32 *nr, pid_t tgid, struct bid_history_entry *entry)
{
	const struct bid_history *history = per_cpu_ptr(&bid_history, cpu);
	/* pairs with the second smp_wmb() in bid_history_add() */
	u32 next = smp_load_acquire(&history->next);

	/* not the slot that may be being written, whatever the caller made of the cursor */
	if (*nr == next)
		return false;
	while (read_entry(history, *nr, entry)) {
		--*nr;
		if (is_wanted(entry, tgid))
			return true;
	}
	return false;
}

/* The newest entry of a CPU. */
static u32 newest(int cpu)
{
	return smp_load_acquire(&per_cpu_ptr(&bid_history, cpu)->next) - 1; /* as above */
}

/**
 * bid_history_next() - walk through all that is remembered
 * @cursor: 0 to begin with; moved on, to BUILDID_MAPS_END behind the last one
 * @tgid: only of this process, in the initial pid namespace; 0 for all
 * @entry: set to the next mapping; @entry->file_id is 0 when there is no more
 *
 * CPU by CPU, the newest of each first. What is mapped meanwhile is not found, and what is
 * forgotten is left out, so that the walk ends. Process context.
 *
 * Return: 0; -EINVAL for a cursor that was not made here; -EINTR when the caller is being
 * killed.
 */
int bid_history_next(u64 *cursor, pid_t tgid, struct bid_history_entry *entry)
{
	u32 cpu = *cursor ? (*cursor >> 32) - 1 : cpumask_first(cpu_possible_mask);
	u32 nr = *cursor;

	if (cpu >= nr_cpu_ids || !cpu_possible(cpu))
		return -EINVAL;
	if (!*cursor)
		nr = newest(cpu);
	while (!find_back(cpu, &nr, tgid, entry)) {
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
		cpu = cpumask_next(cpu, cpu_possible_mask);
		if (cpu >= nr_cpu_ids) {
			*cursor = BUILDID_MAPS_END;
			entry->file_id = 0;
			return 0;
		}
		nr = newest(cpu);
	}
	*cursor = cursor_at(cpu, nr);
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
