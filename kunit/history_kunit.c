// SPDX-License-Identifier: GPL-2.0
/*
 * The history of mappings, also when the writer overtakes the reader.
 */
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
	bid_history_add(&vma, file_id, 0);
	preempt_enable();
}

/* The file at @addr in this process, and where in it, or 0. */
static u64 find(unsigned long addr, u64 *offset)
{
	struct bid_history_query query = { .tgid = current->tgid, .addr = addr };
	int err = bid_history_find(&query);

	*offset = query.offset;
	return err ? 0 : query.file_id;
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

static int find_in(pid_t tgid, u64 *start_time, unsigned long addr, u64 *file_id)
{
	struct bid_history_query query = { .tgid = tgid, .addr = addr, .start_time = *start_time };
	int err = bid_history_find(&query);

	if (!err) {
		*start_time = query.start_time;
		*file_id = query.file_id;
	}
	return err;
}

static void finds_nothing_of_another_process(struct kunit *test)
{
	u64 file_id = 0, start_time = 0;
	pid_t tgid = current->tgid;

	KUNIT_EXPECT_EQ(test, find_in(tgid, &start_time, 0x10000, &file_id), -ESRCH);
	add(0x10000, 0x3000, 5, 77);
	KUNIT_EXPECT_EQ(test, find_in(tgid + 1, &start_time, 0x10000, &file_id), -ESRCH);
	KUNIT_EXPECT_EQ(test, find_in(0, &start_time, 0x10000, &file_id), -ESRCH);
	KUNIT_EXPECT_EQ(test, find_in(tgid, &start_time, 0x13000, &file_id), -ENOENT);
	KUNIT_EXPECT_EQ(test, start_time, 0);
	KUNIT_EXPECT_EQ(test, file_id, 0);
}

/* The last one that was added. */
static struct bid_history_entry *last_entry(void)
{
	struct bid_history *history = this_cpu_ptr(&bid_history);

	return &history->ring[(history->next - 1) & (BID_HISTORY_DEPTH - 1)];
}

#define LOW_CYCLES (BIT(BID_HISTORY_CYCLES + BID_HISTORY_CYCLES_SHIFT) - 1)

/* An entry as some processor made it for a process with current's number. */
static void add_entry(u64 start_time, unsigned long tick, u64 cycles, unsigned long start,
		      u64 file_id)
{
	migrate_disable();
	add(start, 0x1000, 0, file_id);
	last_entry()->start_time = start_time;
	last_entry()->stamp = bid_history_stamp(tick, cycles);
	migrate_enable();
}

static int find_of(u64 *start_time, unsigned long addr, u64 *file_id)
{
	return find_in(current->tgid, start_time, addr, file_id);
}

static void says_which_process_it_was(struct kunit *test)
{
	u64 start_time = 0, file_id;

	add(0x10000, 0x3000, 5, 77);
	KUNIT_EXPECT_EQ(test, find_of(&start_time, 0x10000, &file_id), 0);
	KUNIT_EXPECT_EQ(test, start_time, current->group_leader->start_boottime);
}

/* Their numbers are the same, and the later one does not have what the first had. */
static void distinguishes_processes_with_the_same_pid(struct kunit *test)
{
	u64 start_time = 0, file_id;

	add_entry(200, 10, 0, 0x10000, 2);
	add_entry(100, 50, 0, 0x10000, 1);
	add_entry(100, 50, 0, 0x20000, 11);
	KUNIT_EXPECT_EQ(test, find_of(&start_time, 0x10000, &file_id), 0);
	KUNIT_EXPECT_EQ(test, start_time, 200);
	KUNIT_EXPECT_EQ(test, file_id, 2);

	start_time = 0;
	KUNIT_EXPECT_EQ(test, find_of(&start_time, 0x20000, &file_id), -ENOENT);
	start_time = 100;
	KUNIT_EXPECT_EQ(test, find_of(&start_time, 0x20000, &file_id), 0);
	KUNIT_EXPECT_EQ(test, file_id, 11);
	KUNIT_EXPECT_EQ(test, find_of(&start_time, 0x10000, &file_id), 0);
	KUNIT_EXPECT_EQ(test, file_id, 1);
	start_time = 150;
	KUNIT_EXPECT_EQ(test, find_of(&start_time, 0x10000, &file_id), -ESRCH);
}

/* As processors are searched one after the other, their rings need an order. */
static void orders_by_tick_then_by_cycles(struct kunit *test)
{
	u64 start_time = 0, file_id;

	add_entry(1, 7, 5, 0x10000, 3);
	add_entry(1, 6, 900, 0x10000, 2);
	KUNIT_EXPECT_EQ(test, find_of(&start_time, 0x10000, &file_id), 0);
	KUNIT_EXPECT_EQ(test, file_id, 3);

	add_entry(1, 8, 5, 0x20000, 5);
	add_entry(1, 8, LOW_CYCLES, 0x20000, 4);
	KUNIT_EXPECT_EQ(test, find_of(&start_time, 0x20000, &file_id), 0);
	KUNIT_EXPECT_EQ(test, file_id, 5);

	/* no counter of cycles at all */
	add_entry(1, 9, 0, 0x30000, 6);
	add_entry(1, 9, 0, 0x30000, 7);
	KUNIT_EXPECT_EQ(test, find_of(&start_time, 0x30000, &file_id), 0);
	KUNIT_EXPECT_EQ(test, file_id, 7);

	/* a tick of 0.8 s at 5 GHz */
	add_entry(1, 10, 4000000000, 0x40000, 9);
	add_entry(1, 10, 0, 0x40000, 8);
	KUNIT_EXPECT_EQ(test, find_of(&start_time, 0x40000, &file_id), 0);
	KUNIT_EXPECT_EQ(test, file_id, 9);
}

/* They do, in what is kept of them: after two years at 1000 Hz. */
static void orders_ticks_that_wrap(struct kunit *test)
{
	const unsigned long last = U64_MAX >> BID_HISTORY_CYCLES;
	u64 start_time = 0, file_id;

	add_entry(1, 0, 0, 0x10000, 2);
	add_entry(1, last, LOW_CYCLES, 0x10000, 1);
	KUNIT_EXPECT_EQ(test, find_of(&start_time, 0x10000, &file_id), 0);
	KUNIT_EXPECT_EQ(test, file_id, 2);
}

static void finds_what_was_mapped_last(struct kunit *test)
{
	u64 offset, i;

	for (i = 1; i <= 20; i++) {
		add(0x10000, 0x3000, i, i);
		add(0x20000 + i * 0x1000, 0x1000, 0, 1000 + i);
		KUNIT_EXPECT_EQ(test, find(0x10000, &offset), i);
		KUNIT_EXPECT_EQ(test, offset, i * PAGE_SIZE);
	}
}

/* Each CPU has BID_HISTORY_DEPTH slots, one of which may be being written. */
#define KEPT (BID_HISTORY_DEPTH - 1)

static void forgets_the_oldest_first(struct kunit *test)
{
	u64 offset;
	u32 i;

	migrate_disable();
	for (i = 0; i < KEPT + 10; i++)
		add(0x100000 + i * 0x1000UL, 0x1000, 0, 1 + i);
	migrate_enable();
	for (i = 0; i < 10; i++)
		KUNIT_EXPECT_EQ(test, find(0x100000 + i * 0x1000UL, &offset), 0);
	for (; i < KEPT + 10; i += 101)
		KUNIT_EXPECT_EQ(test, find(0x100000 + i * 0x1000UL, &offset), 1 + i);
	KUNIT_EXPECT_EQ(test, find(0x100000 + (KEPT + 9) * 0x1000UL, &offset), KEPT + 10);
}

/* All that the walk finds of @tgid, as digits of a number; -1 when it does not end. */
static s64 walk(pid_t tgid)
{
	struct bid_history_entry entry;
	u64 cursor = 0;
	s64 found = 0;
	int i;

	for (i = 0; i < 20; i++) {
		if (bid_history_next(&cursor, tgid, &entry))
			return -1;
		if (cursor == BUILDID_MAPS_END)
			return entry.file_id ? -1 : found;
		found = found * 10 + entry.file_id;
	}
	return -1;
}

static void walks_from_the_newest_to_the_oldest(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, walk(0), 0);
	migrate_disable();
	add(0x10000, 0x1000, 0, 1);
	add(0x20000, 0x1000, 0, 2);
	add(0x20000, 0x1000, 0, 3);
	migrate_enable();
	KUNIT_EXPECT_EQ(test, walk(0), 321);
	KUNIT_EXPECT_EQ(test, walk(current->tgid), 321);
	KUNIT_EXPECT_EQ(test, walk(current->tgid + 1), 0);
}

