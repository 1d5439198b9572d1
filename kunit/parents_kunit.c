// SPDX-License-Identifier: GPL-2.0
/*
 * Forks and execs as the tracepoints report them.
 */
#include <kunit/test.h>
#include <linux/sched/signal.h>

#include "parents.c"

/* A number that no process has, as none is that high. */
#define CHILD (PID_MAX_LIMIT - 100)

static struct task_struct *make_task(struct kunit *test, pid_t tgid, u64 start_time)
{
	struct task_struct *task = kunit_kzalloc(test, sizeof(*task), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, task);
	task->tgid = tgid;
	task->start_boottime = start_time;
	task->group_leader = task;
	task->mm = (struct mm_struct *)task; /* not that of a kernel thread */
	return task;
}

/* CHILD and its fork. */
static struct task_struct *fork_child(struct kunit *test, struct bid_parent *fork)
{
	struct task_struct *parent = make_task(test, CHILD - 1, 100);
	struct task_struct *child = make_task(test, CHILD, 200);

	child->self_exec_id = 0x35;
	on_fork(NULL, parent, child);
	KUNIT_ASSERT_TRUE(test, bid_parents_find(CHILD, 0, fork));
	return child;
}

static void finds_the_fork_of_a_process(struct kunit *test)
{
	struct bid_parent fork;

	KUNIT_EXPECT_FALSE(test, bid_parents_find(CHILD, 0, &fork));
	fork_child(test, &fork);
	KUNIT_EXPECT_EQ(test, fork.tgid, CHILD);
	KUNIT_EXPECT_EQ(test, fork.start_time, 200);
	KUNIT_EXPECT_EQ(test, fork.parent_tgid, CHILD - 1);
	KUNIT_EXPECT_EQ(test, fork.parent_start_time, 100);
	KUNIT_EXPECT_EQ(test, fork.execs, 5);
	KUNIT_EXPECT_TRUE(test, bid_parents_find(CHILD, 200, &fork));
	KUNIT_EXPECT_FALSE(test, bid_parents_find(CHILD, 201, &fork));
	KUNIT_EXPECT_FALSE(test, bid_parents_find(CHILD - 1, 0, &fork));
}

static void ignores_threads(struct kunit *test)
{
	struct bid_parent fork;

	on_fork(NULL, make_task(test, CHILD, 200), make_task(test, CHILD, 200));
	KUNIT_EXPECT_FALSE(test, bid_parents_find(CHILD, 0, &fork));
}

static void says_which_process_called_exec_after_a_fork(struct kunit *test)
{
	struct bid_parent fork;
	struct task_struct *child = fork_child(test, &fork);

	KUNIT_EXPECT_FALSE(test, bid_parents_exec_since(CHILD, fork.stamp));
	on_exec(NULL, child, CHILD, NULL);
	KUNIT_EXPECT_TRUE(test, bid_parents_exec_since(CHILD, fork.stamp));
	KUNIT_EXPECT_FALSE(test, bid_parents_exec_since(CHILD - 1, fork.stamp));
	KUNIT_EXPECT_FALSE(test,
			   bid_parents_exec_since(CHILD, bid_history_stamp(jiffies + 10 * HZ, 0)));
}

static void forgets_no_exec_as_others_fork_and_call_exec(struct kunit *test)
{
	struct bid_parent fork;
	struct task_struct *child = fork_child(test, &fork), *other;
	u32 i;

	other = make_task(test, 0, 300);
	on_exec(NULL, child, CHILD, NULL);
	for (i = 1; i <= 3 * execs_mask; i++) {
		other->tgid = CHILD - i;
		on_fork(NULL, child, other);
		on_exec(NULL, other, CHILD - i, NULL);
	}
	KUNIT_EXPECT_TRUE(test, bid_parents_exec_since(CHILD, fork.stamp));
}

static void stop(void *unused)
{
	bid_parents_exit();
}

static int start(struct kunit *test)
{
	int err = bid_parents_init();

	return err ?: kunit_add_action_or_reset(test, stop, NULL);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(finds_the_fork_of_a_process),
	KUNIT_CASE(ignores_threads),
	KUNIT_CASE(says_which_process_called_exec_after_a_fork),
	KUNIT_CASE(forgets_no_exec_as_others_fork_and_call_exec),
	{},
};

static struct kunit_suite suite = {
	.name = "buildid_parents",
	.init = start,
	.test_cases = cases,
};

kunit_test_suites(&suite);
