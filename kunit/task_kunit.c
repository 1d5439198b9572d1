// SPDX-License-Identifier: GPL-2.0
/*
 * FORK, EXEC, COMM and EXIT records: a fork as the tracepoint reports it, and real processes.
 */
#include "subscriber.h"

#include <linux/umh.h>

#include "task.c"

/* No process has a pid as high. */
#define CHILD	      (PID_MAX_LIMIT - 100)
#define CHILD_STARTED 12345

static void unwatch(void *unused)
{
	bid_task_unwatch();
}

/* A subscriber for tasks, with the probes that it needs. */
static struct test_subscriber *watch_tasks(struct kunit *test, struct pid *pid)
{
	struct test_subscriber *sub;

	KUNIT_ASSERT_EQ(test, bid_task_watch(), 0);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, unwatch, NULL), 0);
	sub = start_subscriber(test, BUILDID_SUB_TASKS, SZ_64K, 0, pid);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, sub);
	return sub;
}

static struct task_struct *make_child(struct kunit *test)
{
	struct task_struct *child = kunit_kzalloc(test, sizeof(*child), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, child);
	child->pid = CHILD;
	child->tgid = CHILD;
	child->group_leader = child;
	child->start_boottime = CHILD_STARTED;
	strscpy(child->comm, "child", sizeof(child->comm));
	/* only compared, never dereferenced */
	child->mm = (struct mm_struct *)child;
	child->real_cred = current->real_cred;
	child->cgroups = current->cgroups;
	return child;
}

static const struct buildid_task *next_task_record(struct kunit *test, struct test_subscriber *sub,
						   u16 type)
{
	const struct buildid_record *record = next_record(sub, type);

	KUNIT_ASSERT_NOT_NULL(test, record);
	KUNIT_EXPECT_EQ(test, record->size, sizeof(struct buildid_task));
	return container_of(record, const struct buildid_task, header);
}

static void a_fork_record_has_parent_and_child(struct kunit *test)
{
	struct test_subscriber *sub = watch_tasks(test, task_tgid(current));
	const struct buildid_task *task;

	on_fork(NULL, current, make_child(test));
	task = next_task_record(test, sub, BUILDID_RECORD_FORK);
	KUNIT_EXPECT_EQ(test, task->pid, CHILD);
	KUNIT_EXPECT_EQ(test, task->tid, CHILD);
	KUNIT_EXPECT_EQ(test, task->start_time, CHILD_STARTED);
	KUNIT_EXPECT_EQ(test, task->parent_pid, current->tgid);
	KUNIT_EXPECT_EQ(test, task->parent_start_time, current->group_leader->start_boottime);
	KUNIT_EXPECT_EQ(test, task->flags, 0);
	KUNIT_EXPECT_EQ(test, task->uid, 0);
	KUNIT_EXPECT_NE(test, task->cgroup_id, 0);
	KUNIT_EXPECT_EQ(test, task->exit_code, 0);
	KUNIT_EXPECT_STREQ(test, task->comm, "child");
}

static void a_fork_record_says_that_the_two_share_memory(struct kunit *test)
{
	struct test_subscriber *sub = watch_tasks(test, task_tgid(current));
	struct task_struct *parent = make_child(test), *child = make_child(test);

	child->tgid++;
	child->mm = parent->mm;
	on_fork(NULL, parent, child);
	KUNIT_EXPECT_EQ(test, next_task_record(test, sub, BUILDID_RECORD_FORK)->flags,
			BUILDID_TASK_SHARES_MM);
}

static void threads_and_kernel_threads_send_none(struct kunit *test)
{
	struct test_subscriber *sub = watch_tasks(test, task_tgid(current));
	struct task_struct *child = make_child(test);

	child->tgid = current->tgid;
	on_fork(NULL, current, child);
	child->tgid = CHILD;
	child->flags = PF_KTHREAD;
	on_fork(NULL, current, child);
	child->mm = NULL;
	on_fork(NULL, current, child);
	KUNIT_EXPECT_TRUE(test, ring_is_empty(sub));
}

/* It gets an address space with its EXEC. */
static void a_program_that_the_kernel_runs_has_no_parent(struct kunit *test)
{
	struct test_subscriber *sub = watch_tasks(test, task_tgid(current));
	struct task_struct *child = make_child(test);
	const struct buildid_task *task;

	child->mm = NULL;
	on_fork(NULL, current, child);
	task = next_task_record(test, sub, BUILDID_RECORD_FORK);
	KUNIT_EXPECT_EQ(test, task->pid, CHILD);
	KUNIT_EXPECT_EQ(test, task->parent_pid, 0);
	KUNIT_EXPECT_EQ(test, task->parent_start_time, 0);
	KUNIT_EXPECT_EQ(test, task->flags, 0);
}

static void tasks_of_others_are_left_out(struct kunit *test)
{
	struct test_subscriber *others = watch_tasks(test, find_vpid(1));
	struct test_subscriber *unasked = subscribe(test);

	on_fork(NULL, current, make_child(test));
	KUNIT_EXPECT_TRUE(test, ring_is_empty(others));
	KUNIT_EXPECT_TRUE(test, ring_is_empty(unasked));
}

