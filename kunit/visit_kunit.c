// SPDX-License-Identifier: GPL-2.0
/*
 * From a mapping to its records: the hook, and what the mapping task does on its way back to user
 * space, with the real cache and rings, on files in shared memory.
 */
#include <linux/kthread.h>
#include <linux/task_work.h>

#include "images.h"
#include "subscriber.h"

#include "compat.h"
#include "history.h"
#include "lookup.h"
#include "reply.h"
#include "stats.h"

#include "alloc.h"

#undef kzalloc
#define kzalloc test_kzalloc

/* The work of tasks that have yet to return to user space. */
static struct {
	struct callback_head *works[64];
	u32 nr;
	bool exiting;		 /* no more task work is accepted */
	unsigned int no_threads; /* flags of tasks without task work */
	unsigned int past;	 /* flags of tasks that signals do not reach any more */
	bool killed;
} user;

static int test_task_work_add(struct task_struct *task, struct callback_head *work,
			      enum task_work_notify_mode notify)
{
	if (user.exiting || user.nr == ARRAY_SIZE(user.works))
		return -ESRCH;
	user.works[user.nr++] = work;
	return 0;
}

static int test_lookup_read(struct bid_lookup *lookup)
{
	return user.killed ? -EINTR : bid_lookup_read(lookup);
}

static void return_to_user(void)
{
	u32 i;

	for (i = 0; i < user.nr; i++)
		user.works[i]->func(user.works[i]);
	user.nr = 0;
}

/* Tests run in kernel threads. */
#undef PF_EXITING
#undef PF_KTHREAD
#define PF_EXITING	(user.past)
#define PF_KTHREAD	(user.no_threads)
#define bid_lookup_read test_lookup_read
#define task_work_add	test_task_work_add
#define BID_HAS_TASK_WORK_ADD

#include "visit.c"
#include "identify.c"

static void hook(struct vm_area_struct *vma)
{
	/* as a kprobe does */
	preempt_disable();
	bid_hook_mapping(vma);
	preempt_enable();
}

static void map_as(struct kunit *test, struct file *file, vm_flags_t flags)
{
	hook(make_vma(test, file, flags));
}

static void map(struct kunit *test, struct file *file)
{
	map_as(test, file, EXEC);
}

static struct pool *pool(void)
{
	return raw_cpu_ptr(&pools);
}

static u64 expect_mmap(struct kunit *test, struct test_subscriber *sub, u32 state)
{
	const struct buildid_mmap *mmap = next_mmap(test, sub);

	KUNIT_EXPECT_EQ(test, mmap->state, state);
	KUNIT_EXPECT_EQ(test, !mmap->file_id, state == BUILDID_STATE_UNRESOLVED);
	return mmap->file_id;
}

static const void *data_of(const struct buildid_file *record)
{
	return (const void *)record + record->data_off;
}

static void expect_file(struct kunit *test, struct test_subscriber *sub, u64 file_id, u8 first)
{
	const struct buildid_file *record = next_file(test, sub);

	KUNIT_EXPECT_EQ(test, record->file_id, file_id);
	KUNIT_EXPECT_EQ(test, record->kind, BUILDID_KIND_GNU);
	KUNIT_EXPECT_EQ(test, record->reason, BUILDID_REASON_NONE);
	KUNIT_ASSERT_EQ(test, record->id_len, IMAGE_ID_LEN);
	KUNIT_EXPECT_EQ(test, *(const u8 *)data_of(record), first);
	KUNIT_EXPECT_MEMEQ(test, data_of(record) + 1, gnu_id + 1, IMAGE_ID_LEN - 1);
	KUNIT_EXPECT_TRUE(test, ring_is_empty(sub));
}

static void expect_reason(struct kunit *test, struct test_subscriber *sub, u64 file_id, u8 reason)
{
	const struct buildid_file *record = next_file(test, sub);

	KUNIT_EXPECT_EQ(test, record->file_id, file_id);
	KUNIT_EXPECT_EQ(test, record->kind, BUILDID_KIND_NONE);
	KUNIT_EXPECT_EQ(test, record->reason, reason);
	KUNIT_EXPECT_EQ(test, record->id_len, 0);
	KUNIT_EXPECT_TRUE(test, ring_is_empty(sub));
}

