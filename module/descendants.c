// SPDX-License-Identifier: GPL-2.0
/*
 * Every fork says of the new number whether it is a member, one way or the
 * other. So a number that is used again is never taken for its former owner,
 * and no exit has to be watched.
 */
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include "fork.h"
#include "descendants.h"

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

/* One round, so many children deep as the order of the list has it. */
static bool adopt_children(struct bid_descendants *descendants)
{
	struct task_struct *task;
	bool found = false;

	rcu_read_lock();
	for_each_process(task) {
		pid_t parent = rcu_dereference(task->real_parent)->tgid;

		if (bid_descendants_has(descendants, parent) &&
		    !test_and_set_bit(task->tgid, descendants->members))
			found = true;
	}
	rcu_read_unlock();
	return found;
}

/*
 * Members' children that were there before forks were followed. A fork under way
 * may have found that the parent is none, and say so of its child after it was
 * adopted: so such forks are waited for, and one round must find nothing to do.
 */
static void adopt(struct bid_descendants *descendants)
{
	do
		synchronize_rcu();
	while (adopt_children(descendants));
}

/**
 * bid_descendants_start() - follow processes and all their descendants
 * @pids: processes
 * @n: how many
 *
 * Return: the set, or an ERR_PTR().
 */
struct bid_descendants *bid_descendants_start(struct pid **pids, u32 n)
{
	struct bid_descendants *descendants = kvcalloc(1, sizeof(*descendants), GFP_KERNEL_ACCOUNT);
	int err = 0;

	if (!descendants)
		return ERR_PTR(-ENOMEM);
	while (n--)
		set_bit(pid_nr(pids[n]), descendants->members);

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
	adopt(descendants);
	return descendants;
}

/**
 * bid_descendants_end() - of what bid_descendants_start() returned
 * @descendants: the set, or NULL
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
