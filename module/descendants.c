// SPDX-License-Identifier: GPL-2.0
/*
 * Each fork sets or clears the bit of the new process, to that of its parent. So a reused pid never
 * counts as the process that had it before, and exits need not be watched.
 *
 * Forks read the list of sets under RCU and change bits atomically. sets_lock, a mutex, serializes
 * adding and removing sets, and registers the tracepoint with the first set and unregisters it
 * with the last.
 */
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include "descendants.h"
#include "fork.h"

static LIST_HEAD(all_sets);
static DEFINE_MUTEX(sets_lock);

static void on_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	struct bid_descendants *descendants;

	if (child->tgid == parent->tgid)
		return;
	rcu_read_lock();
	list_for_each_entry_rcu(descendants, &all_sets, node)
		if (bid_descendants_has(descendants, parent->tgid))
			set_bit(child->tgid, descendants->members);
		else
			clear_bit(child->tgid, descendants->members);
	rcu_read_unlock();
}

/*
 * One pass over all processes. Returns whether it added a process that may already have children.
 * A process whose fork is in progress has none yet, and on_fork() will see it: without this
 * distinction, members that keep forking would keep us here.
 */
static bool adopt_children(struct bid_descendants *descendants)
{
	struct task_struct *task;
	bool found = false;

	rcu_read_lock();
	for_each_process(task) {
		pid_t parent = rcu_dereference(task->real_parent)->tgid;

		if (!bid_descendants_has(descendants, parent) ||
		    test_and_set_bit(task->tgid, descendants->members) ||
		    READ_ONCE(task->__state) == TASK_NEW)
			continue;
		/* once it has exited, the pid may be reused, and the bit be what on_fork() set */
		if (!pid_alive(task))
			clear_bit(task->tgid, descendants->members);
		found = true;
	}
	rcu_read_unlock();
	return found;
}

/*
 * Add the members' children that were forked before forks were followed. A fork in progress may
 * have seen its parent before the parent was added, and clear the child's bit after we set it. So
 * wait for such forks, and repeat until a pass finds nothing to add.
 */
static void descendants_adopt(struct bid_descendants *descendants)
{
	do
		synchronize_rcu();
	while (adopt_children(descendants));
}

/* Forks are already followed. The pid may have been reused since the process exited. */
static void descendants_add(struct bid_descendants *descendants, struct pid *pid)
{
	set_bit(pid_nr(pid), descendants->members);
	rcu_read_lock();
	if (!pid_task(pid, PIDTYPE_TGID))
		clear_bit(pid_nr(pid), descendants->members);
	rcu_read_unlock();
}

/**
 * bid_descendants_start() - follow processes and all their descendants
 * @pids: the processes
 * @n: number of processes
 *
 * Process context; takes sets_lock and waits for grace periods.
 *
 * Return: the set, to be ended by bid_descendants_end(), or an ERR_PTR().
 */
struct bid_descendants *bid_descendants_start(struct pid **pids, u32 n)
{
	struct bid_descendants *descendants = kvcalloc(1, sizeof(*descendants), GFP_KERNEL_ACCOUNT);
	int err = 0;

	if (!descendants)
		return ERR_PTR(-ENOMEM);

	mutex_lock(&sets_lock);
	if (list_empty(&all_sets))
		err = bid_fork_watch(on_fork);
	if (!err)
		list_add_rcu(&descendants->node, &all_sets);
	mutex_unlock(&sets_lock);
	if (err) {
		kvfree(descendants);
		return ERR_PTR(err);
	}
	while (n--)
		descendants_add(descendants, pids[n]);
	descendants_adopt(descendants);
	return descendants;
}

/**
 * bid_descendants_end() - stop following processes
 * @descendants: the set, or NULL
 *
 * The set must not be in use any more. Process context; waits for a grace period.
 */
void bid_descendants_end(struct bid_descendants *descendants)
{
	if (!descendants)
		return;
	mutex_lock(&sets_lock);
	list_del_rcu(&descendants->node);
	if (list_empty(&all_sets))
		bid_fork_unwatch(on_fork);
	mutex_unlock(&sets_lock);
	synchronize_rcu();
	kvfree(descendants);
}