/* Map a file that is not known, and read it. */
static u64 map_new(struct kunit *test, struct test_subscriber *sub, struct file *file, u8 first)
{
	u64 file_id;

	map(test, file);
	file_id = expect_mmap(test, sub, BUILDID_STATE_FOLLOWS);
	KUNIT_EXPECT_TRUE(test, ring_is_empty(sub));
	return_to_user();
	expect_file(test, sub, file_id, first);
	return file_id;
}

/* Map a file that the subscriber knows. */
static u64 map_known(struct kunit *test, struct test_subscriber *sub, struct file *file)
{
	map(test, file);
	KUNIT_EXPECT_EQ(test, user.nr, 0);
	return expect_mmap(test, sub, BUILDID_STATE_KNOWN);
}

static u32 visits_now(void)
{
	u64 ns, pid;

	return bid_visit_count(&ns, &pid);
}

/* ---------------------------------------------------------- what is mapped -- */

static void a_new_file_follows_its_mapping(struct kunit *test)
{
	struct test_subscriber *sub = subscribe(test);
	u64 reads = bid_stats_sum(BID_STAT_READ_MAPPER), misses = bid_stats_sum(BID_STAT_MISSES);
	struct file *file = make_settled_file(test);
	struct inode *inode = file_inode(file);
	long count = file_count(file);
	const struct buildid_file *record;
	u64 file_id;

	map(test, file);
	file_id = expect_mmap(test, sub, BUILDID_STATE_FOLLOWS);
	KUNIT_EXPECT_TRUE(test, ring_is_empty(sub));
	KUNIT_EXPECT_EQ(test, file_count(file), count + 1);
	return_to_user();
	KUNIT_EXPECT_EQ(test, file_count(file), count);
	record = next_file(test, sub);
	KUNIT_EXPECT_EQ(test, record->file_id, file_id);
	KUNIT_EXPECT_EQ(test, record->pid, task_tgid_nr(current));
	KUNIT_EXPECT_EQ(test, record->tid, task_pid_nr(current));
	KUNIT_EXPECT_EQ(test, record->ino, inode->i_ino);
	KUNIT_EXPECT_EQ(test, record->user_ino, inode->i_ino);
	KUNIT_EXPECT_EQ(test, record->dev_minor, MINOR(inode->i_sb->s_dev));
	KUNIT_EXPECT_EQ(test, record->file_size, i_size_read(inode));
	KUNIT_EXPECT_EQ(test, record->flags, BUILDID_FILE_DELETED);
	KUNIT_EXPECT_EQ(test, record->kind, BUILDID_KIND_GNU);
	KUNIT_EXPECT_STREQ(test, (const char *)data_of(record) + ALIGN(IMAGE_ID_LEN, 8), "/image");
	KUNIT_EXPECT_EQ(test, bid_stats_sum(BID_STAT_READ_MAPPER) - reads, 1);
	KUNIT_EXPECT_EQ(test, bid_stats_sum(BID_STAT_MISSES) - misses, 1);
}

static void a_known_file_is_sent_once_to_each(struct kunit *test)
{
	struct test_subscriber *sub = subscribe(test), *late;
	u64 hits = bid_stats_sum(BID_STAT_HITS), reads = bid_stats_sum(BID_STAT_READ_MAPPER);
	struct file *file = make_settled_file(test);
	u64 file_id = map_new(test, sub, file, gnu_id[0]);
	u32 i;

	for (i = 0; i < 10; i++)
		KUNIT_EXPECT_EQ(test, map_known(test, sub, file), file_id);
	late = subscribe(test);
	map(test, file);
	map(test, file);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, expect_mmap(test, sub, BUILDID_STATE_KNOWN), file_id);
		KUNIT_EXPECT_EQ(test, expect_mmap(test, late, BUILDID_STATE_FOLLOWS), file_id);
	}
	return_to_user();
	expect_file(test, late, file_id, gnu_id[0]);
	KUNIT_EXPECT_TRUE(test, ring_is_empty(sub));
	KUNIT_EXPECT_EQ(test, bid_stats_sum(BID_STAT_HITS) - hits, 12);
	KUNIT_EXPECT_EQ(test, bid_stats_sum(BID_STAT_READ_MAPPER) - reads, 1);
}

