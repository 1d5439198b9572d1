// SPDX-License-Identifier: GPL-2.0
/*
 * Layouts of FILE and MMAP records, which subscribers get them, and how they refer to each other.
 */
#include "subscriber.h"

/* How often the hint is wrong, like that of a ring that forgets at this moment. */
static u32 wrong_hints;

static bool test_file_sent(const struct bid_ring *ring, u64 file_id)
{
	return wrong_hints ? wrong_hints-- : bid_ring_file_sent(ring, file_id);
}

#define bid_ring_file_sent test_file_sent

#include "event.c"
#include "record.c"

/* ------------------------------------------------------------- the records -- */

static const struct layout {
	const char *name;
	u8 id_len;
	u16 path_len;
} layouts[] = {
	{ "no id, no path", 0, 0 },
	{ "1 byte, 1 character", 1, 1 },
	{ "8 bytes, 7 characters", 8, 7 },
	{ "20 bytes, 8 characters", 20, 8 },
	{ "no id, 9 characters", 0, 9 },
	{ "20 bytes, no path", 20, 0 },
	{ "128 bytes, the longest path", 128, PATH_MAX - 1 },
};

KUNIT_ARRAY_PARAM_DESC(layouts, layouts, name);

static void lays_out_a_file_record_of(struct kunit *test)
{
	static const struct bid_key key = {
		.dev = MKDEV(259, 70000),
		.generation = 0x87654321,
		.ino = 1ULL << 40,
		.tree = 9,
	};
	static const struct bid_version version = {
		.ctime = -5,
		.mtime = S64_MAX,
		.size = 1ULL << 50,
		.change = 77,
		.epoch = 5,
	};
	const struct layout *of = test->param_value;
	struct bid_file_info info = {
		.file_id = 1ULL << 33,
		.key = &key,
		.version = &version,
		.user_ino = 55,
		.user_dev = MKDEV(0, 44),
		.flags = BUILDID_FILE_UNSTABLE,
		.kind = BUILDID_KIND_GNU,
		.reason = BUILDID_REASON_NONE,
		.id_len = of->id_len,
		.path = { .len = of->path_len, .flags = BUILDID_FILE_DELETED },
	};
	u32 size = bid_record_file_size(&info), path = ALIGN(of->id_len, 8);
	u32 id_end = of->id_len, path_end = path + of->path_len;
	struct buildid_file *record;
	u8 *bytes, *from, *data;

	bytes = kunit_kmalloc(test, BUILDID_RECORD_MAX, GFP_KERNEL);
	from = kunit_kmalloc(test, PATH_MAX, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, bytes);
	KUNIT_ASSERT_NOT_NULL(test, from);
	memset(bytes, 0xff, BUILDID_RECORD_MAX);
	memset(from, 0x5a, PATH_MAX);
	info.id = from;
	info.path.name = from;

	KUNIT_EXPECT_EQ(test, size % 8, 0);
	KUNIT_ASSERT_LE(test, size, BUILDID_RECORD_MAX - 8);
	record = (struct buildid_file *)bytes;
	bid_record_file_write(&info, 12, 13, record);
	KUNIT_EXPECT_EQ(test, record->pid, 12);
	KUNIT_EXPECT_EQ(test, record->tid, 13);
	KUNIT_EXPECT_EQ(test, record->tree, 9);
	KUNIT_EXPECT_EQ(test, record->file_id, 1ULL << 33);
	KUNIT_EXPECT_EQ(test, record->ino, 1ULL << 40);
	KUNIT_EXPECT_EQ(test, record->user_ino, 55);
	KUNIT_EXPECT_EQ(test, record->dev_major, 259);
	KUNIT_EXPECT_EQ(test, record->dev_minor, 70000);
	KUNIT_EXPECT_EQ(test, record->user_dev_major, 0);
	KUNIT_EXPECT_EQ(test, record->user_dev_minor, 44);
	KUNIT_EXPECT_EQ(test, record->generation, 0x87654321);
	KUNIT_EXPECT_EQ(test, record->flags, BUILDID_FILE_UNSTABLE | BUILDID_FILE_DELETED);
	KUNIT_EXPECT_EQ(test, record->ctime, -5);
	KUNIT_EXPECT_EQ(test, record->mtime, S64_MAX);
	KUNIT_EXPECT_EQ(test, record->file_size, 1ULL << 50);
	KUNIT_EXPECT_EQ(test, record->change, 77);
	KUNIT_EXPECT_EQ(test, record->kind, BUILDID_KIND_GNU);
	KUNIT_EXPECT_EQ(test, record->reason, BUILDID_REASON_NONE);
	KUNIT_EXPECT_EQ(test, record->id_len, of->id_len);
	KUNIT_EXPECT_EQ(test, record->path_len, of->path_len);

	KUNIT_EXPECT_EQ(test, record->data_off, sizeof(*record));
	data = bytes + record->data_off;

	/* the id, zeros, the path, a NUL, zeros; and no byte more */
	KUNIT_EXPECT_MEMEQ(test, data, from, of->id_len);
	KUNIT_EXPECT_PTR_EQ(test, memchr_inv(data + id_end, 0, path - id_end), NULL);
	KUNIT_EXPECT_MEMEQ(test, data + path, from, of->path_len);
	KUNIT_EXPECT_PTR_EQ(test, memchr_inv(data + path_end, 0, size - sizeof(*record) - path_end),
			    NULL);
	if (of->path_len)
		KUNIT_EXPECT_GT(test, size, sizeof(*record) + path_end);
	KUNIT_EXPECT_PTR_EQ(test, memchr_inv(bytes + size, 0xff, BUILDID_RECORD_MAX - size), NULL);
	KUNIT_EXPECT_PTR_EQ(test, memchr_inv(bytes, 0xff, sizeof(record->header)), NULL);
}

