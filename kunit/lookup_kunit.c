// SPDX-License-Identifier: GPL-2.0
/*
 * A file is looked up, read and stored, and then found; and the same for an ioctl caller.
 */
#include "images.h"

#include "compat.h"
#include "cache.h"
#include "read.h"
#include "stats.h"

static bool no_memory;

static struct bid_entry *test_entry_alloc(const struct bid_identity *id,
					  const struct bid_path *path)
{
	return no_memory ? NULL : bid_entry_alloc(id, path);
}

/* The inode gets write-mapped. */
static void mark(struct inode *inode)
{
	struct bid_key key;

	bid_file_key(inode, &key);
	rcu_read_lock();
	bid_cache_mark_recheck(&key);
	rcu_read_unlock();
}

static bool mark_meanwhile; /* while it is read */

static int test_read_file(struct file *file, struct inode *inode, enum bid_access access,
			  struct bid_version *version, struct bid_identity *id, bool *unsure)
{
	int err = bid_read_file(file, inode, access, version, id, unsure);

	if (mark_meanwhile)
		mark(inode);
	return err;
}

#define bid_entry_alloc test_entry_alloc
#define bid_read_file	test_read_file

#include "lookup.c"
#include "reply.c"

static const struct bid_path a_path = { .name = "/a/path", .len = 7 };

/* Find a file as it is now: its file_id, or 0. */
static u64 find(struct file *file)
{
	struct bid_lookup lookup;
	struct bid_entry *entry;
	u64 file_id;

	bid_lookup_init(file, file_inode(file), &lookup);
	rcu_read_lock();
	entry = bid_lookup_find(&lookup);
	file_id = entry ? entry->file_id : 0;
	rcu_read_unlock();
	return file_id;
}

static void read_lookup(struct kunit *test, struct file *file, struct bid_lookup *lookup)
{
	bid_lookup_init(file, file_inode(file), lookup);
	KUNIT_ASSERT_EQ(test, bid_lookup_read(lookup), 0);
	KUNIT_EXPECT_EQ(test, lookup->id.kind, BUILDID_KIND_GNU);
	KUNIT_EXPECT_EQ(test, lookup->id.len, IMAGE_ID_LEN);
}

/* Returns its file_id, possibly a new one. */
static u64 read_and_store(struct kunit *test, struct file *file)
{
	struct bid_lookup lookup;

	read_lookup(test, file, &lookup);
	return bid_lookup_store(&lookup, &a_path, 0);
}

/* ------------------------------------------------------------------ lookup -- */

static void a_new_file_is_read_and_then_found(struct kunit *test)
{
	struct file *file = make_settled_file(test);
	struct inode *inode = file_inode(file);
	u64 file_id = bid_cache_new_id();
	struct bid_file_info info;
	struct bid_lookup lookup;

	KUNIT_EXPECT_EQ(test, find(file), 0);
	read_lookup(test, file, &lookup);
	KUNIT_EXPECT_EQ(test, lookup.flags, 0);
	KUNIT_EXPECT_EQ(test, bid_lookup_store(&lookup, &a_path, file_id), file_id);
	KUNIT_EXPECT_EQ(test, find(file), file_id);

	bid_lookup_info(&lookup, &a_path, file_id, &info);
	KUNIT_EXPECT_EQ(test, info.file_id, file_id);
	KUNIT_EXPECT_EQ(test, info.key->ino, inode->i_ino);
	KUNIT_EXPECT_EQ(test, info.key->dev, inode->i_sb->s_dev);
	KUNIT_EXPECT_EQ(test, info.version->size, i_size_read(inode));
	KUNIT_EXPECT_EQ(test, info.user_ino, inode->i_ino);
	KUNIT_EXPECT_EQ(test, info.user_dev, inode->i_sb->s_dev);
	KUNIT_EXPECT_EQ(test, info.flags, 0);
	KUNIT_EXPECT_EQ(test, info.kind, BUILDID_KIND_GNU);
	KUNIT_ASSERT_EQ(test, info.id_len, IMAGE_ID_LEN);
	KUNIT_EXPECT_MEMEQ(test, info.id, gnu_id, IMAGE_ID_LEN);
	KUNIT_EXPECT_PTR_EQ(test, info.path.name, a_path.name);

	rcu_read_lock();
	bid_entry_info(bid_cache_find_id(file_id), &info);
	KUNIT_EXPECT_EQ(test, info.user_ino, inode->i_ino);
	KUNIT_EXPECT_EQ(test, info.user_dev, inode->i_sb->s_dev);
	KUNIT_EXPECT_MEMEQ(test, info.id, gnu_id, IMAGE_ID_LEN);
	KUNIT_EXPECT_MEMEQ(test, info.path.name, a_path.name, a_path.len);
	rcu_read_unlock();
}