/* The record of that type with that pid, or any; others on the machine fork too. */
static const struct buildid_task *await(struct test_subscriber *sub, u16 type, u32 parent_pid,
					u32 pid, const char *comm)
{
	struct bid_ring *ring = &sub->subscriber->ring;
	const struct buildid_record *record;
	const struct buildid_task *task;

	while ((record = bid_ring_peek(ring, 0))) {
		bid_ring_consume(ring, record->size);
		if (record->type != type)
			continue;
		task = container_of(record, const struct buildid_task, header);
		if ((!parent_pid || task->parent_pid == parent_pid) && (!pid || task->pid == pid) &&
		    (!comm || !strcmp(task->comm, comm)))
			return task;
	}
	return NULL;
}

static void skip_at_boot(struct kunit *test)
{
#ifndef MODULE
	kunit_skip(test, "built in, suites run before there is a root with programs");
#endif
}

/* A shell, and a child of it that does not exec. */
static void real_processes_are_sent_in_order(struct kunit *test)
{
	char *argv[4] = { "/bin/sh", "-c", "(exit 2); exit 3" };
	char *envp[2] = { "PATH=/bin:/usr/bin" };
	struct test_subscriber *sub = watch_tasks(test, NULL);
	struct buildid_task shell, child;
	const struct buildid_task *task;

	skip_at_boot(test);
	KUNIT_ASSERT_EQ(test, call_usermodehelper(argv[0], argv, envp, UMH_WAIT_PROC), 0x300);
	task = await(sub, BUILDID_RECORD_EXEC, 0, 0, "sh");
	KUNIT_ASSERT_NOT_NULL(test, task);
	shell = *task;
	KUNIT_EXPECT_EQ(test, shell.tid, shell.pid);
	KUNIT_EXPECT_NE(test, shell.start_time, 0);
	KUNIT_EXPECT_EQ(test, shell.parent_pid, 0);

	task = await(sub, BUILDID_RECORD_FORK, shell.pid, 0, NULL);
	KUNIT_ASSERT_NOT_NULL(test, task);
	child = *task;
	KUNIT_EXPECT_EQ(test, child.parent_start_time, shell.start_time);
	KUNIT_EXPECT_GT(test, child.start_time, shell.start_time);

	task = await(sub, BUILDID_RECORD_EXIT, 0, child.pid, "sh");
	KUNIT_ASSERT_NOT_NULL(test, task);
	KUNIT_EXPECT_EQ(test, task->exit_code, 0x200);
	KUNIT_EXPECT_EQ(test, task->start_time, child.start_time);
	task = await(sub, BUILDID_RECORD_EXIT, 0, shell.pid, "sh");
	KUNIT_ASSERT_NOT_NULL(test, task);
	KUNIT_EXPECT_EQ(test, task->exit_code, 0x300);
	KUNIT_EXPECT_EQ(test, task->start_time, shell.start_time);
	/* once */
	KUNIT_EXPECT_PTR_EQ(test, await(sub, BUILDID_RECORD_EXIT, 0, shell.pid, NULL), NULL);
}

/* A process that execs and exits, for all to see. */
static bool is_sent(struct kunit *test, struct test_subscriber *sub)
{
	char *argv[2] = { "/bin/true" };
	char *envp[1] = {};
	const struct buildid_task *task;

	KUNIT_ASSERT_EQ(test, call_usermodehelper(argv[0], argv, envp, UMH_WAIT_PROC), 0);
	task = await(sub, BUILDID_RECORD_EXEC, 0, 0, "true");
	return task && await(sub, BUILDID_RECORD_EXIT, 0, task->pid, "true");
}

static void tasks_are_watched_only_while_there_is_a_subscriber(struct kunit *test)
{
	struct test_subscriber *sub = start_subscriber(test, BUILDID_SUB_TASKS, SZ_64K, 0, NULL);
	u32 i;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, sub);
	skip_at_boot(test);
	KUNIT_EXPECT_FALSE(test, is_sent(test, sub));
	for (i = 0; i < 3; i++) {
		KUNIT_ASSERT_EQ(test, bid_task_watch(), 0);
		KUNIT_ASSERT_EQ(test, bid_task_watch(), 0);
		KUNIT_EXPECT_TRUE(test, is_sent(test, sub));
		bid_task_unwatch();
		KUNIT_EXPECT_TRUE(test, is_sent(test, sub));
		bid_task_unwatch();
		KUNIT_EXPECT_FALSE(test, is_sent(test, sub));
	}
}

static void where_one_probe_fails_none_is_left(struct kunit *test)
{
	const char *name = probes[1].symbol_name;

	probes[1].symbol_name = "buildid_no_such_function";
	KUNIT_EXPECT_EQ(test, bid_task_watch(), -EOPNOTSUPP);
	probes[1].symbol_name = name;
	KUNIT_ASSERT_EQ(test, bid_task_watch(), 0);
	bid_task_unwatch();
}

static struct kunit_case cases[] = {
	KUNIT_CASE(a_fork_record_has_parent_and_child),
	KUNIT_CASE(a_fork_record_says_that_the_two_share_memory),
	KUNIT_CASE(threads_and_kernel_threads_send_none),
	KUNIT_CASE(a_program_that_the_kernel_runs_has_no_parent),
	KUNIT_CASE(tasks_of_others_are_left_out),
	KUNIT_CASE(real_processes_are_sent_in_order),
	KUNIT_CASE(tasks_are_watched_only_while_there_is_a_subscriber),
	KUNIT_CASE(where_one_probe_fails_none_is_left),
	{},
};

static struct kunit_suite suite = {
	.name = "buildid_task",
	.init = start_module,
	.test_cases = cases,
};

kunit_test_suites(&suite);