/* ------------------------------------------------------------ who gets them -- */

/* How often the hook was asked to have a FILE follow, and whether it can. */
static struct {
	u32 asked;
	bool can;
} follow;

static bool test_follow(const struct vm_area_struct *vma, u64 file_id)
{
	follow.asked++;
	return follow.can;
}

/* As a hit or a miss. */
static void report_file(struct kunit *test, vm_flags_t flags, u64 file_id, bool hit)
{
	struct file *file = make_file(test, "a", "content", 7);
	struct vm_area_struct *vma = make_vma(test, file, flags);

	preempt_disable();
	if (hit)
		bid_event_hit(vma, file_id, 1234, test_follow);
	else
		bid_event_miss(vma, file_id, 1234);
	preempt_enable();
}

/* A mapping of a file that is to be read. */
static void report_new(struct kunit *test, vm_flags_t flags, u64 file_id)
{
	report_file(test, flags, file_id, false);
}

static void report_unresolved(struct kunit *test, vm_flags_t flags)
{
	report_file(test, flags, 0, false);
}

static void send(u64 file_id, bool exec)
{
	static const struct bid_version version;
	static const struct bid_key key;
	struct bid_file_info info = {
		.file_id = file_id,
		.key = &key,
		.version = &version,
		.path = { .name = "/a", .len = 2 },
	};

	bid_event_file(&info, exec);
}

static void a_mapping_record_has_every_field(struct kunit *test)
{
	struct test_subscriber *sub = subscribe(test);
	const struct buildid_mmap *mmap;

	report_unresolved(test, EXEC);
	mmap = next_mmap(test, sub);
	KUNIT_EXPECT_EQ(test, mmap->header.size, sizeof(*mmap));
	KUNIT_EXPECT_EQ(test, mmap->header.time_perf, 1234);
	KUNIT_EXPECT_EQ(test, mmap->pid, task_tgid_nr(current));
	KUNIT_EXPECT_EQ(test, mmap->tid, task_pid_nr(current));
	KUNIT_EXPECT_EQ(test, mmap->addr, MAPPED_AT);
	KUNIT_EXPECT_EQ(test, mmap->len, MAPPED_LEN);
	KUNIT_EXPECT_EQ(test, mmap->pgoff, MAPPED_PGOFF * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, mmap->file_id, 0);
	KUNIT_EXPECT_EQ(test, mmap->prot, PROT_READ | PROT_EXEC);
	KUNIT_EXPECT_EQ(test, mmap->map_flags, MAP_PRIVATE);
	KUNIT_EXPECT_EQ(test, mmap->state, BUILDID_STATE_UNRESOLVED);
	KUNIT_EXPECT_EQ(test, mmap->start_time, current->group_leader->start_boottime);
	KUNIT_EXPECT_EQ(test, mmap->uid, __kuid_val(current_uid()));
	rcu_read_lock();
	KUNIT_EXPECT_EQ(test, mmap->cgroup_id, bid_cgroup_id(current));
	rcu_read_unlock();
	KUNIT_EXPECT_STREQ(test, mmap->comm, current->comm);
	KUNIT_EXPECT_TRUE(test, ring_is_empty(sub));
}