/* Without a subscriber: somebody may ask for it later. */
static void a_file_is_read_although_nobody_subscribed(struct kunit *test)
{
	struct file *file = make_settled_file(test);
	struct test_subscriber *sub;

	map(test, file);
	return_to_user();
	KUNIT_EXPECT_EQ(test, bid_cache_entries(), 1);
	map(test, file);
	KUNIT_EXPECT_EQ(test, user.nr, 0);
	sub = subscribe(test);
	map_new(test, sub, file, gnu_id[0]);
}

static void data_is_ignored_without_a_subscriber_for_it(struct kunit *test)
{
	struct test_subscriber *sub = subscribe(test), *data;
	u64 misses = bid_stats_sum(BID_STAT_MISSES), file_id;
	struct file *file = make_settled_file(test), *both = make_settled_file(test);

	map_as(test, file, DATA);
	KUNIT_EXPECT_EQ(test, bid_stats_sum(BID_STAT_MISSES) - misses, 0);
	KUNIT_EXPECT_EQ(test, user.nr, 0);
	data = start_subscriber(test, BUILDID_SUB_DATA, SZ_16K, 0, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, data);
	map_as(test, file, DATA);
	return_to_user();
	file_id = expect_mmap(test, data, BUILDID_STATE_FOLLOWS);
	expect_file(test, data, file_id, gnu_id[0]);
	KUNIT_EXPECT_TRUE(test, ring_is_empty(sub));

	/* of both kinds of mappings in one system call, as exec makes them */
	map_as(test, both, DATA);
	map(test, both);
	return_to_user();
	file_id = expect_mmap(test, sub, BUILDID_STATE_FOLLOWS);
	expect_file(test, sub, file_id, gnu_id[0]);
}

static void a_changed_file_is_another(struct kunit *test)
{
	struct test_subscriber *sub = subscribe(test);
	struct file *file = make_settled_file(test);
	u64 first = map_new(test, sub, file, gnu_id[0]), second;

	store_id(test, file, 0x77);
	date_file(file, -3600);
	second = map_new(test, sub, file, 0x77);
	KUNIT_EXPECT_GT(test, second, first);
	bid_file_end_epoch(file_inode(file)->i_sb);
	KUNIT_EXPECT_GT(test, map_new(test, sub, file, 0x77), second);
	KUNIT_EXPECT_EQ(test, bid_cache_entries(), 3);
	bid_cache_flush();
	map_new(test, sub, file, 0x77);
}

/* Stores to a shared mapping may not change the time stamps. */
static void a_file_mapped_shared_and_writable_is_read_again(struct kunit *test)
{
	struct test_subscriber *sub = subscribe(test);
	struct file *file = make_settled_file(test), *device;
	u64 first = map_new(test, sub, file, gnu_id[0]), rechecks, again;

	rechecks = bid_stats_sum(BID_STAT_RECHECKS);
	map_as(test, file, SHARED);
	KUNIT_EXPECT_TRUE(test, ring_is_empty(sub));
	again = map_new(test, sub, file, gnu_id[0]);
	KUNIT_EXPECT_GT(test, again, first);
	KUNIT_EXPECT_EQ(test, bid_stats_sum(BID_STAT_RECHECKS) - rechecks, 1);
	/* the content was the same */
	KUNIT_EXPECT_EQ(test, map_known(test, sub, file), first);

	map_as(test, file, SHARED);
	store_id(test, file, 0x77);
	again = map_new(test, sub, file, 0x77);
	KUNIT_EXPECT_EQ(test, map_known(test, sub, file), again);

	device = filp_open("/dev/zero", O_RDWR, 0);
	if (IS_ERR(device))
		return;
	map_as(test, device, SHARED);
	filp_close(device, NULL);
}

static void a_file_that_may_not_be_read_has_a_reason(struct kunit *test)
{
	struct test_subscriber *sub = subscribe(test);
	u64 reads = bid_stats_sum(BID_STAT_READ_MAPPER);
	struct file *file = make_settled_file(test);
	u64 file_id;

	file->f_mode &= ~FMODE_READ;
	map(test, file);
	file_id = expect_mmap(test, sub, BUILDID_STATE_FOLLOWS);
	return_to_user();
	file->f_mode |= FMODE_READ;
	expect_reason(test, sub, file_id, BUILDID_REASON_UNREADABLE);
	KUNIT_EXPECT_EQ(test, bid_stats_sum(BID_STAT_READ_MAPPER) - reads, 0);
}

/* ----------------------------------------------------- on the way to user space -- */