/* The time stamps do not show a change. */
static void the_same_content_keeps_its_file_id_and_another_does_not(struct kunit *test)
{
	struct file *file = make_racy_file(test);
	u64 first = read_and_store(test, file), second;

	KUNIT_EXPECT_NE(test, first, 0);
	KUNIT_EXPECT_EQ(test, find(file), 0);
	KUNIT_EXPECT_EQ(test, read_and_store(test, file), first);
	store_id(test, file, 0x77);
	second = read_and_store(test, file);
	KUNIT_EXPECT_GT(test, second, first);
	KUNIT_EXPECT_EQ(test, bid_cache_entries(), 1);

	/* it can be relied on once it was read with old time stamps */
	stub_seconds_later = 7200;
	KUNIT_EXPECT_EQ(test, find(file), 0);
	KUNIT_EXPECT_EQ(test, read_and_store(test, file), second);
	KUNIT_EXPECT_EQ(test, find(file), second);
}

static void a_counter_tells_what_time_stamps_do_not(struct kunit *test)
{
	struct file *file = make_settled_file(test);
	u64 first, second;

	date_file(file, 3600);
	first = read_and_store(test, file);
	KUNIT_EXPECT_EQ(test, find(file), first);
	inode_inc_iversion(file_inode(file));
	store_id(test, file, 0x77);
	KUNIT_EXPECT_EQ(test, find(file), 0);
	second = read_and_store(test, file);
	KUNIT_EXPECT_GT(test, second, first);
	KUNIT_EXPECT_EQ(test, find(file), second);
	stub_seconds_later = 7200;
	KUNIT_EXPECT_EQ(test, find(file), second);
	/* from now on the counter shows each change */
	inode_inc_iversion(file_inode(file));
	KUNIT_EXPECT_EQ(test, find(file), second);
}

/* The time stamps were old enough; then it changed and was read. */
static void what_changed_after_it_was_looked_up_is_racy(struct kunit *test)
{
	struct file *file = make_settled_file(test);
	struct bid_lookup lookup;

	bid_lookup_init(file, file_inode(file), &lookup);
	inode_inc_iversion(file_inode(file));
	date_file(file, -3600);
	KUNIT_ASSERT_EQ(test, bid_lookup_read(&lookup), 0);
	KUNIT_EXPECT_EQ(test, lookup.flags, BIT(BID_ENTRY_RACY));
	KUNIT_EXPECT_EQ(test, lookup.version.ctime, bid_file_ctime(file_inode(file)));
}

static const struct moment {
	const char *name;
	bool before_read;
	bool meanwhile;
	bool before_store;
	bool then;
} moments[] = {
	{ "before it is read", .before_read = true },
	{ "while it is read", .meanwhile = true },
	{ "before it is stored", .before_store = true },
	{ "later", .then = true },
};

KUNIT_ARRAY_PARAM_DESC(moments, moments, name);

static void is_read_again_when_it_is_write_mapped(struct kunit *test)
{
	const struct moment *of = test->param_value;
	struct file *file = make_settled_file(test);
	struct bid_lookup lookup;
	u64 file_id;

	bid_lookup_init(file, file_inode(file), &lookup);
	if (of->before_read)
		mark(lookup.inode);
	mark_meanwhile = of->meanwhile;
	KUNIT_ASSERT_EQ(test, bid_lookup_read(&lookup), 0);
	mark_meanwhile = false;
	if (of->before_store)
		mark(lookup.inode);
	file_id = bid_lookup_store(&lookup, &a_path, 0);
	if (of->then)
		mark(lookup.inode);
	KUNIT_EXPECT_NE(test, file_id, 0);
	KUNIT_EXPECT_EQ(test, find(file), of->before_read ? file_id : 0);
	KUNIT_EXPECT_EQ(test, read_and_store(test, file), file_id);
	KUNIT_EXPECT_EQ(test, find(file), file_id);
}

