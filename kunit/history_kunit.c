// SPDX-License-Identifier: GPL-2.0
/*
 * The history of mappings, forks and execs, also when the writer overtakes the reader.
 */
#include <kunit/test.h>
#include <linux/kthread.h>

#include "history.c"

static u64 *add(unsigned long start, unsigned long len, unsigned long pgoff, u64 file_id)
{
	struct vm_area_struct vma = {
		.vm_start = start,
		.vm_end = start + len,
		.vm_pgoff = pgoff,
	};
	u64 *slot;

	preempt_disable();
	slot = bid_history_add(&vma, file_id, local_clock());
	preempt_enable();
	return slot;
}

/* The file_ids of mappings, and how many there are; -1 when the walk does not end. */
struct walk {
	u64 found[BID_HISTORY_DEPTH];
	s32 nr;
};

static struct walk *walk(struct kunit *test, pid_t tgid)
{
	struct walk *walk = kunit_kzalloc(test, sizeof(*walk), GFP_KERNEL);
	struct bid_history_slot slot;
	u64 cursor = 0;
	int err;

	KUNIT_ASSERT_NOT_NULL(test, walk);
	while ((err = bid_history_next(&cursor, tgid, &slot)) > 0) {
		if (bid_history_type(&slot) != BUILDID_RECORD_MMAP)
			continue;
		if (walk->nr == BID_HISTORY_DEPTH)
			KUNIT_FAIL(test, "more than there can be");
		else
			walk->found[walk->nr++] = slot.file_id;
	}
	KUNIT_EXPECT_EQ(test, err, 0);
	KUNIT_EXPECT_EQ(test, cursor, BUILDID_MAPS_END);
	return walk;
}

static void walks_from_the_newest_to_the_oldest(struct kunit *test)
{
	struct walk *found;

	KUNIT_EXPECT_EQ(test, walk(test, current->tgid)->nr, 0);
	migrate_disable();
	add(0x10000, 0x1000, 0, 1);
	add(0x20000, 0x1000, 0, 2);
	add(0x20000, 0x1000, 0, 0);
	migrate_enable();
	found = walk(test, 0);
	KUNIT_EXPECT_EQ(test, found->nr, 3);
	KUNIT_EXPECT_EQ(test, found->found[0], 0);
	KUNIT_EXPECT_EQ(test, found->found[1], 2);
	KUNIT_EXPECT_EQ(test, found->found[2], 1);
	KUNIT_EXPECT_EQ(test, walk(test, current->tgid)->nr, 3);
	KUNIT_EXPECT_EQ(test, walk(test, current->tgid + 1)->nr, 0);
}

static void walks_through_all_processors(struct kunit *test)
{
	const u64 head = BUILDID_RECORD_MMAP << BID_HISTORY_TYPE_SHIFT;
	struct bid_history *history;
	struct walk *found;
	int cpu, nr = 0;

	if (num_possible_cpus() < 2)
		kunit_skip(test, "one processor");
	for_each_possible_cpu(cpu) {
		history = per_cpu_ptr(&bid_history[BID_HISTORY_MAPPINGS], cpu);
		history->slots[0] = (struct bid_history_slot){
			.head = head,
			.file_id = ++nr,
			.tgid = 5,
		};
		history->next = 1;
		if (nr == 2)
			break;
	}
	found = walk(test, 5);
	KUNIT_EXPECT_EQ(test, found->nr, 2);
	KUNIT_EXPECT_EQ(test, found->found[0], 1);
	KUNIT_EXPECT_EQ(test, found->found[1], 2);
}