static void walks_through_all_processors(struct kunit *test)
{
	struct bid_history *history;
	int cpu, nr = 0;

	if (num_possible_cpus() < 2)
		kunit_skip(test, "one processor");
	for_each_possible_cpu(cpu) {
		history = per_cpu_ptr(&bid_history, cpu);
		history->ring[0] = (struct bid_history_entry){ .file_id = ++nr, .tgid = 5 };
		history->next = 1;
		if (nr == 2)
			break;
	}
	KUNIT_EXPECT_EQ(test, walk(5), 12);
}

static void remembers_who_mapped_what_and_how(struct kunit *test)
{
	struct vm_area_struct vma = {
		.vm_start = 0x7000,
		.vm_end = 0xa000,
		.vm_pgoff = 9,
		.vm_flags = VM_READ | VM_EXEC | VM_MAYSHARE | VM_MAYEXEC | VM_MAYREAD,
	};
	struct bid_history_entry entry;
	u64 cursor = 0;

	preempt_disable();
	bid_history_add(&vma, 4, 0);
	preempt_enable();
	KUNIT_ASSERT_EQ(test, bid_history_next(&cursor, 0, &entry), 0);
	KUNIT_EXPECT_EQ(test, bid_history_start(&entry), 0x7000);
	KUNIT_EXPECT_EQ(test, bid_history_end(&entry), 0xa000);
	KUNIT_EXPECT_EQ(test, entry.start_flags & ~PAGE_MASK, VM_READ | VM_EXEC | VM_MAYSHARE);
	KUNIT_EXPECT_EQ(test, entry.pgoff, 9);
	KUNIT_EXPECT_EQ(test, entry.tgid, current->tgid);
	KUNIT_EXPECT_EQ(test, strncmp(entry.comm, current->comm, TASK_COMM_LEN), 0);
	KUNIT_EXPECT_LT(test, bid_history_age(&entry), 60 * NSEC_PER_SEC);
	entry.stamp = bid_history_stamp(jiffies - 3 * HZ, LOW_CYCLES);
	KUNIT_EXPECT_GE(test, bid_history_age(&entry), 2 * NSEC_PER_SEC);
	KUNIT_EXPECT_LT(test, bid_history_age(&entry), 60 * NSEC_PER_SEC);
}

