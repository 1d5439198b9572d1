/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The machine's last mappings, forks and execs. HISTORY returns them, and libbuildid uses them to
 * find what exited processes had mapped.
 */
#ifndef BID_HISTORY_H
#define BID_HISTORY_H

#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/sched.h>

#include <buildid.h>

#include "record.h"

/* Slots of a ring, a power of two. One of them may be in the middle of a write. */
#define BID_HISTORY_DEPTH 1024

/*
 * Each CPU has separate rings for mappings and for forks and execs, so that a server that keeps
 * forking does not push out the mappings of others.
 */
enum bid_history_ring {
	BID_HISTORY_MAPPINGS,
	BID_HISTORY_TASKS,
	BID_HISTORY_RINGS,
};

/* Flags of a vma that are remembered. They share a word with the address, and are below a page. */
#define BID_HISTORY_FLAGS (VM_READ | VM_WRITE | VM_EXEC | VM_MAYSHARE)
/* The type is between the flags and the address. */
#define BID_HISTORY_TYPE_SHIFT 8
#define BID_HISTORY_TYPE_MASK  0xf

/**
 * struct bid_history_slot - a mapping, fork or exec
 * @head: first address, BUILDID_RECORD_MMAP, _FORK or _EXEC, and BID_HISTORY_FLAGS of the vma or
 *	BUILDID_TASK_*; 0 in a slot that was never written
 * @pgoff: MMAP: offset of the first address in the file, in pages
 * @parent_start_time: FORK: of the process that forked
 * @file_id: MMAP: as in struct buildid_file; 0 if the mapping is UNRESOLVED
 * @start_time: of the process; FORK: of the new one
 * @time_perf: local_clock(), the cheapest clock that is the same on all CPUs
 * @pages: MMAP: length, saturated at 32 bits
 * @parent_tgid: FORK: the process that forked
 * @tgid: of the process, in the initial pid namespace
 * @comm: of the thread; may lack its NUL if it was being changed
 */
struct bid_history_slot {
	u64 head;
	union {
		u64 pgoff;
		u64 parent_start_time;
	};
	u64 file_id;
	u64 start_time;
	u64 time_perf;
	union {
		u32 pages;
		pid_t parent_tgid;
	};
	pid_t tgid;
	char comm[TASK_COMM_LEN];
} __aligned(64);

/**
 * struct bid_history - what happened on one CPU
 * @next: number of the next slot, ever increasing; the low bits are its index. This tells readers
 *	which slots were overwritten
 * @slots: BID_HISTORY_DEPTH of them
 */
struct bid_history {
	u32 next;
	struct bid_history_slot *slots;
};

DECLARE_PER_CPU(struct bid_history[BID_HISTORY_RINGS], bid_history);

static inline u16 bid_history_type(const struct bid_history_slot *slot)
{
	return slot->head >> BID_HISTORY_TYPE_SHIFT & BID_HISTORY_TYPE_MASK;
}

/* The caller fills in the rest of the slot before bid_history_end(). Preemption is off. */
static __always_inline struct bid_history_slot *bid_history_begin(struct bid_history *history,
								  u16 type, u64 head)
{
	struct bid_history_slot *slot;

	slot = &history->slots[history->next & (BID_HISTORY_DEPTH - 1)];
	smp_wmb(); /* @next before the slot that it invalidates; pairs with read_slot() */
	slot->head = head | type << BID_HISTORY_TYPE_SHIFT;
	return slot;
}

static __always_inline void bid_history_end(struct bid_history *history)
{
	smp_store_release(&history->next, history->next + 1); /* pairs with next_of() */
}

/**
 * bid_history_add() - remember a mapping
 * @vma: the mapping, in current's mm
 * @file_id: of the mapped file; 0 if UNRESOLVED, which still hides what was mapped there before
 * @time_perf: local_clock()
 *
 * Called by the hook for each mapping.
 *
 * Return: the file_id in the slot, for bid_history_correct().
 */
static __always_inline u64 *bid_history_add(const struct vm_area_struct *vma, u64 file_id,
					    u64 time_perf)
{
	struct bid_history *history = this_cpu_ptr(&bid_history[BID_HISTORY_MAPPINGS]);
	struct bid_history_slot *slot;

	slot = bid_history_begin(history, BUILDID_RECORD_MMAP,
				 vma->vm_start | (vma->vm_flags & BID_HISTORY_FLAGS));
	slot->pgoff = vma->vm_pgoff;
	WRITE_ONCE(slot->file_id, file_id);
	slot->start_time = bid_start_time(current);
	slot->time_perf = time_perf;
	slot->pages = min_t(u64, (vma->vm_end - vma->vm_start) >> PAGE_SHIFT, U32_MAX);
	slot->tgid = current->tgid;
	memcpy(slot->comm, current->comm, TASK_COMM_LEN);
	bid_history_end(history);
	return &slot->file_id;
}

/*
 * Change the file_id of a remembered mapping. file_ids are unique, so a slot that has been reused
 * is left alone. Not after bid_history_exit().
 */
static inline void bid_history_correct(u64 *slot, u64 old, u64 new)
{
	cmpxchg(slot, old, new);
}

int bid_history_init(void);
void bid_history_exit(void);

int bid_history_next(u64 *cursor, pid_t tgid, struct bid_history_slot *slot);
u64 bid_history_since(void);

#endif /* BID_HISTORY_H */
