// SPDX-License-Identifier: GPL-2.0
#include <kunit/test.h>
#include <linux/kthread.h>

#include "history.c"

static void add(unsigned long start, unsigned long len, unsigned long pgoff, u64 file_id)
{
	struct vm_area_struct vma = {
		.vm_start = start,
		.vm_end = start + len,
		.vm_pgoff = pgoff,
	};

	preempt_disable();
	bid_history_add(&vma, file_id);
	preempt_enable();
}

/* The file at @addr in this process, and where in it, or 0. */
static u64 find(unsigned long addr, u64 *offset)
{
	*offset = 0;
	return bid_history_find(current->tgid, addr, offset);
}

static void finds_the_file_at_an_address(struct kunit *test)
{
	u64 offset;

	add(0x10000, 0x3000, 5, 77);
	KUNIT_EXPECT_EQ(test, find(0x0ffff, &offset), 0);
	KUNIT_EXPECT_EQ(test, find(0x10000, &offset), 77);
	KUNIT_EXPECT_EQ(test, offset, 5 * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, find(0x12fff, &offset), 77);
	KUNIT_EXPECT_EQ(test, offset, 5 * PAGE_SIZE + 0x2fff);
	KUNIT_EXPECT_EQ(test, find(0x13000, &offset), 0);
}

static void finds_nothing_of_another_process(struct kunit *test)
{
	u64 offset;

	add(0x10000, 0x3000, 5, 77);
	KUNIT_EXPECT_EQ(test, bid_history_find(current->tgid + 1, 0x10000, &offset), 0);
	KUNIT_EXPECT_EQ(test, bid_history_find(0, 0x10000, &offset), 0);
}

static void finds_what_was_mapped_last(struct kunit *test)
{
	u64 offset, i;

	/* clocks of processors need not agree to the last cycle */
	migrate_disable();
	for (i = 1; i <= 20; i++) {
		add(0x10000, 0x3000, i, i);
		add(0x20000 + i * 0x1000, 0x1000, 0, 1000 + i);
		KUNIT_EXPECT_EQ(test, find(0x10000, &offset), i);
		KUNIT_EXPECT_EQ(test, offset, i * PAGE_SIZE);
	}
	migrate_enable();
}

/* Each processor keeps as many as it can. */
static void forgets_the_oldest_first(struct kunit *test)
{
	u64 offset;
	u32 i;

	migrate_disable();
	for (i = 0; i < DEPTH + 10; i++)
		add(0x100000 + i * 0x1000UL, 0x1000, 0, 1 + i);
	migrate_enable();
	for (i = 0; i < 10; i++)
		KUNIT_EXPECT_EQ(test, find(0x100000 + i * 0x1000UL, &offset), 0);
	for (; i < DEPTH + 10; i += 101)
		KUNIT_EXPECT_EQ(test, find(0x100000 + i * 0x1000UL, &offset), 1 + i);
	KUNIT_EXPECT_EQ(test, find(0x100000 + (DEPTH + 9) * 0x1000UL, &offset), DEPTH + 10);
}

#define RACE_ADDS	30000

static int add_many(void *done)
{
	u32 i;

	/* each mapping agrees with itself: file, start and offset say the same */
	for (i = 1; i <= RACE_ADDS; i++)
		add(i % 50 * 0x100000UL, 0x100000, i % 50 << 12, i % 50 + 1);
	atomic_inc(done);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

static void finds_no_half_of_a_mapping(struct kunit *test)
{
	u32 found = 0, wrong = 0, i = 0;
	struct task_struct *tasks[2];
	atomic_t done = ATOMIC_INIT(0);
	u64 offset, file_id;

	for (i = 0; i < ARRAY_SIZE(tasks); i++) {
		tasks[i] = kthread_run(add_many, &done, "buildid_kunit/%u", i);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, tasks[i]);
	}
	for (i = 0; atomic_read(&done) < ARRAY_SIZE(tasks); i++) {
		u32 which = i % 50;

		/* the tasks' tgid is not the test's */
		offset = 0;
		file_id = bid_history_find(tasks[i % 2]->tgid, which * 0x100000UL + 5, &offset);
		if (!file_id)
			continue;
		found++;
		wrong += file_id != which + 1 || offset != (which << 12) * PAGE_SIZE + 5;
	}
	for (i = 0; i < ARRAY_SIZE(tasks); i++)
		kthread_stop(tasks[i]);
	KUNIT_EXPECT_GT(test, found, 0);
	KUNIT_EXPECT_EQ(test, wrong, 0);
}

static void stop(void *unused)
{
	bid_history_exit();
}

static int start(struct kunit *test)
{
	int err = bid_history_init();

	return err ?: kunit_add_action_or_reset(test, stop, NULL);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(finds_the_file_at_an_address),
	KUNIT_CASE(finds_nothing_of_another_process),
	KUNIT_CASE(finds_what_was_mapped_last),
	KUNIT_CASE(forgets_the_oldest_first),
	KUNIT_CASE(finds_no_half_of_a_mapping),
	{ }
};

static struct kunit_suite suite = {
	.name = "buildid_history",
	.init = start,
	.test_cases = cases,
};

kunit_test_suites(&suite);