/* A cursor comes from user space. */
static void refuses_cursors_that_it_did_not_make(struct kunit *test)
{
	struct bid_history_entry entry;
	u64 cursor;
	u32 i;

	migrate_disable();
	for (i = 0; i < 5; i++)
		add(0x10000, 0x1000, 0, 1);
	cursor = cursor_at(smp_processor_id(), newest(smp_processor_id()) + 1);
	migrate_enable();
	KUNIT_EXPECT_EQ(test, bid_history_next(&cursor, 0, &entry), 0);
	KUNIT_EXPECT_EQ(test, cursor, BUILDID_MAPS_END);

	cursor = 77;
	KUNIT_EXPECT_EQ(test, bid_history_next(&cursor, 0, &entry), -EINVAL);
	cursor = cursor_at(nr_cpu_ids, 0);
	KUNIT_EXPECT_EQ(test, bid_history_next(&cursor, 0, &entry), -EINVAL);
	cursor = U64_MAX - 1;
	KUNIT_EXPECT_EQ(test, bid_history_next(&cursor, 0, &entry), -EINVAL);
}

#define RACE_ADDS  30000
#define RACE_FINDS 1000000

static int add_many(void *done)
{
	u32 i;

	/* each mapping agrees with itself: file, start and offset say the same */
	for (i = 1; !kthread_should_stop(); i++) {
		add(i % 50 * 0x100000UL, 0x100000, i % 50 << 12, i % 50 + 1);
		if (i == RACE_ADDS)
			atomic_inc(done);
		cond_resched();
	}
	return 0;
}