static const struct prot_case {
	const char *name;
	vm_flags_t flags;
	u32 prot;
	u32 map_flags;
} prots[] = {
	{ "r--p", DATA, PROT_READ, MAP_PRIVATE },
	{ "r-xp", EXEC, PROT_READ | PROT_EXEC, MAP_PRIVATE },
	{ "--xp", EXEC & ~VM_READ, PROT_EXEC, MAP_PRIVATE },
	{ "rwxp", EXEC | VM_WRITE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE },
	{ "rw-s", SHARED, PROT_READ | PROT_WRITE, MAP_SHARED },
	{ "rwxs", SHARED | VM_EXEC, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_SHARED },
	/* a shared mapping of a file not open for writing is VM_MAYSHARE alone */
	{ "r-xs", EXEC | VM_MAYSHARE, PROT_READ | PROT_EXEC, MAP_SHARED },
};

KUNIT_ARRAY_PARAM_DESC(prots, prots, name);

static void a_mapping_record_has_its_protection(struct kunit *test)
{
	const struct prot_case *of = test->param_value;
	struct test_subscriber *sub = start_subscriber(test, BUILDID_SUB_DATA, SZ_4K, 0, NULL);
	const struct buildid_mmap *mmap;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, sub);
	report_unresolved(test, of->flags);
	mmap = next_mmap(test, sub);
	KUNIT_EXPECT_EQ(test, mmap->prot, of->prot);
	KUNIT_EXPECT_EQ(test, mmap->map_flags, of->map_flags);
}

/* As the hook asks. */
static bool current_watches_data(void)
{
	bool watches;

	preempt_disable();
	watches = bid_event_watches_data();
	preempt_enable();
	return watches;
}

static void data_of_other_processes_is_ignored(struct kunit *test)
{
	struct test_subscriber *others, *own;

	others = start_subscriber(test, BUILDID_SUB_DATA, SZ_4K, 0, task_tgid(&init_task));
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, others);
	KUNIT_EXPECT_FALSE(test, current_watches_data());
	own = start_subscriber(test, BUILDID_SUB_DATA, SZ_4K, 0, task_tgid(current));
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, own);
	KUNIT_EXPECT_TRUE(test, current_watches_data());
}

static void data_goes_to_subscribers_for_data(struct kunit *test)
{
	struct test_subscriber *code = subscribe(test), *data;

	KUNIT_EXPECT_FALSE(test, current_watches_data());
	data = start_subscriber(test, BUILDID_SUB_DATA, SZ_4K, 0, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, data);
	KUNIT_EXPECT_TRUE(test, current_watches_data());

	report_unresolved(test, DATA);
	KUNIT_EXPECT_TRUE(test, ring_is_empty(code));
	next_mmap(test, data);
	report_unresolved(test, EXEC);
	next_mmap(test, code);
	KUNIT_EXPECT_NOT_NULL(test, next_record(data, BUILDID_RECORD_LOST));
	next_mmap(test, data);

	kunit_release_action(test, stop_subscriber, data);
	KUNIT_EXPECT_FALSE(test, current_watches_data());
}

/* The filter by pid and the filter by uid. */
static void others_are_left_out(struct kunit *test)
{
	struct test_subscriber *own, *others, *uid;

	own = start_subscriber(test, 0, SZ_4K, 0, task_tgid(current));
	others = start_subscriber(test, 0, SZ_4K, 0, task_tgid(&init_task));
	uid = start_subscriber(test, BUILDID_SUB_UID, SZ_4K, 0, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, own);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, others);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, uid);
	uid->subscriber->uid = KUIDT_INIT(1000);
	report_new(test, EXEC, 5);
	send(5, true);
	next_mmap(test, own);
	KUNIT_EXPECT_EQ(test, next_file(test, own)->pid, task_tgid_nr(current));
	KUNIT_EXPECT_TRUE(test, ring_is_empty(others));
	KUNIT_EXPECT_TRUE(test, ring_is_empty(uid));
	uid->subscriber->uid = current_uid();
	report_new(test, EXEC, 6);
	next_mmap(test, uid);
	/* a promised FILE comes even if the task does not pass the filter any more */
	uid->subscriber->uid = KUIDT_INIT(1000);
	send(6, true);
	next_file(test, uid);
}