static void what_changed_before_it_is_read_is_not_what_was_mapped(struct kunit *test)
{
	u64 changing = bid_stats_sum(BID_STAT_CHANGING), file_id;
	struct test_subscriber *sub = subscribe(test);
	struct file *file = make_settled_file(test);
	u8 other = 0x77;

	/* unlink and chmod move ctime alone */
	map(test, file);
	file_id = expect_mmap(test, sub, BUILDID_STATE_FOLLOWS);
	date_file(file, -3600);
	return_to_user();
	expect_file(test, sub, file_id, gnu_id[0]);

	file = make_settled_file(test);
	map(test, file);
	file_id = expect_mmap(test, sub, BUILDID_STATE_FOLLOWS);
	settle_time_stamps();
	write_file(test, file, &other, 1, 0);
	return_to_user();
	expect_reason(test, sub, file_id, BUILDID_REASON_CHANGING);
	KUNIT_EXPECT_EQ(test, bid_stats_sum(BID_STAT_CHANGING) - changing, 1);
	KUNIT_EXPECT_EQ(test, bid_cache_entries(), 1);
}

static void a_task_that_is_killed_says_so(struct kunit *test)
{
	struct test_subscriber *sub = subscribe(test);
	struct file *file = make_settled_file(test);
	u64 file_id;
	u32 i;

	for (i = 0; i < 2; i++) {
		map(test, file);
		file_id = expect_mmap(test, sub, BUILDID_STATE_FOLLOWS);
		/* during the read, or before */
		user.killed = !i;
		user.past = i ? ~0 : 0;
		return_to_user();
		user.killed = false;
		user.past = 0;
		expect_reason(test, sub, file_id, BUILDID_REASON_INTERRUPTED);
	}
	map_new(test, sub, file, gnu_id[0]);
}

/* Most paths are short. */
static void without_memory_for_a_long_path_there_is_none(struct kunit *test)
{
	struct test_subscriber *sub = subscribe(test);
	const struct buildid_file *record;
	const u16 lens[] = { 6, 0, 201 };
	char name[201];
	u32 i;

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = 0;
	for (i = 0; i < 3; i++) {
		map(test, make_named_file(test, i ? name : "short"));
		next_mmap(test, sub);
		alloc_expect(i < 2);
		return_to_user();
		alloc_expect(0);
		record = next_file(test, sub);
		KUNIT_EXPECT_EQ(test, record->kind, BUILDID_KIND_GNU);
		KUNIT_EXPECT_EQ(test, record->flags,
				BUILDID_FILE_DELETED | (i == 1 ? BUILDID_FILE_NO_PATH : 0));
		KUNIT_EXPECT_EQ(test, record->path_len, lens[i]);
	}
}

static u64 resolve(struct kunit *test, struct file *file)
{
	struct buildid_file *record = kunit_kzalloc(test, BUILDID_RECORD_MAX, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, record);
	KUNIT_ASSERT_EQ(test, bid_reply_file(file, record), 0);
	return record->file_id;
}

/* Another task is faster. The mapping keeps the file_id that it was sent with. */
static void the_history_gets_the_file_id_that_the_cache_has(struct kunit *test)
{
	struct test_subscriber *sub = subscribe(test);
	u64 reads = bid_stats_sum(BID_STAT_READ_MAPPER), file_id, other;
	struct file *file = make_settled_file(test);
	const struct visited *visited;
	u64 *slots[SLOTS_MAX];
	u32 i;

	for (i = 0; i < SLOTS_MAX + 1; i++)
		map(test, file);
	file_id = expect_mmap(test, sub, BUILDID_STATE_FOLLOWS);
	for (i = 0; i < SLOTS_MAX; i++)
		KUNIT_EXPECT_EQ(test, expect_mmap(test, sub, BUILDID_STATE_FOLLOWS), file_id);
	visited = &pool()->last->files[0];
	KUNIT_ASSERT_EQ(test, visited->nr_slots, SLOTS_MAX);
	memcpy(slots, visited->slots, sizeof(slots));
	other = resolve(test, file);
	/* that mapping has been overwritten */
	*slots[0] = 12345;
	return_to_user();
	expect_file(test, sub, file_id, gnu_id[0]);
	KUNIT_EXPECT_NE(test, other, file_id);
	KUNIT_EXPECT_EQ(test, *slots[0], 12345);
	for (i = 1; i < SLOTS_MAX; i++)
		KUNIT_EXPECT_EQ(test, *slots[i], other);
	KUNIT_EXPECT_EQ(test, bid_stats_sum(BID_STAT_READ_MAPPER) - reads, 0);

	/* or another task has read the same meanwhile */
	map_as(test, file, SHARED);
	map(test, file);
	slots[0] = pool()->last->files[0].slots[0];
	file_id = expect_mmap(test, sub, BUILDID_STATE_FOLLOWS);
	KUNIT_EXPECT_EQ(test, *slots[0], file_id);
	return_to_user();
	expect_file(test, sub, file_id, gnu_id[0]);
	KUNIT_EXPECT_EQ(test, *slots[0], other);
}