static void finds_no_half_of_a_mapping(struct kunit *test)
{
	u32 found = 0, wrong = 0, i = 0;
	struct task_struct *tasks[2];
	atomic_t done = ATOMIC_INIT(0);

	for (i = 0; i < ARRAY_SIZE(tasks); i++) {
		tasks[i] = kthread_run(add_many, &done, "buildid_kunit/%u", i);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, tasks[i]);
	}
	/* this thread may not have run before they were through */
	for (i = 0; atomic_read(&done) < ARRAY_SIZE(tasks) || (!found && i < RACE_FINDS); i++) {
		u32 which = i % 50;

		struct bid_history_query query = {
			.tgid = tasks[i % 2]->tgid, /* not the test's */
			.addr = which * 0x100000UL + 5,
		};

		if (bid_history_find(&query))
			continue;
		found++;
		wrong += query.file_id != which + 1 ||
			 query.offset != (which << 12) * PAGE_SIZE + 5;
	}
	for (i = 0; i < ARRAY_SIZE(tasks); i++)
		kthread_stop(tasks[i]);
	KUNIT_EXPECT_GT(test, found, 0);
	KUNIT_EXPECT_EQ(test, wrong, 0);
}

/* As of a fork, after which the parent maps something else there. */
static void finds_what_was_mapped_before_a_time(struct kunit *test)
{
	struct bid_history_query query = {
		.tgid = current->tgid,
		.addr = 0x10000,
		.before = bid_history_stamp(51, 0),
		.execs = bid_history_execs(current),
	};

	add_entry(100, 50, 0, 0x10000, 1);
	add_entry(100, 52, 0, 0x10000, 2);
	add_entry(100, 53, 0, 0x20000, 3);
	KUNIT_EXPECT_EQ(test, bid_history_find(&query), 0);
	KUNIT_EXPECT_EQ(test, query.file_id, 1);
	query.addr = 0x20000;
	KUNIT_EXPECT_EQ(test, bid_history_find(&query), -ENOENT);
	query.before = bid_history_stamp(50, 0);
	KUNIT_EXPECT_EQ(test, bid_history_find(&query), -ESRCH);
	query.before = 0;
	KUNIT_EXPECT_EQ(test, bid_history_find(&query), 0);
	KUNIT_EXPECT_EQ(test, query.file_id, 3);
}

/* As of a fork, of an image whose first mapping is remembered, or only the one before. */
static void finds_what_was_mapped_by_the_same_image(struct kunit *test)
{
	struct bid_history_query query = {
		.tgid = current->tgid,
		.addr = 0x10000,
		.before = bid_history_stamp(60, 0),
		.execs = 5,
	};

	add_entry(100, 50, 0, 0x10000, 1);
	KUNIT_EXPECT_EQ(test, bid_history_find(&query), -ESRCH);
	migrate_disable();
	add_entry(100, 51, 0, 0x10000, 2);
	last_entry()->start_flags = 0x10000 | 5 << BID_HISTORY_EXECS_SHIFT;
	add_entry(100, 52, 0, 0x10000, 3);
	migrate_enable();
	KUNIT_EXPECT_EQ(test, bid_history_find(&query), 0);
	KUNIT_EXPECT_EQ(test, query.file_id, 2);
	query.before = 0;
	KUNIT_EXPECT_EQ(test, bid_history_find(&query), 0);
	KUNIT_EXPECT_EQ(test, query.file_id, 3);
}

