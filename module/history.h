/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The last mappings, forks and execs of the machine. HISTORY hands them out, and libbuildid
 * finds in them what processes had mapped that have exited.
 */
#ifndef BID_HISTORY_H
#define BID_HISTORY_H

#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/sched.h>

#include <buildid.h>

#include "record.h"

/* Slots of a ring, a power of two. One of them may be being written. */
#define BID_HISTORY_DEPTH 1024

/*
 * Each CPU has a ring for mappings, and one for forks and execs: a server that forks without
 * end must not make the module forget what others had mapped. Nothing else differs.
 */
enum bid_history_ring {
	BID_HISTORY_MAPPINGS,
	BID_HISTORY_TASKS,
	BID_HISTORY_RINGS,
};

/* Flags of a vma that are remembered: all below a page's size, as addresses are above. */
#define BID_HISTORY_FLAGS (VM_READ | VM_WRITE | VM_EXEC | VM_MAYSHARE)
/* Between these and the addresses: the type. */
#define BID_HISTORY_TYPE_SHIFT 8
#define BID_HISTORY_TYPE_MASK  0xf

/**
 * struct bid_history_slot - something that happened
 * @head: first address, BUILDID_RECORD_MMAP, _FORK or _EXEC, and BID_HISTORY_FLAGS of the vma or
 *	BUILDID_TASK_*; 0 in a slot that was never written
 * @pgoff: MMAP: offset of the first address in the file, in pages
 * @parent_start_time: FORK: of the process that forked
 * @file_id: MMAP: as in struct buildid_file; 0 for a mapping that is UNRESOLVED
 * @start_time: of the process, with FORK of the new one
 * @time_perf: local_clock(), the cheapest clock that all CPUs have in common
 * @pages: MMAP: mapped, as many as 32 bits can count
 * @parent_tgid: FORK: the process that forked
 * @tgid: of the process, in the initial pid namespace
 * @comm: of the thread; without a NUL when it was being changed
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
 * @next: number of the next slot. It counts on, and its low bits are the slot: so a
 *	reader can tell which ones were overwritten
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

/* The caller fills in what is left of the slot before bid_history_end(). Preemption is off. */
static __always_inline struct bid_history_slot *bid_history_begin(struct bid_history *history,
								  u16 type, u64 head)
{
	struct bid_history_slot *slot;

	slot = &history->slots[history->next & (BID_HISTORY_DEPTH - 1)];
	smp_wmb(); /* @next before the slot it makes invalid; pairs with read_slot() */
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
 * @file_id: of the mapped file; 0 when UNRESOLVED, as it is over what was there before
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
 * Another file_id for a mapping that is remembered. No two files have the same, so that a slot
 * that was used again since is left as it is. Not after bid_history_exit().
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
