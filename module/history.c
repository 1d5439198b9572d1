// SPDX-License-Identifier: GPL-2.0
/*
 * Each CPU has rings that only it writes to, with preemption off: from the hook, and from the
 * tracepoints of fork and exec. So there is no lock. Readers copy a slot and then check whether it
 * has been overwritten meanwhile, as with a seqcount.
 */
#include <linux/sched/clock.h>
#include <linux/sched/signal.h>
#include <linux/vmalloc.h>

#include "fork.h"
#include "history.h"

DEFINE_PER_CPU(struct bid_history[BID_HISTORY_RINGS], bid_history);

/* @task: current, or the leader of a new process. */
static struct bid_history_slot *begin_task(struct bid_history *history, u16 type, u32 flags,
					   const struct task_struct *task)
{
	struct bid_history_slot *slot = bid_history_begin(history, type, flags);

	slot->start_time = bid_start_time(task);
	slot->time_perf = local_clock();
	slot->tgid = task->tgid;
	memcpy(slot->comm, task->comm, TASK_COMM_LEN);
	return slot;
}

static void on_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	u32 flags = child->mm == parent->mm ? BUILDID_TASK_SHARES_MM : 0;
	struct bid_history *history;
	struct bid_history_slot *slot;

	/* no threads, no kernel threads */
	if (child->tgid == parent->tgid || !child->mm)
		return;
	history = get_cpu_ptr(&bid_history[BID_HISTORY_TASKS]);
	slot = begin_task(history, BUILDID_RECORD_FORK, flags, child);
	slot->parent_start_time = bid_start_time(parent);
	slot->parent_tgid = parent->tgid;
	bid_history_end(history);
	put_cpu_ptr(&bid_history[BID_HISTORY_TASKS]);
}

static void on_exec(void *data, struct task_struct *task, pid_t old_pid, struct linux_binprm *bprm)
{
	struct bid_history *history = get_cpu_ptr(&bid_history[BID_HISTORY_TASKS]);

	begin_task(history, BUILDID_RECORD_EXEC, 0, task);
	bid_history_end(history);
	put_cpu_ptr(&bid_history[BID_HISTORY_TASKS]);
}

/* All slots before it are complete, though the oldest may have been overwritten. */
static u32 next_of(const struct bid_history *history)
{
	return smp_load_acquire(&history->next); /* pairs with bid_history_end() */
}

/* @nr is before next_of(). Returns false if the slot may have been overwritten meanwhile. */
static bool read_slot(const struct bid_history *history, u32 nr, struct bid_history_slot *to)
{
	*to = history->slots[nr & (BID_HISTORY_DEPTH - 1)];
	smp_rmb(); /* pairs with bid_history_begin() */
	return READ_ONCE(history->next) - nr < BID_HISTORY_DEPTH;
}

/* Rings are numbered from 1, so that only the initial cursor is 0. */
static u32 cpu_of(u32 number)
{
	return (number - 1) / BID_HISTORY_RINGS;
}

static struct bid_history *ring_at(u32 number)
{
	return per_cpu_ptr(&bid_history[(number - 1) % BID_HISTORY_RINGS], cpu_of(number));
}

static bool is_ring(u32 number)
{
	return number && cpu_of(number) < nr_cpu_ids && cpu_possible(cpu_of(number));
}

/* 0 after the last one. */
static u32 ring_after(u32 number)
{
	while (++number <= nr_cpu_ids * BID_HISTORY_RINGS)
		if (is_ring(number))
			return number;
	return 0;
}

/* Search from slot @nr back to the oldest; false if nothing matches. */
static bool find_back(const struct bid_history *history, u32 *nr, pid_t tgid,
		      struct bid_history_slot *slot)
{
	/* user space may pass any cursor, even that of the slot being written */
	if (next_of(history) - *nr - 1 >= BID_HISTORY_DEPTH - 1)
		return false;
	while (read_slot(history, *nr, slot) && bid_history_type(slot)) {
		--*nr;
		if (!tgid || slot->tgid == tgid)
			return true;
	}
	return false;
}

/**
 * bid_history_next() - walk through everything remembered
 * @cursor: 0 to begin; advanced, to BUILDID_MAPS_END after the last one
 * @tgid: only this process, in the initial pid namespace; 0 for all
 * @slot: set to a copy of the next slot
 *
 * Ring by ring, newest first. The walk skips what is added or overwritten meanwhile, so it ends.
 * Process context.
 *
 * Return: 1; 0 after the last one; -EINVAL for an invalid cursor; -EINTR when the caller is being
 * killed.
 */
int bid_history_next(u64 *cursor, pid_t tgid, struct bid_history_slot *slot)
{
	u32 number = *cursor ? *cursor >> 32 : ring_after(0);
	u32 nr = *cursor ? *cursor : next_of(ring_at(number)) - 1;

	if (!is_ring(number))
		return -EINVAL;
	while (!find_back(ring_at(number), &nr, tgid, slot)) {
		if (fatal_signal_pending(current))
			return -EINTR;
		cond_resched();
		number = ring_after(number);
		if (!number) {
			*cursor = BUILDID_MAPS_END;
			return 0;
		}
		nr = next_of(ring_at(number)) - 1;
	}
	*cursor = (u64)number << 32 | nr;
	return 1;
}

/* The time of the oldest readable slot, 0 if none has been overwritten. */
static u64 history_oldest(const struct bid_history *history)
{
	struct bid_history_slot slot;
	u32 nr;

	do {
		nr = next_of(history) - (BID_HISTORY_DEPTH - 1);
	} while (!read_slot(history, nr, &slot));
	return bid_history_type(&slot) ? slot.time_perf : 0;
}

/**
 * bid_history_since() - the time from which on everything is remembered
 *
 * Call it after a walk, so that it covers what was overwritten meanwhile. Process context.
 *
 * Return: a time of local_clock(), 0 if nothing was overwritten.
 */
u64 bid_history_since(void)
{
	u64 since = 0;
	u32 number;

	for (number = ring_after(0); number; number = ring_after(number))
		since = max(since, history_oldest(ring_at(number)));
	return since;
}

static void free_rings(void)
{
	struct bid_history *history;
	u32 number;

	for (number = ring_after(0); number; number = ring_after(number)) {
		history = ring_at(number);
		vfree(history->slots);
		history->slots = NULL;
	}
}

/* Return: 0 or -errno. May sleep. */
int bid_history_init(void)
{
	struct bid_history *history;
	u32 number;
	int err;

	BUILD_BUG_ON(sizeof(struct bid_history_slot) != 64);
	for (number = ring_after(0); number; number = ring_after(number)) {
		history = ring_at(number);
		history->slots =
			vzalloc_node(array_size(BID_HISTORY_DEPTH, sizeof(*history->slots)),
				     cpu_to_node(cpu_of(number)));
		if (!history->slots) {
			err = -ENOMEM;
			goto err_free;
		}
	}
	/* before fork: if a process's fork is remembered, so are its execs */
	err = bid_exec_watch(on_exec);
	if (err)
		goto err_free;
	err = bid_fork_watch(on_fork);
	if (err)
		goto err_exec;
	return 0;

err_exec:
	bid_exec_unwatch(on_exec);
err_free:
	free_rings();
	return err;
}

/* The hook is gone, and file_ids are not corrected any more. */
void bid_history_exit(void)
{
	bid_fork_unwatch(on_fork);
	bid_exec_unwatch(on_exec);
	free_rings();
}