/* In the tick of a fork, the order is not certain. */
static void finds_what_was_mapped_since_a_time(struct kunit *test)
{
	struct bid_history_query query = {
		.tgid = current->tgid,
		.addr = 0x10000,
		.since = bid_history_stamp(51, 500),
	};

	add_entry(100, 50, 900, 0x10000, 1);
	KUNIT_EXPECT_EQ(test, bid_history_find(&query), -ESRCH);
	add_entry(100, 51, 100, 0x10000, 2);
	KUNIT_EXPECT_EQ(test, bid_history_find(&query), 0);
	KUNIT_EXPECT_EQ(test, query.file_id, 2);
}

/* It is there instead of what was, whatever it is. */
static void remembers_mappings_of_files_that_it_does_not_know(struct kunit *test)
{
	struct bid_history_query query = { .tgid = current->tgid, .addr = 0x10000 };

	add(0x10000, 0x3000, 0, 1);
	add(0x10000, 0x3000, 0, 0);
	KUNIT_EXPECT_EQ(test, bid_history_find(&query), 0);
	KUNIT_EXPECT_EQ(test, query.file_id, 0);
	KUNIT_EXPECT_EQ(test, walk(0), 1);
}

/* On any processor: the others, where nothing happens, forget nothing. */
static void says_since_when_it_remembers_everything(struct kunit *test)
{
	u32 i;

	KUNIT_EXPECT_TRUE(test, bid_history_complete(bid_history_stamp(1, 0)));
	migrate_disable();
	for (i = 0; i < KEPT; i++)
		add_entry(100, 50 + i, 0, 0x10000, 1);
	KUNIT_EXPECT_TRUE(test, bid_history_complete(bid_history_stamp(51, 0)));
	add_entry(100, 50 + i, 0, 0x10000, 1);
	KUNIT_EXPECT_FALSE(test, bid_history_complete(bid_history_stamp(50, 0)));
	/* others of the tick of the oldest one may be gone */
	KUNIT_EXPECT_FALSE(test, bid_history_complete(bid_history_stamp(51, LOW_CYCLES)));
	KUNIT_EXPECT_TRUE(test, bid_history_complete(bid_history_stamp(52, 0)));
	migrate_enable();
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
	KUNIT_CASE(finds_what_was_mapped_before_a_time),
	KUNIT_CASE(finds_what_was_mapped_by_the_same_image),
	KUNIT_CASE(finds_what_was_mapped_since_a_time),
	KUNIT_CASE(remembers_mappings_of_files_that_it_does_not_know),
	KUNIT_CASE(says_since_when_it_remembers_everything),
	KUNIT_CASE(finds_nothing_of_another_process),
	KUNIT_CASE(says_which_process_it_was),
	KUNIT_CASE(distinguishes_processes_with_the_same_pid),
	KUNIT_CASE(orders_by_tick_then_by_cycles),
	KUNIT_CASE(orders_ticks_that_wrap),
	KUNIT_CASE(finds_what_was_mapped_last),
	KUNIT_CASE(forgets_the_oldest_first),
	KUNIT_CASE(finds_no_half_of_a_mapping),
	KUNIT_CASE(walks_from_the_newest_to_the_oldest),
	KUNIT_CASE(walks_through_all_processors),
	KUNIT_CASE(remembers_who_mapped_what_and_how),
	KUNIT_CASE(refuses_cursors_that_it_did_not_make),
	{},
};

static struct kunit_suite suite = {
	.name = "buildid_history",
	.init = start,
	.test_cases = cases,
};

kunit_test_suites(&suite);
