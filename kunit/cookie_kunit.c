// SPDX-License-Identifier: GPL-2.0
/*
 * Quotas and cookies of files. Those of mappings need an address space: tests/module/cookies.t.
 */
#include "files.h"

#include "cache.h"
#include "compat.h"

/* The inode that was last marked. */
static u64 marked_ino;
static u32 marked;

static void test_mark_recheck(const struct bid_key *key)
{
	marked_ino = key->ino;
	marked++;
}

#define bid_cache_mark_recheck test_mark_recheck

#include "cookie.c"

#define SOMEBODY KUIDT_INIT(1000)
#define ANOTHER	 KUIDT_INIT(1001)

static struct bid_key key_of(u64 ino)
{
	return (struct bid_key){ .dev = MKDEV(0, 77), .ino = ino };
}

static const struct bid_version version = { .mtime = 5, .ctime = 6, .size = 7, .change = 8 };

static int name_file(kuid_t user, u64 ino, u8 byte, u8 len)
{
	struct bid_identity id = { .kind = BUILDID_KIND_COOKIE, .len = len };
	struct bid_key key = key_of(ino);

	memset(id.bytes, byte, len);
	return bid_cookie_set_file(user, user, &key, &version, &id);
}

static bool has_name(u64 ino)
{
	struct bid_key key = key_of(ino);
	bool has;

	rcu_read_lock();
	has = find_file(&key);
	rcu_read_unlock();
	return has;
}

static void a_user_has_no_more_than_its_share(struct kunit *test)
{
	struct bid_cookie_owner *owner = NULL, *more;
	int i;

	for (i = 0; i < BUILDID_COOKIES_MAX; i++) {
		more = bid_cookie_charge(SOMEBODY);
		KUNIT_ASSERT_FALSE(test, IS_ERR(more));
		owner = owner ?: more;
		KUNIT_ASSERT_PTR_EQ(test, more, owner);
	}
	KUNIT_EXPECT_EQ(test, PTR_ERR(bid_cookie_charge(SOMEBODY)), -EDQUOT);
	KUNIT_EXPECT_EQ(test, bid_cookie_count(), BUILDID_COOKIES_MAX);

	more = bid_cookie_charge(ANOTHER);
	KUNIT_ASSERT_FALSE(test, IS_ERR(more));
	bid_cookie_uncharge(more);

	while (i--)
		bid_cookie_uncharge(owner);
	KUNIT_EXPECT_EQ(test, bid_cookie_count(), 0);
	KUNIT_EXPECT_NULL(test, find_owner(SOMEBODY));
}

static void all_users_have_no_more_than_their_share(struct kunit *test)
{
	struct bid_cookie_owner *last;

	total = BUILDID_COOKIES_TOTAL - 1;
	last = bid_cookie_charge(ANOTHER);
	KUNIT_ASSERT_FALSE(test, IS_ERR(last));
	KUNIT_EXPECT_EQ(test, bid_cookie_count(), BUILDID_COOKIES_TOTAL);
	KUNIT_EXPECT_EQ(test, PTR_ERR(bid_cookie_charge(SOMEBODY)), -EDQUOT);
	KUNIT_EXPECT_NULL(test, find_owner(SOMEBODY));
	bid_cookie_uncharge(last);
	KUNIT_EXPECT_EQ(test, bid_cookie_count(), BUILDID_COOKIES_TOTAL - 1);
	total = 0;
}

static void the_oldest_file_makes_room(struct kunit *test)
{
	struct bid_cookie_owner *owner;
	u64 ino;

	KUNIT_EXPECT_EQ(test, name_file(ANOTHER, 5000, 1, 1), 0);
	for (ino = 1; ino <= BUILDID_COOKIES_MAX; ino++)
		KUNIT_ASSERT_EQ(test, name_file(SOMEBODY, ino, 1, 1), 0);
	KUNIT_EXPECT_TRUE(test, has_name(1));
	marked = 0;
	owner = bid_cookie_charge(SOMEBODY);
	KUNIT_ASSERT_FALSE(test, IS_ERR(owner));
	KUNIT_EXPECT_EQ(test, marked, 1);
	KUNIT_EXPECT_EQ(test, marked_ino, 1);
	bid_cookie_uncharge(owner);
	KUNIT_EXPECT_EQ(test, marked, 1);
	KUNIT_EXPECT_EQ(test, name_file(SOMEBODY, ino, 1, 1), 0);
	KUNIT_EXPECT_FALSE(test, has_name(1));
	KUNIT_EXPECT_TRUE(test, has_name(2));
	KUNIT_EXPECT_TRUE(test, has_name(ino));
	KUNIT_EXPECT_TRUE(test, has_name(5000));

	/* for a mapping, too */
	owner = bid_cookie_charge(SOMEBODY);
	KUNIT_ASSERT_FALSE(test, IS_ERR(owner));
	KUNIT_EXPECT_FALSE(test, has_name(2));
	bid_cookie_uncharge(owner);
	KUNIT_EXPECT_EQ(test, bid_cookie_count(), BUILDID_COOKIES_MAX);
}