/* ------------------------------------------------------------------ states -- */

static const struct state_case {
	const char *name;
	bool hit;
	u64 file_id;
	u32 flags;
	bool sent;
	bool can;
	u32 wrong_hints;
	u32 asked;
	u8 state;
} states[] = {
	{ "it cannot be read", .state = BUILDID_STATE_UNRESOLVED },
	{ "it is to be read", .file_id = 5, .state = BUILDID_STATE_FOLLOWS },
	{ "it was sent", true, 5, 0, true, .state = BUILDID_STATE_KNOWN },
	{ "it was sent, and there are filters", true, 5, BUILDID_SUB_UID, true,
	  .state = BUILDID_STATE_KNOWN },
	{ "it is to be sent", true, 5, .can = true, .asked = 1, .state = BUILDID_STATE_FOLLOWS },
	{ "it cannot be sent", true, 5, .asked = 1, .state = BUILDID_STATE_UNRESOLVED },
	{ "its path is to be sent", true, 5, BUILDID_SUB_PATH, true, .can = true, .asked = 1,
	  .state = BUILDID_STATE_FOLLOWS },
	{ "the ring forgets at this moment", true, 5, .can = true, .wrong_hints = 1, .asked = 1,
	  .state = BUILDID_STATE_FOLLOWS },
};

KUNIT_ARRAY_PARAM_DESC(states, states, name);

static void a_mapping_says_that(struct kunit *test)
{
	const struct state_case *of = test->param_value;
	struct test_subscriber *sub = start_subscriber(test, of->flags, SZ_4K, 0, NULL);
	const struct buildid_mmap *mmap;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, sub);
	if (of->sent) {
		send(of->file_id, true);
		next_file(test, sub);
	}
	memset(&follow, 0, sizeof(follow));
	follow.can = of->can;
	wrong_hints = of->wrong_hints;
	report_file(test, EXEC, of->file_id, of->hit);
	KUNIT_EXPECT_EQ(test, wrong_hints, 0);
	mmap = next_mmap(test, sub);
	KUNIT_EXPECT_EQ(test, mmap->state, of->state);
	KUNIT_EXPECT_EQ(test, mmap->file_id,
			of->state == BUILDID_STATE_UNRESOLVED ? 0 : of->file_id);
	KUNIT_EXPECT_EQ(test, follow.asked, of->asked);
	bid_ring_report_lost(&sub->subscriber->ring, 0);
	KUNIT_EXPECT_EQ(test, !!next_record(sub, BUILDID_RECORD_LOST),
			of->state == BUILDID_STATE_UNRESOLVED);
}

/* Each subscriber gets what it lacks, and the hook is asked only once for all. */
static void a_file_goes_to_those_that_were_sent_its_mapping(struct kunit *test)
{
	struct test_subscriber *first = subscribe(test), *data, *paths, *second;
	u32 i;

	send(5, true);
	next_file(test, first);
	second = subscribe(test);
	paths = start_subscriber(test, BUILDID_SUB_PATH, SZ_4K, 0, NULL);
	data = start_subscriber(test, BUILDID_SUB_DATA, SZ_16K, 0, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, paths);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, data);
	follow.asked = 0;
	follow.can = true;
	report_file(test, EXEC, 5, true);
	KUNIT_EXPECT_EQ(test, follow.asked, 1);
	KUNIT_EXPECT_EQ(test, next_mmap(test, first)->state, BUILDID_STATE_KNOWN);
	KUNIT_EXPECT_EQ(test, next_mmap(test, second)->state, BUILDID_STATE_FOLLOWS);
	KUNIT_EXPECT_EQ(test, next_mmap(test, paths)->state, BUILDID_STATE_FOLLOWS);
	KUNIT_EXPECT_EQ(test, next_mmap(test, data)->state, BUILDID_STATE_FOLLOWS);
	for (i = 0; i < 2; i++) {
		send(5, true);
		KUNIT_EXPECT_TRUE(test, ring_is_empty(first));
		KUNIT_EXPECT_EQ(test, next_file(test, paths)->path_len, 2);
		if (i)
			continue;
		next_file(test, second);
		next_file(test, data);
	}
	send(6, false);
	next_file(test, data);
	KUNIT_EXPECT_TRUE(test, ring_is_empty(first));
	KUNIT_EXPECT_TRUE(test, ring_is_empty(second));
	KUNIT_EXPECT_TRUE(test, ring_is_empty(data));
}

