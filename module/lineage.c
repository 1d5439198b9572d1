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
#include <linux/tracepoint.h>

#include "lineage.h"

static LIST_HEAD(lineages);
static DEFINE_MUTEX(lineages_lock);
static struct tracepoint *fork_tracepoint;

static void on_fork(void *data, struct task_struct *parent,
		    struct task_struct *child)
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

static void match_fork(struct tracepoint *tracepoint, void *data)
{
	if (!strcmp(tracepoint->name, "sched_process_fork"))
		fork_tracepoint = tracepoint;
}

static int watch_forks(void)
{
	fork_tracepoint = NULL;
	for_each_kernel_tracepoint(match_fork, NULL);
	if (!fork_tracepoint)
		return -EOPNOTSUPP;
	return tracepoint_probe_register(fork_tracepoint, on_fork, NULL);
}

static void unwatch_forks(void)
{
	tracepoint_probe_unregister(fork_tracepoint, on_fork, NULL);
	tracepoint_synchronize_unregister();
}

/* Members' children that were there before forks were followed. */
static void adopt(struct bid_lineage *lineage)
{
	struct task_struct *task;
	bool found;

	do {
		found = false;
		rcu_read_lock();
		for_each_process(task) {
			pid_t parent = rcu_dereference(task->real_parent)->tgid;

			if (bid_lineage_has(lineage, parent) &&
			    !test_and_set_bit(task->tgid, lineage->members))
				found = true;
		}
		rcu_read_unlock();
	} while (found);
}

/**
 * bid_lineage_init() - a set of processes and all their descendants
 * @lineage: the set
 * @pids: processes
 * @n: how many
 *
 * Return: 0 or -errno.
 */
int bid_lineage_init(struct bid_lineage *lineage, struct pid **pids, u32 n)
{
	int err = 0;

	lineage->members = kvcalloc(BITS_TO_LONGS(PID_MAX_LIMIT),
				    sizeof(*lineage->members), GFP_KERNEL_ACCOUNT);
	if (!lineage->members)
		return -ENOMEM;
	while (n--)
		set_bit(pid_nr(pids[n]), lineage->members);

	mutex_lock(&lineages_lock);
	if (list_empty(&lineages))
		err = watch_forks();
	if (!err)
		list_add_rcu(&lineage->node, &lineages);
	mutex_unlock(&lineages_lock);
	if (err) {
		kvfree(lineage->members);
		return err;
	}
	adopt(lineage);
	return 0;
}

void bid_lineage_exit(struct bid_lineage *lineage)
{
	mutex_lock(&lineages_lock);
	list_del_rcu(&lineage->node);
	if (list_empty(&lineages))
		unwatch_forks();
	mutex_unlock(&lineages_lock);
	synchronize_rcu();
	kvfree(lineage->members);
}