static void a_file_has_one_cookie(struct kunit *test)
{
	struct bid_key key = key_of(1);

	marked = 0;
	KUNIT_EXPECT_EQ(test, name_file(SOMEBODY, 1, 1, 1), 0);
	KUNIT_EXPECT_EQ(test, marked, 1);
	KUNIT_EXPECT_EQ(test, name_file(ANOTHER, 1, 2, 128), 0);
	KUNIT_EXPECT_EQ(test, bid_cookie_count(), 1);
	KUNIT_EXPECT_NULL(test, find_owner(SOMEBODY));
	marked = 0;
	KUNIT_EXPECT_TRUE(test, bid_cookie_clear_file(&key));
	KUNIT_EXPECT_EQ(test, marked, 1);
	KUNIT_EXPECT_FALSE(test, bid_cookie_clear_file(&key));
	KUNIT_EXPECT_EQ(test, bid_cookie_count(), 0);
}

static void a_cookie_is_for_one_content(struct kunit *test)
{
	struct file *file = make_file(test, "a", "content", 7);
	struct inode *inode = file_inode(file);
	struct bid_identity said = { .kind = BUILDID_KIND_COOKIE, .len = 3, .bytes = "abc" };
	struct bid_identity id = { .reason = BUILDID_REASON_NOT_ELF };
	struct bid_version now, other;
	struct bid_key key;

	bid_file_key(inode, &key);
	bid_file_version(inode, &now);
	KUNIT_EXPECT_FALSE(test, bid_cookie_of_file(inode, &now, &id));
	KUNIT_ASSERT_EQ(test, bid_cookie_set_file(SOMEBODY, inode->i_uid, &key, &now, &said), 0);

	KUNIT_EXPECT_TRUE(test, bid_cookie_of_file(inode, &now, &id));
	KUNIT_EXPECT_EQ(test, id.kind, BUILDID_KIND_COOKIE);
	KUNIT_EXPECT_EQ(test, id.reason, BUILDID_REASON_NOT_ELF);
	KUNIT_EXPECT_EQ(test, id.len, 3);
	KUNIT_EXPECT_EQ(test, memcmp(id.bytes, "abc", 3), 0);

	/* unlink and chmod move these */
	other = now;
	other.ctime++;
	other.change++;
	KUNIT_EXPECT_TRUE(test, bid_cookie_of_file(inode, &other, &id));
	other = now;
	other.mtime++;
	KUNIT_EXPECT_FALSE(test, bid_cookie_of_file(inode, &other, &id));
	other = now;
	other.size++;
	KUNIT_EXPECT_FALSE(test, bid_cookie_of_file(inode, &other, &id));
	other = now;
	other.epoch++;
	KUNIT_EXPECT_FALSE(test, bid_cookie_of_file(inode, &other, &id));
}

/* An inode number was reused, and the new owner has not named the file. */
static void a_cookie_is_for_one_owner(struct kunit *test)
{
	struct file *file = make_file(test, "a", "content", 7);
	struct inode *inode = file_inode(file);
	struct bid_identity said = { .kind = BUILDID_KIND_COOKIE, .len = 3, .bytes = "abc" };
	struct bid_identity id = {};
	struct bid_version now;
	struct bid_key key;

	bid_file_key(inode, &key);
	bid_file_version(inode, &now);
	KUNIT_ASSERT_EQ(test, bid_cookie_set_file(SOMEBODY, SOMEBODY, &key, &now, &said), 0);
	KUNIT_EXPECT_FALSE(test, bid_cookie_of_file(inode, &now, &id));
	inode->i_uid = SOMEBODY;
	KUNIT_EXPECT_TRUE(test, bid_cookie_of_file(inode, &now, &id));
	inode->i_uid = ANOTHER;
	KUNIT_EXPECT_FALSE(test, bid_cookie_of_file(inode, &now, &id));
}

/* A user who picks inode numbers must not get chains longer than chance would. */
static void no_numbering_makes_long_chains(struct kunit *test)
{
	u32 in_bucket[1 << 8] = {}, longest = 0, n;
	struct bid_key key;
	u64 i;

	KUNIT_ASSERT_EQ(test, name_file(SOMEBODY, 1, 1, 1), 0);
	/* neighbours in hash_64(), which would have them in one bucket */
	for (i = 1; i <= 1024; i++) {
		key = key_of(i * 0x0e217c1e66c88cc3ULL);
		n = ++in_bucket[hash_of(&key) & 0xff];
		longest = max(longest, n);
	}
	KUNIT_EXPECT_LT(test, longest, 30);
	memset(in_bucket, 0, sizeof(in_bucket));
	for (longest = 0, i = 1; i <= 1024; i++) {
		key = key_of(77);
		key.generation = i;
		n = ++in_bucket[hash_of(&key) & 0xff];
		longest = max(longest, n);
	}
	KUNIT_EXPECT_LT(test, longest, 30);
}

static void stop(void *unused)
{
	bid_cookie_exit();
	rcu_barrier();
}

static int start(struct kunit *test)
{
	bid_cookie_init();
	return kunit_add_action_or_reset(test, stop, NULL);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(a_user_has_no_more_than_its_share),
	KUNIT_CASE(all_users_have_no_more_than_their_share),
	KUNIT_CASE(the_oldest_file_makes_room),
	KUNIT_CASE(a_file_has_one_cookie),
	KUNIT_CASE(a_cookie_is_for_one_content),
	KUNIT_CASE(a_cookie_is_for_one_owner),
	KUNIT_CASE(no_numbering_makes_long_chains),
	{},
};

static struct kunit_suite suite = {
	.name = "buildid_cookie",
	.init = start,
	.test_cases = cases,
};

kunit_test_suites(&suite);
