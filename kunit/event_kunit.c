// SPDX-License-Identifier: GPL-2.0
/*
 * Layouts of FILE and MMAP records, and which subscribers get them.
 */
#include "subscriber.h"

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
	bid_record_file_write(&info, record);
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

/* A mapping of a file that there was no entry for. */
static void report_unresolved(struct kunit *test, vm_flags_t flags)
{
	struct bid_mapping mapping;

	bid_mapping_init(&mapping, make_vma(test, make_file(test, "a", "content", 7), flags));
	mapping.state = BUILDID_STATE_UNRESOLVED;
	mapping.buf = kunit_kzalloc(test, PATH_MAX, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, mapping.buf);
	preempt_disable();
	bid_event_mmap(&mapping);
	preempt_enable();
}

static void a_mapping_record_has_every_field(struct kunit *test)
{
	struct test_subscriber *sub = subscribe(test);
	const struct buildid_mmap *mmap;

	report_unresolved(test, EXEC);
	mmap = next_mmap(test, sub);
	KUNIT_EXPECT_EQ(test, mmap->header.size, sizeof(*mmap));
	KUNIT_EXPECT_EQ(test, mmap->pid, task_tgid_nr(current));
	KUNIT_EXPECT_EQ(test, mmap->tid, task_pid_nr(current));
	KUNIT_EXPECT_EQ(test, mmap->addr, MAPPED_AT);
	KUNIT_EXPECT_EQ(test, mmap->len, MAPPED_LEN);
	KUNIT_EXPECT_EQ(test, mmap->pgoff, MAPPED_PGOFF * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, mmap->file_id, 0);
	KUNIT_EXPECT_EQ(test, mmap->prot, PROT_READ | PROT_EXEC);
	KUNIT_EXPECT_EQ(test, mmap->map_flags, MAP_PRIVATE);
	KUNIT_EXPECT_EQ(test, mmap->state, BUILDID_STATE_UNRESOLVED);
	KUNIT_EXPECT_EQ(test, mmap->path_len, 0);
	KUNIT_EXPECT_EQ(test, mmap->start_time, current->group_leader->start_boottime);
	KUNIT_EXPECT_EQ(test, mmap->data_off, sizeof(*mmap));
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

static void paths_go_to_subscribers_for_paths(struct kunit *test)
{
	struct test_subscriber *plain = subscribe(test);
	struct test_subscriber *paths = start_subscriber(test, BUILDID_SUB_PATH, SZ_4K, 0, NULL);
	const struct buildid_mmap *mmap;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, paths);
	report_unresolved(test, EXEC);
	KUNIT_EXPECT_EQ(test, next_mmap(test, plain)->path_len, 0);
	mmap = next_mmap(test, paths);
	KUNIT_EXPECT_EQ(test, mmap->path_len, 2);
	KUNIT_EXPECT_EQ(test, mmap->header.size, sizeof(*mmap) + 8);
	KUNIT_EXPECT_EQ(test, mmap->data_off, sizeof(*mmap));
	KUNIT_EXPECT_MEMEQ(test, (const u8 *)mmap + mmap->data_off, "/a\0\0\0\0\0\0", 8);
}

static void mappings_of_other_processes_are_left_out(struct kunit *test)
{
	struct test_subscriber *own, *others;

	own = start_subscriber(test, 0, SZ_4K, 0, task_tgid(current));
	others = start_subscriber(test, 0, SZ_4K, 0, task_tgid(&init_task));
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, own);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, others);
	report_unresolved(test, EXEC);
	next_mmap(test, own);
	KUNIT_EXPECT_TRUE(test, ring_is_empty(others));
}

static void there_is_room_for_so_many_subscribers(struct kunit *test)
{
	struct test_subscriber *last = NULL, *next;
	u32 i;

	for (i = 0; i < BID_SUBSCRIBERS_MAX; i++) {
		last = start_subscriber(test, 0, SZ_4K, 0, NULL);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, last);
		KUNIT_EXPECT_EQ(test, last->subscriber->slot, i);
	}
	KUNIT_EXPECT_EQ(test, bid_event_subscribers(), BID_SUBSCRIBERS_MAX);
	next = start_subscriber(test, 0, SZ_4K, 0, NULL);
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(next), -EUSERS);

	kunit_release_action(test, stop_subscriber, last);
	KUNIT_EXPECT_EQ(test, bid_event_subscribers(), BID_SUBSCRIBERS_MAX - 1);
	next = start_subscriber(test, 0, SZ_4K, 0, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, next);
	KUNIT_EXPECT_EQ(test, next->subscriber->slot, BID_SUBSCRIBERS_MAX - 1);
}

/* However little else there is to wake it for. */
static void a_full_ring_wakes_its_reader(struct kunit *test)
{
	struct test_subscriber *sub = start_subscriber(test, 0, SZ_4K, SZ_4K - 1, NULL);
	struct bid_ring *ring;
	u32 i;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, sub);
	ring = &sub->subscriber->ring;
	KUNIT_EXPECT_TRUE(test, begin_to_wait(ring));
	for (i = 0; i < 60; i++)
		report_unresolved(test, EXEC);
	irq_work_sync(&ring->wake);
	KUNIT_EXPECT_EQ(test, atomic_read(&sub->waiter.woken), 1);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(lays_out_a_file_record_of, layouts_gen_params),
	KUNIT_CASE(a_mapping_record_has_every_field),
	KUNIT_CASE_PARAM(a_mapping_record_has_its_protection, prots_gen_params),
	KUNIT_CASE(data_of_other_processes_is_ignored),
	KUNIT_CASE(data_goes_to_subscribers_for_data),
	KUNIT_CASE(paths_go_to_subscribers_for_paths),
	KUNIT_CASE(mappings_of_other_processes_are_left_out),
	KUNIT_CASE(there_is_room_for_so_many_subscribers),
	KUNIT_CASE(a_full_ring_wakes_its_reader),
	{},
};

static struct kunit_suite suite = {
	.name = "buildid_event",
	.init = start_module,
	.test_cases = cases,
};

kunit_test_suites(&suite);
