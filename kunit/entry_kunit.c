// SPDX-License-Identifier: GPL-2.0
/*
 * When an entry is valid for a mapping, and what it holds.
 */
#include "files.h"

#include "entry.h"

#include "alloc.h"

#undef kzalloc
#define kzalloc test_kzalloc

#include "entry.c"

static void free_entry(void *entry)
{
	bid_entry_free(entry);
}

/* Of the file as it is. */
static struct bid_entry *make_entry(struct kunit *test, struct file *file, unsigned long flags)
{
	const struct bid_identity id = { .kind = BUILDID_KIND_GNU, .len = 20 };
	const struct bid_path path = {};
	struct bid_entry *entry = bid_entry_alloc(&id, &path);

	KUNIT_ASSERT_NOT_NULL(test, entry);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, free_entry, entry), 0);
	bid_file_version(file_inode(file), &entry->version);
	entry->flags = flags;
	return entry;
}

#define RACY	 BIT(BID_ENTRY_RACY)
#define RECHECK	 BIT(BID_ENTRY_RECHECK)
#define UNSTABLE BIT(BID_ENTRY_UNSTABLE)

static const struct state {
	const char *name;
	unsigned long flags;
	bool open;  /* for writing */
	bool moved; /* the change counter */
	bool later; /* the time stamps are old enough */
	bool stands;
	unsigned long flags_then;
} states[] = {
	{ "no flag", .stands = true },
	{ "no flag when the counter moved, as with atime", .moved = true, .stands = true },
	{ "no flag when it is open for writing", .open = true },
	{ "RACY", RACY, .stands = true, .flags_then = RACY },
	{ "RACY when it is open for writing", RACY, .open = true, .flags_then = RACY },
	{ "RACY when the counter moved", RACY, .moved = true, .flags_then = RACY },
	{ "RACY later", RACY, .later = true, .stands = true },
	{ "RACY later when the counter moved", RACY, .moved = true, .later = true,
	  .flags_then = RACY },
	{ "RECHECK", RECHECK, .flags_then = RECHECK },
	{ "RECHECK later", RECHECK, .later = true, .flags_then = RECHECK },
	{ "RACY and RECHECK later", RACY | RECHECK, .later = true, .flags_then = RACY | RECHECK },
	{ "UNSTABLE", RECHECK | UNSTABLE, .flags_then = RECHECK | UNSTABLE },
};

KUNIT_ARRAY_PARAM_DESC(states, states, name);

static void stands_or_not_with(struct kunit *test)
{
	const struct state *of = test->param_value;
	struct file *file = make_file(test, "a", "content", 7);
	struct inode *inode = file_inode(file);
	struct bid_entry *entry;
	bool at_once, settles;

	date_file(file, 3600);
	entry = make_entry(test, file, of->flags);
	entry->version.change += of->moved;
	if (of->open)
		KUNIT_ASSERT_EQ(test, get_write_access(inode), 0);
	stub_seconds_later = of->later ? 7200 : 0;
	at_once = bid_entry_stands(entry, inode);
	settles = bid_entry_settle(entry, inode);
	stub_seconds_later = 0;
	if (of->open)
		put_write_access(inode);
	KUNIT_EXPECT_EQ(test, at_once, of->stands && !of->flags);
	KUNIT_EXPECT_EQ(test, settles, of->stands);
	KUNIT_EXPECT_EQ(test, entry->flags, of->flags_then);
}

static void what_was_read_again_is_like_that_read(struct kunit *test)
{
	struct bid_entry *entry = make_entry(test, make_file(test, "a", "", 0), RECHECK | UNSTABLE);
	struct bid_version version = entry->version;

	version.change = 99;
	bid_entry_confirm(entry, &version, RACY);
	KUNIT_EXPECT_EQ(test, entry->flags, RACY);
	KUNIT_EXPECT_EQ(test, entry->version.change, 99);
}

static void is_used_by_others_than_brought_it(struct kunit *test)
{
	struct bid_entry *entry = make_entry(test, make_file(test, "a", "", 0), 0);

	entry->tgid = current->tgid;
	bid_entry_touch(entry);
	KUNIT_EXPECT_FALSE(test, entry->used);
	entry->tgid++;
	bid_entry_touch(entry);
	KUNIT_EXPECT_TRUE(test, entry->used);
}

static const struct text {
	const char *name;
	u8 id_len;
	u16 path_len;
} texts[] = {
	{ "no id and no path", 0, 0 },
	{ "no id, a path", 0, 40 },
	{ "20 bytes, no path", 20, 0 },
	{ "128 bytes, the longest path", 128, PATH_MAX - 1 },
};

KUNIT_ARRAY_PARAM_DESC(texts, texts, name);

static void holds_an_identity_and_a_path_of(struct kunit *test)
{
	const struct text *of = test->param_value;
	struct bid_path path = { .len = of->path_len, .flags = BUILDID_FILE_DELETED };
	struct bid_identity id = { BUILDID_KIND_GNU, BUILDID_REASON_NO_NOTE, of->id_len }, other;
	char *name = kunit_kzalloc(test, PATH_MAX, GFP_KERNEL);
	struct bid_entry *entry;

	KUNIT_ASSERT_NOT_NULL(test, name);
	memset(name, 'p', of->path_len);
	memset(id.bytes, 7, of->id_len);
	path.name = of->path_len ? name : NULL;
	alloc_expect(1);
	KUNIT_EXPECT_PTR_EQ(test, bid_entry_alloc(&id, &path), NULL);
	alloc_expect(0);
	entry = bid_entry_alloc(&id, &path);
	KUNIT_ASSERT_NOT_NULL(test, entry);
	KUNIT_ASSERT_EQ(test, entry->id_len, of->id_len);
	KUNIT_ASSERT_EQ(test, entry->path_len, of->path_len);
	KUNIT_EXPECT_MEMEQ(test, entry->data, id.bytes, of->id_len);
	KUNIT_EXPECT_MEMEQ(test, bid_entry_path(entry), name, of->path_len);
	KUNIT_EXPECT_EQ(test, entry->path_flags, BUILDID_FILE_DELETED);
	KUNIT_EXPECT_GE(test, bid_entry_size(entry), sizeof(*entry) + of->id_len + of->path_len);

	other = id;
	KUNIT_EXPECT_TRUE(test, bid_entry_is(entry, &other));
	other.kind++;
	KUNIT_EXPECT_FALSE(test, bid_entry_is(entry, &other));
	other = id;
	other.reason++;
	KUNIT_EXPECT_FALSE(test, bid_entry_is(entry, &other));
	other = id;
	other.len ^= 1;
	KUNIT_EXPECT_FALSE(test, bid_entry_is(entry, &other));
	other = id;
	other.bytes[of->id_len ? of->id_len - 1 : 0]++;
	KUNIT_EXPECT_EQ(test, bid_entry_is(entry, &other), !of->id_len);
	bid_entry_free(entry);
	KUNIT_EXPECT_EQ(test, atomic_read(&alloc.held), 0);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(stands_or_not_with, states_gen_params),
	KUNIT_CASE(what_was_read_again_is_like_that_read),
	KUNIT_CASE(is_used_by_others_than_brought_it),
	KUNIT_CASE_PARAM(holds_an_identity_and_a_path_of, texts_gen_params),
	{},
};

static struct kunit_suite suite = {
	.name = "buildid_entry",
	.test_cases = cases,
};

kunit_test_suites(&suite);