/* A file_id never changes its content. */
static void what_was_evicted_before_it_is_sent_gets_another_file_id(struct kunit *test)
{
	struct test_subscriber *sub = subscribe(test), *late;
	struct file *file = make_settled_file(test);
	u64 file_id = map_new(test, sub, file, gnu_id[0]);

	late = subscribe(test);
	map(test, file);
	KUNIT_EXPECT_EQ(test, expect_mmap(test, sub, BUILDID_STATE_KNOWN), file_id);
	KUNIT_EXPECT_EQ(test, expect_mmap(test, late, BUILDID_STATE_FOLLOWS), file_id);
	bid_cache_flush();
	store_id(test, file, 0x77);
	return_to_user();
	expect_file(test, late, file_id, 0x77);
	KUNIT_EXPECT_TRUE(test, ring_is_empty(sub));
	map(test, file);
	KUNIT_EXPECT_GT(test, expect_mmap(test, sub, BUILDID_STATE_FOLLOWS), file_id);
	return_to_user();
}

/* ------------------------------------------------------------------ visits -- */

static void a_file_is_in_a_visit_once(struct kunit *test)
{
	struct test_subscriber *sub = subscribe(test);
	struct file *file = make_settled_file(test);
	u64 first, second;

	map(test, file);
	map(test, file);
	KUNIT_EXPECT_EQ(test, user.nr, 1);
	first = expect_mmap(test, sub, BUILDID_STATE_FOLLOWS);
	KUNIT_EXPECT_EQ(test, expect_mmap(test, sub, BUILDID_STATE_FOLLOWS), first);
	/* as long as it is the same */
	date_file(file, -3600);
	map(test, file);
	second = expect_mmap(test, sub, BUILDID_STATE_FOLLOWS);
	KUNIT_EXPECT_GT(test, second, first);
	KUNIT_EXPECT_EQ(test, user.nr, 1);
	KUNIT_EXPECT_EQ(test, pool()->last->nr_files, 2);
	return_to_user();
	KUNIT_EXPECT_EQ(test, next_file(test, sub)->file_id, first);
	expect_file(test, sub, second, gnu_id[0]);
	KUNIT_EXPECT_EQ(test, bid_cache_entries(), 1);
}

static void a_visit_has_so_many_files_and_no_more(struct kunit *test)
{
	u64 unresolved = bid_stats_sum(BID_STAT_UNRESOLVED);
	struct test_subscriber *sub = subscribe(test);
	const struct buildid_lost *lost;
	struct file *file;
	u32 i;

	for (i = 0; i <= FILES_MAX; i++) {
		file = make_settled_file(test);
		map(test, file);
		expect_mmap(test, sub,
			    i < FILES_MAX ? BUILDID_STATE_FOLLOWS : BUILDID_STATE_UNRESOLVED);
	}
	KUNIT_EXPECT_EQ(test, user.nr, 1);
	KUNIT_EXPECT_EQ(test, bid_stats_sum(BID_STAT_UNRESOLVED) - unresolved, 1);
	return_to_user();
	lost = (const void *)next_record(sub, BUILDID_RECORD_LOST);
	KUNIT_ASSERT_NOT_NULL(test, lost);
	KUNIT_EXPECT_EQ(test, lost->unresolved, 1);
	for (i = 0; i < FILES_MAX; i++)
		next_file(test, sub);
	/* the next one has it */
	map_new(test, sub, file, gnu_id[0]);
}

static const struct refusal {
	const char *name;
	bool kernel_thread;
	bool exiting;
	bool starting; /* the module is */
	bool all_taken;
} refusals[] = {
	{ "a kernel thread", .kernel_thread = true },
	{ "a task that exits", .exiting = true },
	{ "the task that loads the module", .starting = true },
	{ "a task when there are no more", .all_taken = true },
};

