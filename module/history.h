/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The last executable mappings of the machine, for questions about processes
 * that have exited.
 */
#ifndef BID_HISTORY_H
#define BID_HISTORY_H

#include <linux/jiffies.h>
#include <linux/mm_types.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/timex.h>

#include "record.h"

/* Mappings remembered on each processor, but for one; a power of two. */
#define BID_HISTORY_DEPTH 1024

/**
 * struct bid_history_entry - a mapping that was made
 * @start: first address
 * @end: the one after the last
 * @pgoff: in the file, of @start, in pages
 * @file_id: as in struct buildid_file
 * @start_time: of the process, tells it from others with its number
 * @tick: when: orders the mappings of a process among processors
 * @cycles: likewise, in the same tick: processors whose counters disagree can
 *	only be wrong there
 * @tgid: of the process, as the initial namespace counts
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
 * struct bid_history - those of a processor
 * @next: of the next one: counts on, as readers tell by it what was written over
 * @ring: BID_HISTORY_DEPTH of them
 */
struct bid_history {
	u32 next;
	struct bid_history_entry *ring;
};

DECLARE_PER_CPU(struct bid_history, bid_history);

/**
 * bid_history_add() - a mapping is made
 * @vma: it
 * @file_id: what it maps
 *
 * Preemption is off. A part of every mapping, so there is no clock: those of one
 * process are made one after the other, in the lock of its address space.
 */
static __always_inline void bid_history_add(const struct vm_area_struct *vma, u64 file_id)
{
	struct bid_history *history = this_cpu_ptr(&bid_history);
	u32 next = history->next;
	struct bid_history_entry *past = &history->ring[next & (BID_HISTORY_DEPTH - 1)];

	smp_wmb(); /* @next before what it warns of; pairs with read_entry() */
	past->start = vma->vm_start;
	past->end = vma->vm_end;
	past->pgoff = vma->vm_pgoff;
	past->file_id = file_id;
	past->start_time = bid_start_time(current);
	past->tick = READ_ONCE(jiffies);
	past->cycles = get_cycles();
	past->tgid = current->tgid;
	smp_store_release(&history->next, next + 1); /* pairs with read_entry() */
}

int bid_history_init(void);
void bid_history_exit(void);

int bid_history_find(pid_t tgid, u64 addr, u64 *start_time, u64 *file_id, u64 *offset);

#endif /* BID_HISTORY_H */