static void remembers_who_mapped_what_and_how(struct kunit *test)
{
	struct vm_area_struct vma = {
		.vm_start = 0x7000,
		.vm_end = 0xa000,
		.vm_pgoff = 9,
		.vm_flags = VM_READ | VM_EXEC | VM_MAYSHARE | VM_MAYEXEC | VM_MAYREAD,
	};
	struct bid_history_slot slot;
	u64 cursor = 0;

	preempt_disable();
	bid_history_add(&vma, 4, 12345);
	preempt_enable();
	KUNIT_ASSERT_EQ(test, bid_history_next(&cursor, current->tgid, &slot), 1);
	KUNIT_EXPECT_EQ(test, bid_history_type(&slot), BUILDID_RECORD_MMAP);
	KUNIT_EXPECT_EQ(test, slot.head & PAGE_MASK, 0x7000);
	KUNIT_EXPECT_EQ(test, slot.head & BID_HISTORY_FLAGS, VM_READ | VM_EXEC | VM_MAYSHARE);
	KUNIT_EXPECT_EQ(test, slot.pages, 3);
	KUNIT_EXPECT_EQ(test, slot.pgoff, 9);
	KUNIT_EXPECT_EQ(test, slot.file_id, 4);
	KUNIT_EXPECT_EQ(test, slot.time_perf, 12345);
	KUNIT_EXPECT_EQ(test, slot.tgid, current->tgid);
	KUNIT_EXPECT_EQ(test, slot.start_time, current->group_leader->start_boottime);
	KUNIT_EXPECT_EQ(test, strncmp(slot.comm, current->comm, TASK_COMM_LEN), 0);
}

/* Each ring has BID_HISTORY_DEPTH slots, one of which may be in the middle of a write. */
#define KEPT (BID_HISTORY_DEPTH - 1)

static void forgets_the_oldest_first(struct kunit *test)
{
	struct walk *found;
	u32 i;

	migrate_disable();
	for (i = 0; i < KEPT + 10; i++)
		add(0x100000 + i * 0x1000UL, 0x1000, 0, 1 + i);
	migrate_enable();
	found = walk(test, current->tgid);
	KUNIT_ASSERT_EQ(test, found->nr, KEPT);
	for (i = 0; i < KEPT; i++)
		KUNIT_EXPECT_EQ(test, found->found[i], KEPT + 10 - i);
}

static void corrects_a_file_id_that_is_still_there(struct kunit *test)
{
	struct walk *found;
	u64 *slot, *other;
	u32 i;

	migrate_disable();
	slot = add(0x10000, 0x1000, 0, 1);
	other = add(0x10000, 0x1000, 0, 2);
	bid_history_correct(slot, 1, 3);
	bid_history_correct(other, 7, 4);
	found = walk(test, current->tgid);
	KUNIT_EXPECT_EQ(test, found->found[0], 2);
	KUNIT_EXPECT_EQ(test, found->found[1], 3);
	for (i = 0; i < BID_HISTORY_DEPTH; i++)
		add(0x10000, 0x1000, 0, 100 + i);
	migrate_enable();
	bid_history_correct(slot, 3, 5);
	KUNIT_EXPECT_EQ(test, *slot, 100 + BID_HISTORY_DEPTH - 2);
}

/* On any CPU: the idle others forget nothing. */
static void says_since_when_it_remembers_everything(struct kunit *test)
{
	struct vm_area_struct vma = { .vm_start = 0x1000, .vm_end = 0x2000 };
	u32 i;

	KUNIT_EXPECT_EQ(test, bid_history_since(), 0);
	preempt_disable();
	for (i = 0; i < KEPT - 1; i++)
		bid_history_add(&vma, 1, 50 + i);
	KUNIT_EXPECT_EQ(test, bid_history_since(), 0);
	bid_history_add(&vma, 1, 50 + i++);
	KUNIT_EXPECT_EQ(test, bid_history_since(), 50);
	bid_history_add(&vma, 1, 50 + i++);
	KUNIT_EXPECT_EQ(test, bid_history_since(), 51);
	preempt_enable();
}

/* ------------------------------------------------------------ forks and execs -- */

/* A pid that no process has: they are not that high. */
#define CHILD (PID_MAX_LIMIT - 100)

static struct task_struct *make_task(struct kunit *test, pid_t tgid, u64 start_time)
{
	struct task_struct *task = kunit_kzalloc(test, sizeof(*task), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, task);
	task->tgid = tgid;
	task->start_boottime = start_time;
	task->group_leader = task;
	strscpy(task->comm, "a task", sizeof(task->comm));
	task->mm = (struct mm_struct *)task; /* not that of a kernel thread */
	return task;
}