KUNIT_ARRAY_PARAM_DESC(refusals, refusals, name);

static void no_visit_is_to_be_had_by(struct kunit *test)
{
	const struct refusal *of = test->param_value;
	struct test_subscriber *sub = subscribe(test), *late;
	struct file *known = make_settled_file(test), *new = make_settled_file(test);
	struct visit *first;

	map_new(test, sub, known, gnu_id[0]);
	late = subscribe(test);
	user.no_threads = of->kernel_thread ? ~0 : 0;
	user.exiting = of->exiting;
	started = !of->starting;
	first = pool()->free;
	if (of->all_taken)
		pool()->free = NULL;
	map(test, new);
	if (!of->starting)
		map(test, known);
	pool()->free = first;
	started = true;
	user.exiting = false;
	user.no_threads = 0;

	expect_mmap(test, sub, BUILDID_STATE_UNRESOLVED);
	expect_mmap(test, late, BUILDID_STATE_UNRESOLVED);
	KUNIT_EXPECT_EQ(test, user.nr, 0);
	KUNIT_EXPECT_EQ(test, visits_now(), 0);
	if (of->starting)
		return;
	KUNIT_EXPECT_NOT_NULL(test, next_record(sub, BUILDID_RECORD_LOST));
	expect_mmap(test, sub, BUILDID_STATE_KNOWN);
	KUNIT_EXPECT_NOT_NULL(test, next_record(late, BUILDID_RECORD_LOST));
	expect_mmap(test, late, BUILDID_STATE_UNRESOLVED);
}

