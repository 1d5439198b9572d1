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
#include "lineage.h"

static LIST_HEAD(lineages);
static DEFINE_MUTEX(lineages_lock);

static void on_fork(void *data, struct task_struct *parent, struct task_struct *child)
{
	struct bid_lineage *lineage;

	if (child->tgid == parent->tgid)
		return;
	rcu_read_lock();
	list_for_each_entry_rcu(lineage, &lineages, node)
		if (bid_lineage_has(lineage, parent->tgid))
			set_bit(child->tgid, lineage->members);
		else
			clear_bit(child->tgid, lineage->members);
	rcu_read_unlock();
}

/* One round, so many children deep as the order of the list has it. */
static bool adopt_children(struct bid_lineage *lineage)
{
	struct task_struct *task;
	bool found = false;

	rcu_read_lock();
	for_each_process(task) {
		pid_t parent = rcu_dereference(task->real_parent)->tgid;

		if (bid_lineage_has(lineage, parent) &&
		    !test_and_set_bit(task->tgid, lineage->members))
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
static void adopt(struct bid_lineage *lineage)
{
	do
		synchronize_rcu();
	while (adopt_children(lineage));
}

/**
 * bid_lineage_start() - follow processes and all their descendants
 * @pids: processes
 * @n: how many
 *
 * Return: the set, or an ERR_PTR().
 */
struct bid_lineage *bid_lineage_start(struct pid **pids, u32 n)
{
	struct bid_lineage *lineage = kvcalloc(1, sizeof(*lineage), GFP_KERNEL_ACCOUNT);
	int err = 0;

	if (!lineage)
		return ERR_PTR(-ENOMEM);
	while (n--)
		set_bit(pid_nr(pids[n]), lineage->members);

	mutex_lock(&lineages_lock);
	if (list_empty(&lineages))
		err = bid_fork_watch(on_fork);
	if (!err)
		list_add_rcu(&lineage->node, &lineages);
	mutex_unlock(&lineages_lock);
	if (err) {
		kvfree(lineage);
		return ERR_PTR(err);
	}
	adopt(lineage);
	return lineage;
}

/**
 * bid_lineage_end() - of what bid_lineage_start() returned
 * @lineage: the set, or NULL
 */
void bid_lineage_end(struct bid_lineage *lineage)
{
	if (!lineage)
		return;
	mutex_lock(&lineages_lock);
	list_del_rcu(&lineage->node);
	if (list_empty(&lineages))
		bid_fork_unwatch(on_fork);
	mutex_unlock(&lineages_lock);
	synchronize_rcu();
	kvfree(lineage);
}