static void remembers_forks_and_execs(struct kunit *test)
{
	struct task_struct *parent = make_task(test, CHILD - 1, 100);
	struct task_struct *child = make_task(test, CHILD, 200);
	u64 cursor = 0, before = local_clock();
	struct bid_history_slot slot;

	migrate_disable();
	on_fork(NULL, parent, child);
	on_exec(NULL, child, CHILD, NULL);
	migrate_enable();
	KUNIT_ASSERT_EQ(test, bid_history_next(&cursor, CHILD, &slot), 1);
	KUNIT_EXPECT_EQ(test, bid_history_type(&slot), BUILDID_RECORD_EXEC);
	KUNIT_EXPECT_EQ(test, slot.start_time, 200);
	KUNIT_EXPECT_STREQ(test, slot.comm, "a task");
	KUNIT_ASSERT_EQ(test, bid_history_next(&cursor, CHILD, &slot), 1);
	KUNIT_EXPECT_EQ(test, bid_history_type(&slot), BUILDID_RECORD_FORK);
	KUNIT_EXPECT_EQ(test, slot.start_time, 200);
	KUNIT_EXPECT_EQ(test, slot.parent_tgid, CHILD - 1);
	KUNIT_EXPECT_EQ(test, slot.parent_start_time, 100);
	KUNIT_EXPECT_EQ(test, slot.head & ~(BID_HISTORY_TYPE_MASK << BID_HISTORY_TYPE_SHIFT), 0);
	KUNIT_EXPECT_GE(test, slot.time_perf, before);
	KUNIT_EXPECT_LE(test, slot.time_perf, local_clock());
	KUNIT_EXPECT_EQ(test, bid_history_next(&cursor, CHILD, &slot), 0);
}

static void knows_who_shares_its_parents_memory(struct kunit *test)
{
	struct task_struct *parent = make_task(test, CHILD - 1, 100);
	struct task_struct *child = make_task(test, CHILD, 200);
	struct bid_history_slot slot;
	u64 cursor = 0;

	child->mm = parent->mm;
	on_fork(NULL, parent, child);
	KUNIT_ASSERT_EQ(test, bid_history_next(&cursor, CHILD, &slot), 1);
	KUNIT_EXPECT_TRUE(test, slot.head & BUILDID_TASK_SHARES_MM);
}

static void ignores_threads_and_kernel_threads(struct kunit *test)
{
	struct task_struct *kernel_thread = make_task(test, CHILD, 200);
	struct bid_history_slot slot;
	u64 cursor = 0;

	on_fork(NULL, make_task(test, CHILD, 200), make_task(test, CHILD, 200));
	kernel_thread->mm = NULL;
	on_fork(NULL, make_task(test, CHILD - 1, 100), kernel_thread);
	KUNIT_EXPECT_EQ(test, bid_history_next(&cursor, CHILD, &slot), 0);
}

/* A server that keeps forking does not push out mappings. */
static void forgets_no_mapping_as_others_fork(struct kunit *test)
{
	struct task_struct *parent = make_task(test, CHILD - 1, 100);
	struct task_struct *child = make_task(test, CHILD, 200);
	u32 i;

	add(0x10000, 0x1000, 0, 1);
	migrate_disable();
	for (i = 0; i < 2 * BID_HISTORY_DEPTH; i++)
		on_fork(NULL, parent, child);
	migrate_enable();
	KUNIT_EXPECT_EQ(test, walk(test, current->tgid)->nr, 1);
	/* but processes without a known exec cannot be ruled out any more */
	KUNIT_EXPECT_GT(test, bid_history_since(), 0);
}

/* -------------------------------------------------------------------- readers -- */

static u64 cursor_at(u32 ring, u32 nr)
{
	return (u64)ring << 32 | nr;
}