static int map_and_wait(void *vma)
{
	hook(vma);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

static void each_task_has_a_visit_of_its_own(struct kunit *test)
{
	struct vm_area_struct *vma = make_vma(test, make_settled_file(test), EXEC);
	struct task_struct *other;
	u64 ns, pid;
	u32 i;

	map(test, make_settled_file(test));
	msleep(20);
	other = kthread_create(map_and_wait, vma, "buildid_kunit");
	KUNIT_ASSERT_FALSE(test, IS_ERR(other));
	kthread_bind(other, raw_smp_processor_id());
	wake_up_process(other);
	for (i = 0; i < 500 && READ_ONCE(user.nr) < 2; i++)
		schedule_timeout_uninterruptible(1);
	KUNIT_EXPECT_EQ(test, bid_visit_count(&ns, &pid), 2);
	KUNIT_EXPECT_EQ(test, pid, current->pid);
	KUNIT_EXPECT_GE(test, ns, 20 * NSEC_PER_MSEC);
	/* this one's visit is not found here any more, so there is a third one */
	map(test, make_settled_file(test));
	KUNIT_EXPECT_EQ(test, user.nr, 3);
	kthread_stop(other);
	return_to_user();
	KUNIT_EXPECT_EQ(test, bid_visit_count(&ns, &pid), 0);
	KUNIT_EXPECT_EQ(test, ns, 0);
	KUNIT_EXPECT_EQ(test, pid, 0);
	KUNIT_EXPECT_EQ(test, bid_cache_entries(), 3);
}

static u32 count_visits(void)
{
	struct visit *visit;
	u32 n = 0;

	spin_lock(&visits_lock);
	list_for_each_entry(visit, &visits, all)
		n++;
	spin_unlock(&visits_lock);
	return n;
}

/* Those that keep this module loaded, if it is one. */
static u32 references(void)
{
#ifdef MODULE
	return module_refcount(THIS_MODULE);
#else
	return visits_now();
#endif
}

/* Long visits do not block others, and are returned to the pool in the end. */
static void the_pool_is_filled_as_it_is_used_up(struct kunit *test)
{
	u32 before = count_visits(), taken = POOL - 4, i;
	struct file *file = make_settled_file(test);
	u32 refs = references();

	KUNIT_ASSERT_EQ(test, pool()->count, POOL);
	for (i = 0; i < taken; i++) {
		map(test, file);
		/* as of another task */
		WRITE_ONCE(pool()->last->task, &init_task);
	}
	KUNIT_EXPECT_EQ(test, references(), refs + taken);
	flush_work(&pool()->refill);
	KUNIT_EXPECT_GT(test, pool()->count, POOL / 2);
	KUNIT_EXPECT_EQ(test, count_visits(), before - POOL + pool()->count + taken);
	KUNIT_EXPECT_EQ(test, visits_now(), taken);
	return_to_user();
	KUNIT_EXPECT_EQ(test, pool()->count, POOL);
	KUNIT_EXPECT_EQ(test, count_visits(), before);
	KUNIT_EXPECT_EQ(test, references(), refs);
	KUNIT_EXPECT_EQ(test, visits_now(), 0);
	KUNIT_EXPECT_PTR_EQ(test, pool()->last, NULL);
	map(test, make_settled_file(test));
	return_to_user();
}

/* The very first allocation, the first of the second CPU, and the last. */
static void holds_nothing_when_it_cannot_start(struct kunit *test)
{
	u32 all = POOL * num_possible_cpus(), fails[] = { 1, POOL + 1, all }, i;

	for (i = 0; i < ARRAY_SIZE(fails); i++) {
		atomic_set(&alloc.held, 0);
		alloc_expect(min(fails[i], all));
		KUNIT_EXPECT_EQ(test, bid_visit_init(), -ENOMEM);
		KUNIT_EXPECT_EQ(test, atomic_read(&alloc.held), 0);
		KUNIT_EXPECT_EQ(test, count_visits(), 0);
	}
	alloc_expect(0);
	KUNIT_ASSERT_EQ(test, bid_visit_init(), 0);
	bid_visit_exit();
	KUNIT_EXPECT_EQ(test, atomic_read(&alloc.held), 0);
}

static void stop(void *unused)
{
	return_to_user();
	bid_visit_exit();
	bid_history_exit();
	bid_cache_exit();
	stub_no_change_counter = false;
	stub_seconds_later = 0;
}

/* Undone after a case's subscribers have ended. */
static int start(struct kunit *test)
{
	int err;

	memset(&user, 0, sizeof(user));
	alloc_expect(0);
	/* the hook finds a task's visit only on the same CPU */
	set_cpus_allowed_ptr(current, cpumask_of(raw_smp_processor_id()));
	err = bid_cache_init(64);
	if (err)
		return err;
	err = bid_history_init();
	if (err)
		goto err_cache;
	err = bid_visit_init();
	if (err)
		goto err_history;
	bid_visit_start();
	return kunit_add_action_or_reset(test, stop, NULL);

err_history:
	bid_history_exit();
err_cache:
	bid_cache_exit();
	return err;
}

static int init_suite(struct kunit_suite *suite)
{
	fill_ids();
	return 0;
}

static struct kunit_case cases[] = {
	KUNIT_CASE(a_new_file_follows_its_mapping),
	KUNIT_CASE(a_known_file_is_sent_once_to_each),
	KUNIT_CASE(a_file_is_read_although_nobody_subscribed),
	KUNIT_CASE(data_is_ignored_without_a_subscriber_for_it),
	KUNIT_CASE(a_changed_file_is_another),
	KUNIT_CASE(a_file_mapped_shared_and_writable_is_read_again),
	KUNIT_CASE(a_file_that_may_not_be_read_has_a_reason),
	KUNIT_CASE(what_changed_before_it_is_read_is_not_what_was_mapped),
	KUNIT_CASE(a_task_that_is_killed_says_so),
	KUNIT_CASE(without_memory_for_a_long_path_there_is_none),
	KUNIT_CASE(the_history_gets_the_file_id_that_the_cache_has),
	KUNIT_CASE(what_was_evicted_before_it_is_sent_gets_another_file_id),
	KUNIT_CASE(a_file_is_in_a_visit_once),
	KUNIT_CASE(a_visit_has_so_many_files_and_no_more),
	KUNIT_CASE_PARAM(no_visit_is_to_be_had_by, refusals_gen_params),
	KUNIT_CASE(each_task_has_a_visit_of_its_own),
	KUNIT_CASE(the_pool_is_filled_as_it_is_used_up),
	{},
};

static struct kunit_suite suite = {
	.name = "buildid_visit",
	.suite_init = init_suite,
	.init = start,
	.test_cases = cases,
};

static struct kunit_case init_cases[] = {
	KUNIT_CASE(holds_nothing_when_it_cannot_start),
	{},
};

static struct kunit_suite init_suite_of_visits = {
	.name = "buildid_visit_init",
	.test_cases = init_cases,
};

/* In this order: what is set up once stays set up. */
kunit_test_suites(&init_suite_of_visits, &suite);
