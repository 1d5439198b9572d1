// SPDX-License-Identifier: GPL-2.0
/*
 * Sets of processes: forks as the tracepoint reports them, and real processes.
 */
#include <kunit/test.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "fork.h"
#include "descendants.h"

#include "alloc.h"

#include "fork.c"
#include "descendants.c"

/* Pids that no process has: they are not that high. */
#define FIRST (PID_MAX_LIMIT - 100)

static void end_descendants(void *descendants)
{
	bid_descendants_end(descendants);
}

/* Follows one process, or none. */
static struct bid_descendants *follow(struct kunit *test, struct pid *pid)
{
	struct bid_descendants *descendants = bid_descendants_start(&pid, !!pid);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, descendants);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, end_descendants, descendants), 0);
	return descendants;
}

static struct task_struct *make_task(struct kunit *test)
{
	struct task_struct *task = kunit_kzalloc(test, sizeof(*task), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, task);
	return task;
}

/* A fork as the tracepoint reports it: the parent's pid, and the new one. */
static void forked(struct kunit *test, pid_t parent, pid_t child)
{
	struct task_struct *from = make_task(test), *to = make_task(test);

	from->tgid = parent;
	to->tgid = child;
	on_fork(NULL, from, to);
	kunit_kfree(test, from);
	kunit_kfree(test, to);
}

static void has_who_it_was_made_of(struct kunit *test)
{
	struct bid_descendants *descendants = follow(test, task_tgid(current));

	KUNIT_EXPECT_TRUE(test, bid_descendants_has(descendants, current->tgid));
	KUNIT_EXPECT_FALSE(test, bid_descendants_has(descendants, 1));
	KUNIT_EXPECT_FALSE(test, bid_descendants_has(descendants, FIRST));
	KUNIT_EXPECT_FALSE(test, bid_descendants_has(descendants, PID_MAX_LIMIT - 1));
}

static void includes_children_and_theirs(struct kunit *test)
{
	struct bid_descendants *descendants = follow(test, task_tgid(current));

	forked(test, current->tgid, FIRST);
	forked(test, FIRST, FIRST + 1);
	forked(test, FIRST + 1, PID_MAX_LIMIT - 1);
	forked(test, 1, FIRST + 2);
	forked(test, FIRST + 2, FIRST + 3);
	KUNIT_EXPECT_TRUE(test, bid_descendants_has(descendants, FIRST));
	KUNIT_EXPECT_TRUE(test, bid_descendants_has(descendants, FIRST + 1));
	KUNIT_EXPECT_TRUE(test, bid_descendants_has(descendants, PID_MAX_LIMIT - 1));
	KUNIT_EXPECT_FALSE(test, bid_descendants_has(descendants, FIRST + 2));
	KUNIT_EXPECT_FALSE(test, bid_descendants_has(descendants, FIRST + 3));
}

static void ignores_threads(struct kunit *test)
{
	struct bid_descendants *descendants = follow(test, task_tgid(current));

	forked(test, current->tgid, FIRST);
	forked(test, FIRST, FIRST);
	forked(test, FIRST + 1, FIRST + 1);
	KUNIT_EXPECT_TRUE(test, bid_descendants_has(descendants, FIRST));
	KUNIT_EXPECT_FALSE(test, bid_descendants_has(descendants, FIRST + 1));
}

static void forgets_a_number_that_another_process_gets(struct kunit *test)
{
	struct bid_descendants *descendants = follow(test, task_tgid(current));

	forked(test, current->tgid, FIRST);
	forked(test, 1, FIRST);
	KUNIT_EXPECT_FALSE(test, bid_descendants_has(descendants, FIRST));
	forked(test, FIRST, FIRST + 1);
	KUNIT_EXPECT_FALSE(test, bid_descendants_has(descendants, FIRST + 1));
}

static void sets_do_not_mix(struct kunit *test)
{
	struct bid_descendants *of_self = follow(test, task_tgid(current));
	struct bid_descendants *of_init = follow(test, find_vpid(1));
	struct bid_descendants *of_none = follow(test, NULL);

	forked(test, current->tgid, FIRST);
	forked(test, 1, FIRST + 1);
	KUNIT_EXPECT_TRUE(test, bid_descendants_has(of_self, FIRST));
	KUNIT_EXPECT_FALSE(test, bid_descendants_has(of_self, FIRST + 1));
	KUNIT_EXPECT_FALSE(test, bid_descendants_has(of_init, FIRST));
	KUNIT_EXPECT_TRUE(test, bid_descendants_has(of_init, FIRST + 1));
	KUNIT_EXPECT_FALSE(test, bid_descendants_has(of_none, FIRST));
	KUNIT_EXPECT_FALSE(test, bid_descendants_has(of_none, FIRST + 1));
}

static void keeps_the_others_when_one_ends(struct kunit *test)
{
	struct bid_descendants *first = follow(test, task_tgid(current));
	struct bid_descendants *second = follow(test, task_tgid(current));

	kunit_release_action(test, end_descendants, first);
	forked(test, current->tgid, FIRST);
	KUNIT_EXPECT_TRUE(test, bid_descendants_has(second, FIRST));
}

