// SPDX-License-Identifier: GPL-2.0
/*
 * Each fork sets or clears the bit of the new process, as the parent's is. So a pid that
 * is used again is never taken for its former owner, and exits need not be watched.
 *
 * Forks read the list of sets under RCU and change bits atomically. sets_lock, a mutex,
 * serializes those that add and remove sets, and with the first and the last of them the
 * tracepoint.
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
 * One pass over all processes. Returns whether it found a member that was none, and may
 * have children: one whose fork is under way has none, and on_fork() is still to come.
 * Members that go on forking would otherwise keep us here.
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
		/* its number may be another's by now, whom on_fork() saw before the bit was set */
		if (!pid_alive(task))
			clear_bit(task->tgid, descendants->members);
		found = true;
	}
	rcu_read_unlock();
	return found;
}

/*
 * Add the members' children that were forked before forks were followed. A fork that is
 * under way may have found that the parent is no member yet, and clear the bit of its
 * child after it was set here. So wait for such forks, and pass over all processes until
 * a pass finds nothing to add.
 */
static void descendants_adopt(struct bid_descendants *descendants)
{
	do
		synchronize_rcu();
	while (adopt_children(descendants));
}

/* Forks are followed already. The number of one that has exited may be another's. */
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
 * @n: how many
 *
 * Process context; takes sets_lock and waits for grace periods.
 *
 * Return: the set, or an ERR_PTR(); undone by bid_descendants_end().
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
 * Nothing uses the set any more. Process context; waits for a grace period.
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