/* A cursor comes from user space. */
static void refuses_cursors_that_it_did_not_make(struct kunit *test)
{
	const u32 rings = nr_cpu_ids * BID_HISTORY_RINGS;
	struct bid_history *history;
	struct bid_history_slot slot;
	u64 cursor;
	u32 i, ring;

	migrate_disable();
	for (i = 0; i < 5; i++)
		add(0x10000, 0x1000, 0, 1);
	ring = smp_processor_id() * BID_HISTORY_RINGS + 1 + BID_HISTORY_MAPPINGS;
	migrate_enable();
	history = ring_at(ring);
	for (i = 0; i < 3; i++) {
		cursor = cursor_at(ring, history->next + i * 77);
		KUNIT_EXPECT_EQ(test, bid_history_next(&cursor, current->tgid, &slot), 0);
		KUNIT_EXPECT_EQ(test, cursor, BUILDID_MAPS_END);
	}

	cursor = 77;
	KUNIT_EXPECT_EQ(test, bid_history_next(&cursor, 0, &slot), -EINVAL);
	cursor = cursor_at(rings + 1, 0);
	KUNIT_EXPECT_EQ(test, bid_history_next(&cursor, 0, &slot), -EINVAL);
	cursor = U64_MAX - 1;
	KUNIT_EXPECT_EQ(test, bid_history_next(&cursor, 0, &slot), -EINVAL);
}

#define RACE_ADDS  30000
#define RACE_READS 30000

static int add_many(void *done)
{
	u32 i;

	/* each mapping is consistent: file, start and offset have the same number */
	for (i = 1; !kthread_should_stop(); i++) {
		add(i % 50 * 0x100000UL, 0x100000, i % 50 << 12, i % 50 + 1);
		if (i == RACE_ADDS)
			atomic_inc(done);
		cond_resched();
	}
	return 0;
}

static bool agrees(const struct bid_history_slot *slot)
{
	u64 which = slot->file_id - 1;

	return (slot->head & PAGE_MASK) == which * 0x100000UL && slot->pgoff == which << 12;
}

/* Also from cursors at slots that are being written, or will be next. */
static void finds_no_half_of_a_mapping(struct kunit *test)
{
	u32 found = 0, wrong = 0, i = 0, ring;
	struct task_struct *tasks[2];
	atomic_t done = ATOMIC_INIT(0);
	struct bid_history_slot slot;
	u64 cursor;

	for (i = 0; i < ARRAY_SIZE(tasks); i++) {
		tasks[i] = kthread_run(add_many, &done, "buildid_kunit/%u", i);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, tasks[i]);
	}
	/* this thread may not run before the others are done */
	for (i = 0; atomic_read(&done) < ARRAY_SIZE(tasks) || (!found && i < RACE_READS); i++) {
		ring = ring_after(0) + BID_HISTORY_MAPPINGS;
		cursor = i % 3 ? cursor_at(ring, next_of(ring_at(ring)) + i % 3 - 1) : 0;
		while (bid_history_next(&cursor, tasks[i % 2]->tgid, &slot) > 0) {
			found++;
			wrong += !agrees(&slot);
		}
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
	KUNIT_CASE(walks_from_the_newest_to_the_oldest),
	KUNIT_CASE(walks_through_all_processors),
	KUNIT_CASE(remembers_who_mapped_what_and_how),
	KUNIT_CASE(forgets_the_oldest_first),
	KUNIT_CASE(corrects_a_file_id_that_is_still_there),
	KUNIT_CASE(says_since_when_it_remembers_everything),
	KUNIT_CASE(remembers_forks_and_execs),
	KUNIT_CASE(knows_who_shares_its_parents_memory),
	KUNIT_CASE(ignores_threads_and_kernel_threads),
	KUNIT_CASE(forgets_no_mapping_as_others_fork),
	KUNIT_CASE(refuses_cursors_that_it_did_not_make),
	KUNIT_CASE(finds_no_half_of_a_mapping),
	{},
};

static struct kunit_suite suite = {
	.name = "buildid_history",
	.init = start,
	.test_cases = cases,
};

kunit_test_suites(&suite);
