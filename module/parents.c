// SPDX-License-Identifier: GPL-2.0
/*
 * A ring for each CPU, as that of history.c, and apart from it: a server that forks
 * without end must not make the module forget what others had mapped.
 *
 * Whether a process has called exec since its fork is kept apart from both rings, as its
 * slots may be gone: by the low bits of its number, when a process with these has called
 * exec last. So an exec is never forgotten. Another process's may be taken for it, which
 * costs an answer, but numbers with the same low bits are far from each other.
 */
#include <linux/cpumask.h>
#include <linux/log2.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/vmalloc.h>

#include "fork.h"
#include "history.h"
#include "parents.h"

/* Slots for each CPU, a power of two. One of them may be being written. */
#define DEPTH 1024

/* As many numbers pass while all rings are filled anew, and again. */
#define EXECS_PER_CPU (2 * DEPTH)

/**
 * struct parents - the forks made on one CPU
 * @next: number of the next one, as in struct bid_history
 * @ring: DEPTH slots
 */
struct parents {
	u32 next;
	struct bid_parent *ring;
};

static DEFINE_PER_CPU(struct parents, parents);

/* Stamps of execs, without cycles and never 0, by the low bits of the process's number. */
static u64 *execs;
static u32 execs_mask;

static void on_exec(void *data, struct task_struct *task, pid_t old_pid, struct linux_binprm *bprm)
{
	u64 stamp = bid_history_stamp(READ_ONCE(jiffies), U64_MAX);
	u64 *slot = &execs[task->tgid & execs_mask], last = READ_ONCE(*slot);

	/* another process's may be newer: an interrupt may have come since jiffies was read */
	while ((!last || bid_history_ticks(last, stamp) > 0) && !try_cmpxchg(slot, &last, stamp))
		cpu_relax();
}

static void on_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	struct bid_parent *entry;
	struct parents *here;
	u32 next;

	/* a thread; a kernel thread */
	if (child->tgid == parent->tgid || !child->mm)
		return;
	preempt_disable();
	here = this_cpu_ptr(&parents);
	next = here->next;
	entry = &here->ring[next & (DEPTH - 1)];
	smp_wmb(); /* @next before the slot it makes invalid; pairs with read_entry() */
	entry->start_time = child->start_boottime;
	entry->parent_start_time = parent->group_leader->start_boottime;
	entry->stamp = bid_history_stamp(READ_ONCE(jiffies), get_cycles());
	entry->tgid = child->tgid;
	entry->parent_tgid = parent->tgid;
	entry->execs = bid_history_execs(child);
	smp_store_release(&here->next, next + 1); /* pairs with bid_parents_find() */
	preempt_enable();
}

/* False when the slot was, or may have been, overwritten while it was copied. */
static bool read_entry(const struct parents *from, u32 nr, struct bid_parent *to)
{
	*to = from->ring[nr & (DEPTH - 1)];
	smp_rmb(); /* pairs with the smp_wmb() in on_fork() */
	return READ_ONCE(from->next) - nr < DEPTH;
}

/**
 * bid_parents_find() - find the fork that made a process
 * @tgid: of the process, in the initial pid namespace
 * @start_time: which process of those that had @tgid, 0 for the last of them
 * @parent: set to the fork
 *
 * Process context.
 *
 * Return: whether it is remembered.
 */
bool bid_parents_find(pid_t tgid, u64 start_time, struct bid_parent *parent)
{
	const struct parents *from;
	struct bid_parent entry;
	bool found = false;
	u32 nr, i;
	int cpu;

	for_each_possible_cpu(cpu) {
		from = per_cpu_ptr(&parents, cpu);
		nr = smp_load_acquire(&from->next); /* pairs with the release in on_fork() */
		for (i = DEPTH - 1; i; i--) {
			if (!read_entry(from, nr - i, &entry) || entry.tgid != tgid || !tgid)
				continue;
			if (start_time ? entry.start_time != start_time :
					 found && entry.start_time < parent->start_time)
				continue;
			*parent = entry;
			found = true;
		}
		cond_resched();
	}
	return found;
}

/**
 * bid_parents_exec_since() - may a process have called exec?
 * @tgid: of the process, in the initial pid namespace
 * @since: stamp of a fork that was found: of the process, or by it
 *
 * Return: false when it certainly has not, in the tick of @since and later.
 */
bool bid_parents_exec_since(pid_t tgid, u64 since)
{
	u64 stamp = READ_ONCE(execs[tgid & execs_mask]);

	return stamp && bid_history_ticks(since, stamp) >= 0;
}

static void free_all(void)
{
	int cpu;

	vfree(execs);
	execs = NULL;
	for_each_possible_cpu(cpu) {
		vfree(per_cpu_ptr(&parents, cpu)->ring);
		per_cpu_ptr(&parents, cpu)->ring = NULL;
	}
}

/* Return: 0 or -errno. May sleep. */
int bid_parents_init(void)
{
	u32 slots = roundup_pow_of_two(num_possible_cpus()) * EXECS_PER_CPU;
	struct parents *here;
	int cpu, err = 0;

	execs_mask = slots - 1;
	execs = vzalloc(array_size(slots, sizeof(*execs)));
	if (!execs)
		err = -ENOMEM;
	for_each_possible_cpu(cpu) {
		here = per_cpu_ptr(&parents, cpu);
		here->ring = vzalloc_node(array_size(DEPTH, sizeof(*here->ring)), cpu_to_node(cpu));
		if (!here->ring)
			err = -ENOMEM;
	}
	/* before the forks, as one that is remembered vouches for what came after it */
	err = err ?: bid_exec_watch(on_exec);
	if (err)
		goto err_free;
	err = bid_fork_watch(on_fork);
	if (err)
		goto err_exec;
	return 0;

err_exec:
	bid_exec_unwatch(on_exec);
err_free:
	free_all();
	return err;
}

void bid_parents_exit(void)
{
	bid_fork_unwatch(on_fork);
	bid_exec_unwatch(on_exec);
	free_all();
}