static void is_unstable_while_it_is_open_for_writing(struct kunit *test)
{
	struct file *file = make_settled_file(test);
	struct bid_file_info info;
	struct bid_lookup lookup;
	u64 file_id = read_and_store(test, file);

	KUNIT_ASSERT_EQ(test, get_write_access(file_inode(file)), 0);
	KUNIT_EXPECT_EQ(test, find(file), 0);
	read_lookup(test, file, &lookup);
	bid_lookup_info(&lookup, &a_path, file_id, &info);
	KUNIT_EXPECT_EQ(test, info.flags, BUILDID_FILE_UNSTABLE);
	KUNIT_EXPECT_EQ(test, bid_lookup_store(&lookup, &a_path, 0), file_id);
	put_write_access(file_inode(file));
	KUNIT_EXPECT_EQ(test, find(file), 0);
	KUNIT_EXPECT_EQ(test, read_and_store(test, file), file_id);
	KUNIT_EXPECT_EQ(test, find(file), file_id);
}

static void what_holds_for_this_moment_only_is_not_stored(struct kunit *test)
{
	static const u8 reasons[] = { BUILDID_REASON_IO, BUILDID_REASON_INTERRUPTED,
				      BUILDID_REASON_CHANGING, BUILDID_REASON_UNREADABLE };
	u64 not_stored = bid_stats_sum(BID_STAT_NOT_STORED);
	struct file *file = make_settled_file(test);
	struct bid_lookup lookup;
	u32 i;

	bid_lookup_init(file, file_inode(file), &lookup);
	for (i = 0; i < ARRAY_SIZE(reasons); i++) {
		lookup.id = (struct bid_identity){ .reason = reasons[i] };
		KUNIT_EXPECT_EQ(test, bid_lookup_store(&lookup, &a_path, 0), 0);
	}
	KUNIT_EXPECT_EQ(test, bid_stats_sum(BID_STAT_NOT_STORED) - not_stored, 0);
	no_memory = true;
	KUNIT_EXPECT_EQ(test, read_and_store(test, file), 0);
	KUNIT_EXPECT_EQ(test, bid_stats_sum(BID_STAT_NOT_STORED) - not_stored, 1);
	KUNIT_EXPECT_EQ(test, bid_cache_entries(), 0);
}

/* An older version would be mistaken for the mapped one, about which nothing is known. */
static void what_is_not_stored_is_not_what_was_there_before(struct kunit *test)
{
	struct file *file = make_settled_file(test);
	u64 file_id = read_and_store(test, file);
	struct bid_lookup lookup;

	bid_lookup_init(file, file_inode(file), &lookup);
	lookup.id = (struct bid_identity){ .reason = BUILDID_REASON_CHANGING };
	KUNIT_EXPECT_EQ(test, bid_lookup_store(&lookup, &a_path, 0), 0);
	KUNIT_EXPECT_EQ(test, find(file), file_id);
	KUNIT_EXPECT_EQ(test, bid_lookup_store(&lookup, &a_path, bid_cache_new_id()), 0);
	KUNIT_EXPECT_EQ(test, find(file), 0);
	KUNIT_EXPECT_EQ(test, bid_cache_entries(), 0);
}

/* ------------------------------------------------------------- for a caller -- */

static struct buildid_file *make_record(struct kunit *test)
{
	struct buildid_file *record = kunit_kzalloc(test, BUILDID_RECORD_MAX, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, record);
	return record;
}

static const void *data_of(const struct buildid_file *record)
{
	return (const void *)record + record->data_off;
}

static void expect_record(struct kunit *test, const struct buildid_file *record, u8 first)
{
	KUNIT_EXPECT_EQ(test, record->header.type, BUILDID_RECORD_FILE);
	KUNIT_EXPECT_NE(test, record->file_id, 0);
	KUNIT_EXPECT_EQ(test, record->pid, 0);
	KUNIT_EXPECT_EQ(test, record->kind, BUILDID_KIND_GNU);
	KUNIT_ASSERT_EQ(test, record->id_len, IMAGE_ID_LEN);
	KUNIT_EXPECT_EQ(test, *(const u8 *)data_of(record), first);
	KUNIT_EXPECT_STREQ(test, (const char *)data_of(record) + ALIGN(IMAGE_ID_LEN, 8), "/image");
}

static void a_caller_resolves_an_open_file(struct kunit *test)
{
	struct buildid_file *record = make_record(test), *again = make_record(test);
	u64 reads = bid_stats_sum(BID_STAT_READ_CALLER);
	struct file *file = make_settled_file(test);

	KUNIT_ASSERT_EQ(test, bid_reply_file(file, record), 0);
	expect_record(test, record, gnu_id[0]);
	KUNIT_ASSERT_EQ(test, bid_reply_file(file, again), 0);
	KUNIT_EXPECT_MEMEQ(test, again, record, record->header.size);
	KUNIT_EXPECT_EQ(test, bid_stats_sum(BID_STAT_READ_CALLER) - reads, 1);

	/* nothing shows this, so only a forced read finds it */
	store_id(test, file, 0x77);
	KUNIT_ASSERT_EQ(test, bid_reply_reread(file, again), 0);
	expect_record(test, again, 0x77);
	KUNIT_EXPECT_GT(test, again->file_id, record->file_id);

	bid_reply_hide_path(again);
	KUNIT_EXPECT_EQ(test, again->path_len, 0);
	KUNIT_EXPECT_TRUE(test, again->flags & BUILDID_FILE_NO_PATH);
	KUNIT_EXPECT_EQ(test, again->header.size, sizeof(*again) + ALIGN(IMAGE_ID_LEN, 8));
}