/* All kernel threads are children of kthreadd. */
static struct pid *starter(struct kunit *test)
{
	struct pid *pid = find_get_pid(2);

	KUNIT_ASSERT_NOT_NULL(test, pid);
	put_pid(pid);
	return pid;
}

static int wait_for_stop(void *unused)
{
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

static struct task_struct *start_child(struct kunit *test)
{
	struct task_struct *task = kthread_run(wait_for_stop, NULL, "buildid_kunit");

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, task);
	return task;
}

static void includes_children_that_were_there_before(struct kunit *test)
{
	struct task_struct *task = start_child(test);
	struct bid_descendants *descendants = follow(test, starter(test));

	KUNIT_EXPECT_TRUE(test, bid_descendants_has(descendants, task->tgid));
	KUNIT_EXPECT_FALSE(test, bid_descendants_has(descendants, 1));
	kthread_stop(task);
}

static void includes_processes_that_start(struct kunit *test)
{
	struct bid_descendants *descendants = follow(test, starter(test));
	struct bid_descendants *of_none = follow(test, NULL);
	struct task_struct *task = start_child(test);

	KUNIT_EXPECT_TRUE(test, bid_descendants_has(descendants, task->tgid));
	KUNIT_EXPECT_FALSE(test, bid_descendants_has(of_none, task->tgid));
	kthread_stop(task);
}

static bool forks_are_watched(void)
{
	return rcu_access_pointer(find_tracepoint(FORK)->funcs);
}

static void watches_forks_only_while_there_is_a_set(struct kunit *test)
{
	struct bid_descendants *first, *second;
	/* by the module itself, where both are built in */
	bool before = forks_are_watched();

#ifdef MODULE
	KUNIT_EXPECT_FALSE(test, before);
#endif
	KUNIT_EXPECT_TRUE(test, list_empty(&all_sets));
	first = follow(test, task_tgid(current));
	KUNIT_ASSERT_NOT_NULL(test, find_tracepoint(FORK));
	KUNIT_EXPECT_TRUE(test, forks_are_watched());
	second = follow(test, task_tgid(current));
	kunit_release_action(test, end_descendants, first);
	KUNIT_EXPECT_TRUE(test, forks_are_watched());
	kunit_release_action(test, end_descendants, second);
	KUNIT_EXPECT_EQ(test, forks_are_watched(), before);
	KUNIT_EXPECT_TRUE(test, list_empty(&all_sets));
}

static void gives_its_memory_back(struct kunit *test)
{
	struct bid_descendants *descendants = follow(test, task_tgid(current));

	KUNIT_EXPECT_EQ(test, atomic_read(&alloc.held), 1);
	kunit_release_action(test, end_descendants, descendants);
	KUNIT_EXPECT_EQ(test, atomic_read(&alloc.held), 0);
}

static void says_so_when_there_is_no_memory(struct kunit *test)
{
	struct pid *pid = task_tgid(current);
	struct bid_descendants *descendants;

	alloc_expect(1);
	descendants = bid_descendants_start(&pid, 1);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(descendants), -ENOMEM);
	alloc_expect(0);
	KUNIT_EXPECT_EQ(test, atomic_read(&alloc.held), 0);
	KUNIT_EXPECT_TRUE(test, list_empty(&all_sets));
	/* what a subscriber without one has */
	bid_descendants_end(NULL);
}

/* ------------------------------------------------------------- tracepoints -- */

static void finds_tracepoints_by_name(struct kunit *test)
{
	KUNIT_EXPECT_NOT_NULL(test, find_tracepoint(FORK));
	KUNIT_EXPECT_NOT_NULL(test, find_tracepoint(EXEC));
	KUNIT_EXPECT_NULL(test, find_tracepoint("buildid_no_such_tracepoint"));
	KUNIT_EXPECT_EQ(test, fork_watch("buildid_no_such_tracepoint", on_fork), -EOPNOTSUPP);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(finds_tracepoints_by_name),
	KUNIT_CASE(has_who_it_was_made_of),
	KUNIT_CASE(includes_children_and_theirs),
	KUNIT_CASE(ignores_threads),
	KUNIT_CASE(forgets_a_number_that_another_process_gets),
	KUNIT_CASE(sets_do_not_mix),
	KUNIT_CASE(keeps_the_others_when_one_ends),
	KUNIT_CASE(includes_children_that_were_there_before),
	KUNIT_CASE(includes_processes_that_start),
	KUNIT_CASE(watches_forks_only_while_there_is_a_set),
	KUNIT_CASE(gives_its_memory_back),
	KUNIT_CASE(says_so_when_there_is_no_memory),
	{},
};

static struct kunit_suite suite = {
	.name = "buildid_descendants",
	.test_cases = cases,
};

kunit_test_suites(&suite);