/* Of a container: a path inside it, and one outside. */
static void a_path_goes_to_those_that_have_the_same_root(struct kunit *test)
{
	struct test_subscriber *sub = subscribe(test);
	const struct buildid_file *record;

	bid_root_of_current(&sub->subscriber->root);
	send(5, true);
	record = next_file(test, sub);
	KUNIT_EXPECT_EQ(test, record->path_len, 2);
	KUNIT_EXPECT_EQ(test, record->flags, 0);
	sub->subscriber->root.dentry++;
	send(6, true);
	record = next_file(test, sub);
	KUNIT_EXPECT_EQ(test, record->path_len, 0);
	KUNIT_EXPECT_EQ(test, record->flags, BUILDID_FILE_NO_PATH);
}

static void a_file_that_was_lost_follows_the_next_mapping(struct kunit *test)
{
	struct test_subscriber *sub = start_subscriber(test, 0, SZ_4K, 0, NULL);
	struct bid_ring *ring;
	u32 n = 0;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, sub);
	ring = &sub->subscriber->ring;
	follow.can = true;
	send(5, true);
	next_file(test, sub);
	while (!READ_ONCE(ring->full) && n++ < SZ_4K)
		report_file(test, EXEC, 5, true);
	send(6, true);
	KUNIT_EXPECT_EQ(test, ring->full, 2);
	while (!ring_is_empty(sub))
		KUNIT_EXPECT_EQ(test, next_mmap(test, sub)->state, BUILDID_STATE_KNOWN);
	report_file(test, EXEC, 5, true);
	KUNIT_EXPECT_NOT_NULL(test, next_record(sub, BUILDID_RECORD_LOST));
	KUNIT_EXPECT_EQ(test, next_mmap(test, sub)->state, BUILDID_STATE_FOLLOWS);
	send(6, true);
	KUNIT_EXPECT_EQ(test, next_file(test, sub)->file_id, 6);
}

static void there_is_room_for_so_many_subscribers(struct kunit *test)
{
	struct test_subscriber *last = NULL, *next;
	u32 i;

	for (i = 0; i < BID_SUBSCRIBERS_MAX; i++) {
		last = start_subscriber(test, 0, SZ_4K, 0, NULL);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, last);
	}
	KUNIT_EXPECT_EQ(test, bid_event_subscribers(), BID_SUBSCRIBERS_MAX);
	next = start_subscriber(test, 0, SZ_4K, 0, NULL);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(next), -EUSERS);

	kunit_release_action(test, stop_subscriber, last);
	KUNIT_EXPECT_EQ(test, bid_event_subscribers(), BID_SUBSCRIBERS_MAX - 1);
	next = start_subscriber(test, 0, SZ_4K, 0, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, next);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(lays_out_a_file_record_of, layouts_gen_params),
	KUNIT_CASE(a_mapping_record_has_every_field),
	KUNIT_CASE_PARAM(a_mapping_record_has_its_protection, prots_gen_params),
	KUNIT_CASE(data_of_other_processes_is_ignored),
	KUNIT_CASE(data_goes_to_subscribers_for_data),
	KUNIT_CASE(others_are_left_out),
	KUNIT_CASE_PARAM(a_mapping_says_that, states_gen_params),
	KUNIT_CASE(a_file_goes_to_those_that_were_sent_its_mapping),
	KUNIT_CASE(a_path_goes_to_those_that_have_the_same_root),
	KUNIT_CASE(a_file_that_was_lost_follows_the_next_mapping),
	KUNIT_CASE(there_is_room_for_so_many_subscribers),
	{},
};

static struct kunit_suite suite = {
	.name = "buildid_event",
	.init = start_module,
	.test_cases = cases,
};

kunit_test_suites(&suite);