static void a_caller_gets_the_reason(struct kunit *test)
{
	struct buildid_file *record = make_record(test);
	struct file *file = make_settled_file(test);

	file->f_mode |= FMODE_PATH;
	KUNIT_EXPECT_EQ(test, bid_reply_file(file, record), 0);
	file->f_mode &= ~FMODE_PATH;
	KUNIT_EXPECT_EQ(test, record->reason, BUILDID_REASON_NOT_READ);
	KUNIT_EXPECT_EQ(test, record->file_id, 0);
	KUNIT_EXPECT_EQ(test, record->change, 0);

	file = filp_open("/dev/zero", O_RDONLY, 0);
	if (IS_ERR(file))
		kunit_skip(test, "no /dev/zero");
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, close_file, file), 0);
	KUNIT_EXPECT_EQ(test, bid_reply_file(file, record), 0);
	KUNIT_EXPECT_EQ(test, record->reason, BUILDID_REASON_NOT_REGULAR);
	KUNIT_EXPECT_NE(test, record->file_id, 0);
}

/* The file is held only during the read. */
static void a_mapped_file_is_read_for_who_may_read_it(struct kunit *test)
{
	struct bid_mapped *mapped = kunit_kzalloc(test, sizeof(*mapped), GFP_KERNEL);
	struct buildid_file *record = make_record(test);
	struct file *file = make_settled_file(test);
	long count = file_count(file);

	KUNIT_ASSERT_NOT_NULL(test, mapped);
	file->f_mode |= FMODE_WRITE;
	KUNIT_ASSERT_FALSE(test, bid_reply_mapped(file, mapped, record));
	KUNIT_EXPECT_EQ(test, record->reason, BUILDID_REASON_NOT_READ);
	file->f_mode &= ~FMODE_WRITE;
	KUNIT_ASSERT_TRUE(test, bid_reply_mapped(file, mapped, record));
	KUNIT_EXPECT_EQ(test, file_count(file), count + 1);
	KUNIT_EXPECT_EQ(test, bid_reply_read_mapped(mapped, record), 0);
	file->f_mode |= FMODE_WRITE;
	KUNIT_EXPECT_EQ(test, file_count(file), count);
	expect_record(test, record, gnu_id[0]);
	KUNIT_EXPECT_FALSE(test, bid_reply_mapped(file, mapped, record));
	expect_record(test, record, gnu_id[0]);
}

static int start(struct kunit *test)
{
	stub_no_change_counter = false;
	stub_seconds_later = 0;
	no_memory = false;
	mark_meanwhile = false;
	return bid_cache_init(16);
}

static void stop(struct kunit *test)
{
	stub_no_change_counter = false;
	stub_seconds_later = 0;
	bid_cache_exit();
}

static int init_suite(struct kunit_suite *suite)
{
	fill_ids();
	return 0;
}

static struct kunit_case cases[] = {
	KUNIT_CASE(a_new_file_is_read_and_then_found),
	KUNIT_CASE(the_same_content_keeps_its_file_id_and_another_does_not),
	KUNIT_CASE(a_counter_tells_what_time_stamps_do_not),
	KUNIT_CASE(what_changed_after_it_was_looked_up_is_racy),
	KUNIT_CASE_PARAM(is_read_again_when_it_is_write_mapped, moments_gen_params),
	KUNIT_CASE(is_unstable_while_it_is_open_for_writing),
	KUNIT_CASE(what_holds_for_this_moment_only_is_not_stored),
	KUNIT_CASE(what_is_not_stored_is_not_what_was_there_before),
	KUNIT_CASE(a_caller_resolves_an_open_file),
	KUNIT_CASE(a_caller_gets_the_reason),
	KUNIT_CASE(a_mapped_file_is_read_for_who_may_read_it),
	{},
};

static struct kunit_suite suite = {
	.name = "buildid_lookup",
	.suite_init = init_suite,
	.init = start,
	.exit = stop,
	.test_cases = cases,
};

kunit_test_suites(&suite);
