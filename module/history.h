/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The last mappings that were made on the machine, so that RESOLVE_ADDR can answer for
 * processes that have exited.
 */
#ifndef BID_HISTORY_H
#define BID_HISTORY_H

#include <linux/jiffies.h>
#include <linux/mm_types.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/timex.h>

#include "record.h"

/* Slots for each CPU, a power of two. One of them may be being written. */
#define BID_HISTORY_DEPTH 1024

/**
 * struct bid_history_entry - a mapping that was made
 * @start: first address
 * @end: first address after it
 * @pgoff: offset of @start in the file, in pages
 * @file_id: as in struct buildid_file; 0 in a slot that was never written
 * @start_time: of the process, which tells it from others that had the same pid
 * @tick: jiffies when it was made: orders the mappings that a process made on several
 *	CPUs
 * @cycles: get_cycles() likewise, within a tick: where the counters of CPUs disagree,
 *	only the order within one tick can be wrong
 * @tgid: of the process, in the initial pid namespace
 */
struct bid_history_entry {
	u64 start;
	u64 end;
	u64 pgoff;
	u64 file_id;
	u64 start_time;
	unsigned long tick;
	u32 cycles;
	pid_t tgid;
} __aligned(64);

/**
 * struct bid_history - the mappings made on one CPU
 * @next: number of the next one. It counts on, and its low bits are the slot: so a
 *	reader can tell which slots were overwritten
 * @ring: BID_HISTORY_DEPTH slots
 */
struct bid_history {
	u32 next;
	struct bid_history_entry *ring;
};

DECLARE_PER_CPU(struct bid_history, bid_history);

/**
 * bid_history_add() - remember a mapping
 * @vma: the mapping, in current's mm
 * @file_id: of the mapped file
 *
 * Called by the hook for each mapping, so it reads no clock: one process makes its
 * mappings one after the other, under its mmap lock, and only their order is needed.
 */
static __always_inline void bid_history_add(const struct vm_area_struct *vma, u64 file_id)
{
	struct bid_history *history = this_cpu_ptr(&bid_history);
	u32 next = history->next;
	struct bid_history_entry *entry = &history->ring[next & (BID_HISTORY_DEPTH - 1)];

	smp_wmb(); /* @next before the slot it makes invalid; pairs with read_entry() */
	entry->start = vma->vm_start;
	entry->end = vma->vm_end;
	entry->pgoff = vma->vm_pgoff;
	entry->file_id = file_id;
	entry->start_time = bid_start_time(current);
	entry->tick = READ_ONCE(jiffies);
	entry->cycles = get_cycles();
	entry->tgid = current->tgid;
	smp_store_release(&history->next, next + 1); /* pairs with bid_history_find() */
}

int bid_history_init(void);
void bid_history_exit(void);

int bid_history_find(pid_t tgid, u64 addr, u64 *start_time, u64 *file_id, u64 *offset);

#endif /* BID_HISTORY_H */
