/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The last mappings that were made on the machine, so that RESOLVE_ADDR and HISTORY can
 * answer for processes that have exited.
 */
#ifndef BID_HISTORY_H
#define BID_HISTORY_H

#include <linux/jiffies.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/timex.h>

#include "record.h"

/* Slots for each CPU, a power of two. One of them may be being written. */
#define BID_HISTORY_DEPTH 1024

/*
 * Bits of a stamp below the jiffies, for cycles by so many powers of two: a tick may last for
 * long, where a hypervisor does not run the CPU that counts them. This is 0.8 s at 5 GHz, and
 * at the 24 MHz of some arm64 machines no longer than a system call takes.
 */
#define BID_HISTORY_CYCLES	 28
#define BID_HISTORY_CYCLES_SHIFT 5

/* Flags of a vma that are remembered: all below a page's size, as addresses are above. */
#define BID_HISTORY_FLAGS (VM_READ | VM_WRITE | VM_EXEC | VM_MAYSHARE)
/* Between these and the addresses: the low bits of how often the process has called exec. */
#define BID_HISTORY_EXECS_SHIFT 8
#define BID_HISTORY_EXECS	0xfU

/**
 * struct bid_history_entry - a mapping that was made
 * @start_flags: first address, BID_HISTORY_FLAGS of the vma, and bid_history_execs()
 * @pgoff: offset of the first address in the file, in pages
 * @file_id: as in struct buildid_file; 0 for a mapping that is UNRESOLVED
 * @start_time: of the process, which tells it from others that had the same pid
 * @stamp: jiffies when it was made, which order the mappings that a process made on
 *	several CPUs, and below them some bits of get_cycles(): where the counters of
 *	CPUs disagree, only the order within one tick can be wrong
 * @pages: mapped, as many as 32 bits can count; 0 in a slot that was never written
 * @tgid: of the process, in the initial pid namespace
 * @comm: of the thread; without a NUL when it was being changed
 */
struct bid_history_entry {
	u64 start_flags;
	u64 pgoff;
	u64 file_id;
	u64 start_time;
	u64 stamp;
	u32 pages;
	pid_t tgid;
	char comm[TASK_COMM_LEN];
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

static inline u64 bid_history_start(const struct bid_history_entry *entry)
{
	return entry->start_flags & PAGE_MASK;
}

/* First address after the mapping. */
static inline u64 bid_history_end(const struct bid_history_entry *entry)
{
	return bid_history_start(entry) + ((u64)entry->pages << PAGE_SHIFT);
}

/* A child has its parent's, until it calls exec itself. */
static __always_inline u32 bid_history_execs(const struct task_struct *task)
{
	return READ_ONCE(task->self_exec_id) & BID_HISTORY_EXECS;
}

/* Ticks from the one in @from to the one in @to; the counts may wrap. */
static inline s64 bid_history_ticks(u64 from, u64 to)
{
	const u64 cycles = BIT(BID_HISTORY_CYCLES) - 1;

	return (s64)((to & ~cycles) - (from & ~cycles)) >> BID_HISTORY_CYCLES;
}

static __always_inline u64 bid_history_stamp(unsigned long tick, u64 cycles)
{
	cycles = cycles >> BID_HISTORY_CYCLES_SHIFT & (BIT(BID_HISTORY_CYCLES) - 1);
	return (u64)tick << BID_HISTORY_CYCLES | cycles;
}

/**
 * bid_history_add() - remember a mapping
 * @vma: the mapping, in current's mm
 * @file_id: of the mapped file; 0 when UNRESOLVED, as it is over what was there before
 *
 * Called by the hook for each mapping, so it takes no time but jiffies and the cycle
 * counter: one process makes its mappings one after the other, under its mmap lock, and
 * within a tick only their order is needed.
 */
static __always_inline u64 *bid_history_add(const struct vm_area_struct *vma, u64 file_id, u64 now)
{
	u32 next = __this_cpu_read(bid_history.next);
	struct bid_history_entry *ring = __this_cpu_read(bid_history.ring);
	struct bid_history_entry *entry = &ring[next & (BID_HISTORY_DEPTH - 1)];

	smp_wmb(); /* @next before the slot it makes invalid; pairs with read_entry() */
	entry->start_flags = vma->vm_start | (vma->vm_flags & BID_HISTORY_FLAGS) |
			     bid_history_execs(current) << BID_HISTORY_EXECS_SHIFT;
	entry->pgoff = vma->vm_pgoff;
	entry->file_id = file_id;
	entry->start_time = bid_start_time(current);
	entry->stamp = bid_history_stamp(READ_ONCE(jiffies), get_cycles());
	entry->pages = min_t(u64, (vma->vm_end - vma->vm_start) >> PAGE_SHIFT, U32_MAX);
	entry->tgid = current->tgid;
	memcpy(entry->comm, current->comm, TASK_COMM_LEN);
	smp_wmb(); /* the slot before @next; pairs with the acquire of bid_history_find() */
	__this_cpu_write(bid_history.next, next + 1);
	return &entry->file_id;
}

/* The file turned out to have had a file_id already; file_ids are unique. */
static inline void bid_history_correct(u64 *slot, u64 old, u64 new)
{
	cmpxchg(slot, old, new);
}

/**
 * struct bid_history_query - what a process had mapped at an address last
 * @tgid: the process, in the initial pid namespace
 * @addr: the address
 * @start_time: in: which process of those that had @tgid, 0 for the last of them; out:
 *	its own, also with -ENOENT
 * @before: only what it mapped before this stamp, with @execs; 0 for everything
 * @since: only what it mapped in the tick of this stamp or later; 0 for everything
 * @execs: bid_history_execs() of the image that had mapped it, where @before is not 0
 * @file_id: out: of the mapped file; 0 when that is not known
 * @offset: out: of @addr in the file
 */
struct bid_history_query {
	pid_t tgid;
	u64 addr;
	u64 start_time;
	u64 before;
	u64 since;
	u32 execs;
	u64 file_id;
	u64 offset;
};

int bid_history_init(void);
void bid_history_exit(void);

u64 bid_history_age(const struct bid_history_entry *entry);
int bid_history_find(struct bid_history_query *query);
bool bid_history_complete(u64 since);
int bid_history_next(u64 *cursor, pid_t tgid, struct bid_history_entry *entry);

#endif /* BID_HISTORY_H */
