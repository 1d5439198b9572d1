// SPDX-License-Identifier: GPL-2.0
/*
 * The table by itself: keys and versions, sets and eviction, rechecks, the shrinker, and failure of
 * each allocation.
 */
#include <kunit/test.h>
#include <linux/kthread.h>
#include <linux/prandom.h>
#include <linux/shrinker.h>

#include "files.h"

#include "cache.h"
#include "stats.h"
#include "user.h"

#include "alloc.h"

/* The user on whose behalf the next entries are inserted. */
static kuid_t user = GLOBAL_ROOT_UID;

static kuid_t test_user(void)
{
	return user;
}

static struct shrinker *test_shrinker_alloc(unsigned int flags, const char *name)
{
	return alloc_fails() ? NULL : alloc_held(shrinker_alloc(flags, "%s", name));
}

static void test_shrinker_free(struct shrinker *shrinker)
{
	alloc_dropped(shrinker);
	shrinker_free(shrinker);
}

#define bid_user       test_user
#define shrinker_alloc test_shrinker_alloc
#define shrinker_free  test_shrinker_free

#include "cache.c"

/* Sixteen sets: a few dozen files do not fill one by chance. */
#define ENTRIES 256

/* In the order of their fields: device, generation, inode, tree; ... */
#define ANY_KEY ((struct bid_key){ MKDEV(8, 1), 7, 1234, 5 })

/* ... ctime, mtime, size, change counter, epoch. */
#define ANY_VERSION ((struct bid_version){ 1000, 900, 4096, 3, 1 })

static const struct bid_key any_key = ANY_KEY;
static const struct bid_version any_version = ANY_VERSION;

static struct bid_key key_of(u64 ino)
{
	struct bid_key key = any_key;

	key.ino = ino;
	return key;
}

static struct bid_version version_of(s64 ctime)
{
	struct bid_version version = any_version;

	version.ctime = ctime;
	return version;
}

static struct bid_identity id_of(u8 byte)
{
	struct bid_identity id = { .kind = BUILDID_KIND_GNU, .len = 20 };

	memset(id.bytes, byte, id.len);
	return id;
}

static struct bid_entry *alloc_entry(const struct bid_key *key, const struct bid_version *version,
				     u8 byte)
{
	struct bid_identity id = id_of(byte);
	struct bid_path path = { .name = &id.bytes[0], .len = 7 };
	struct bid_entry *entry = bid_entry_alloc(&id, &path);

	if (!entry)
		return NULL;
	entry->key = *key;
	entry->version = *version;
	entry->file_id = bid_cache_new_id();
	return entry;
}

/* The file_id that then stands for it. */
static u64 put_as(struct kunit *test, const struct bid_key *key, const struct bid_version *version,
		  u8 byte)
{
	struct bid_entry *entry = alloc_entry(key, version, byte);

	KUNIT_ASSERT_NOT_NULL(test, entry);
	return bid_cache_put(entry, bid_cache_recheck_seq(key));
}

static u64 put(struct kunit *test, const struct bid_key *key, const struct bid_version *version)
{
	return put_as(test, key, version, 1);
}

static u64 put_inode(struct kunit *test, u64 ino)
{
	struct bid_key key = key_of(ino);

	return put(test, &key, &any_version);
}

/* The file_id found, or 0. */
static u64 find(const struct bid_key *key, const struct bid_version *version)
{
	struct bid_entry *entry;
	u64 file_id;

	rcu_read_lock();
	entry = bid_cache_find(key, version);
	file_id = entry ? entry->file_id : 0;
	rcu_read_unlock();
	return file_id;
}

static u64 find_inode(u64 ino)
{
	struct bid_key key = key_of(ino);

	return find(&key, &any_version);
}

static bool has_id(u64 file_id)
{
	bool has;

	rcu_read_lock();
	has = bid_cache_find_id(file_id);
	rcu_read_unlock();
	return has;
}

static unsigned long flags_of(const struct bid_key *key, const struct bid_version *version)
{
	struct bid_entry *entry;
	unsigned long flags;

	rcu_read_lock();
	entry = bid_cache_find(key, version);
	flags = entry ? entry->flags : ~0UL;
	rcu_read_unlock();
	return flags;
}

static void mark_recheck(const struct bid_key *key)
{
	rcu_read_lock();
	bid_cache_mark_recheck(key);
	rcu_read_unlock();
}

/* ---------------------------------------------------------- what is found -- */

static const struct other {
	const char *name;
	struct bid_key key;
	struct bid_version version;
} others[] = {
	{ "device", { MKDEV(8, 2), 7, 1234, 5 }, ANY_VERSION },
	{ "generation", { MKDEV(8, 1), 8, 1234, 5 }, ANY_VERSION },
	{ "inode number", { MKDEV(8, 1), 7, 1235, 5 }, ANY_VERSION },
	{ "inode number above 32 bits", { MKDEV(8, 1), 7, 1234 + (1ULL << 32), 5 }, ANY_VERSION },
	{ "tree", { MKDEV(8, 1), 7, 1234, 6 }, ANY_VERSION },
	{ "tree above 32 bits", { MKDEV(8, 1), 7, 1234, 5 + (1ULL << 32) }, ANY_VERSION },
	{ "ctime", ANY_KEY, { 1001, 900, 4096, 3, 1 } },
	{ "ctime before 1970", ANY_KEY, { -1000, 900, 4096, 3, 1 } },
	{ "mtime", ANY_KEY, { 1000, 901, 4096, 3, 1 } },
	{ "size", ANY_KEY, { 1000, 900, 4097, 3, 1 } },
	{ "size above 32 bits", ANY_KEY, { 1000, 900, 4096 + (1ULL << 32), 3, 1 } },
	{ "epoch", ANY_KEY, { 1000, 900, 4096, 3, 2 } },
};

KUNIT_ARRAY_PARAM_DESC(others, others, name);

static void distinguishes_entries_by(struct kunit *test)
{
	const struct other *other = test->param_value;
	u64 first = put(test, &any_key, &any_version), second;

	KUNIT_EXPECT_EQ(test, find(&any_key, &any_version), first);
	KUNIT_EXPECT_EQ(test, find(&other->key, &other->version), 0);
	second = put(test, &other->key, &other->version);
	KUNIT_EXPECT_GT(test, second, first);
	KUNIT_EXPECT_EQ(test, find(&other->key, &other->version), second);
	KUNIT_EXPECT_EQ(test, find(&any_key, &any_version), first);
	KUNIT_EXPECT_EQ(test, bid_cache_entries(), 2);
}

/* The counter may also count changes of atime. */
static void a_change_counter_alone_makes_no_other_version(struct kunit *test)
{
	struct bid_version version = any_version;

	version.change++;
	KUNIT_EXPECT_EQ(test, find(&any_key, &version), 0);
	put(test, &any_key, &any_version);
	KUNIT_EXPECT_NE(test, find(&any_key, &version), 0);
}

/* Another inode occupies the slot that is tried first. */
static void finds_an_inode_wherever_in_its_set_it_is(struct kunit *test)
{
	struct inode *inode = file_inode(make_file(test, "a", "content", 7));
	struct bid_version version, older;
	struct bid_entry *found[3];
	struct bid_key key;
	u64 file_id;

	bid_file_key(inode, &key);
	bid_file_version(inode, &version);
	older = version;
	older.ctime--;
	rcu_read_lock();
	found[0] = bid_cache_find_inode(inode);
	rcu_read_unlock();
	put(test, &key, &older);
	file_id = put(test, &key, &version);
	rcu_read_lock();
	found[1] = bid_cache_find_inode(inode);
	KUNIT_EXPECT_TRUE(test, found[1] && found[1]->file_id == file_id);
	rcu_read_unlock();
	bid_cache_flush();
	file_id = put(test, &key, &version);
	rcu_read_lock();
	found[2] = bid_cache_find_inode(inode);
	KUNIT_EXPECT_TRUE(test, found[2] && found[2]->file_id == file_id);
	rcu_read_unlock();
	KUNIT_EXPECT_PTR_EQ(test, found[0], NULL);
}

/* Its file_id, 0, or -errno. */
static s64 find_newest(const struct bid_key *key, bool generation, bool tree)
{
	struct bid_entry *entry;
	s64 found;

	rcu_read_lock();
	entry = bid_cache_find_newest(MAJOR(key->dev), MINOR(key->dev), key->ino,
				      generation ? &key->generation : NULL,
				      tree ? &key->tree : NULL);
	found = IS_ERR_OR_NULL(entry) ? PTR_ERR(entry) : (s64)entry->file_id;
	rcu_read_unlock();
	return found;
}

/* A reused inode number is another file; the same number in another tree is a separate inode. */
static void knows_the_newest_of_an_inode_number(struct kunit *test)
{
	struct bid_key new = any_key, tree = any_key, none = key_of(77);
	struct bid_version earlier = version_of(10);
	s64 first, second, third;

	new.generation = 2;
	tree.tree = 9;
	put(test, &any_key, &any_version);
	/* time stamps may well go back */
	first = put(test, &any_key, &earlier);
	second = put(test, &new, &any_version);
	KUNIT_EXPECT_EQ(test, find_newest(&any_key, true, true), first);
	KUNIT_EXPECT_EQ(test, find_newest(&any_key, true, false), first);
	KUNIT_EXPECT_EQ(test, find_newest(&any_key, false, true), second);
	KUNIT_EXPECT_EQ(test, find_newest(&any_key, false, false), second);
	KUNIT_EXPECT_EQ(test, find_newest(&none, true, true), 0);
	KUNIT_EXPECT_EQ(test, find_newest(&none, false, false), 0);

	third = put(test, &tree, &any_version);
	KUNIT_EXPECT_EQ(test, find_newest(&any_key, false, false), -ENOTUNIQ);
	KUNIT_EXPECT_EQ(test, find_newest(&any_key, true, false), -ENOTUNIQ);
	KUNIT_EXPECT_EQ(test, find_newest(&tree, false, true), third);
	KUNIT_EXPECT_EQ(test, find_newest(&any_key, true, true), first);
}

/* The numbers come from user space. */
static void finds_nothing_of_a_device_that_cannot_be(struct kunit *test)
{
	put(test, &any_key, &any_version);
	rcu_read_lock();
	KUNIT_EXPECT_NULL(test, bid_cache_find_newest(8 + (1 << (32 - MINORBITS)), 1, any_key.ino,
						      NULL, NULL));
	KUNIT_EXPECT_NULL(test,
			  bid_cache_find_newest(8, 1 + (1 << MINORBITS), any_key.ino, NULL, NULL));
	rcu_read_unlock();
}

static void finds_an_entry_by_its_file_id(struct kunit *test)
{
	struct bid_entry *entry;
	u32 i, wrong = 0;

	for (i = 0; i < 30; i++)
		put_inode(test, 100 + i);
	rcu_read_lock();
	for (i = 0; i < 30; i++) {
		entry = bid_cache_find_id(1 + i);
		wrong += !entry || entry->key.ino != 100 + i;
	}
	rcu_read_unlock();
	KUNIT_EXPECT_EQ(test, wrong, 0);
	KUNIT_EXPECT_FALSE(test, has_id(0));
	KUNIT_EXPECT_FALSE(test, has_id(31));
	bid_cache_flush();
	for (i = 0; i < 30; i++)
		KUNIT_EXPECT_FALSE(test, has_id(1 + i));
	KUNIT_EXPECT_EQ(test, put_inode(test, 100), 31);
}

/* A walk may leave the RCU section and can still tell whether it has seen all entries. */
static void walks_over_every_entry_once(struct kunit *test)
{
	u32 slot, seen = 0, n = 30, i, seq;
	struct bid_entry *entry;
	u64 met = 0;

	for (i = 0; i < n; i++) {
		seq = bid_cache_seq();
		put_inode(test, i);
		KUNIT_EXPECT_NE(test, bid_cache_seq(), seq);
	}
	seq = bid_cache_seq();
	rcu_read_lock();
	for (slot = 0; slot < bid_cache_max(); slot++) {
		entry = bid_cache_at(slot);
		if (!entry)
			continue;
		met |= BIT_ULL(entry->key.ino);
		seen++;
	}
	rcu_read_unlock();
	KUNIT_EXPECT_EQ(test, seen, n);
	KUNIT_EXPECT_EQ(test, met, BIT_ULL(n) - 1);
	KUNIT_EXPECT_EQ(test, bid_cache_seq(), seq);
	bid_cache_flush();
	KUNIT_EXPECT_NE(test, bid_cache_seq(), seq);
}

/* ------------------------------------------------------- bounds, eviction -- */

static void stays_within_its_bound(struct kunit *test)
{
	u64 evicted = bid_stats_sum(BID_STAT_EVICTED), last = 0, file_id;
	u32 i;

	for (i = 0; i < 10 * ENTRIES; i++) {
		file_id = put_inode(test, i);
		KUNIT_ASSERT_GT(test, file_id, last);
		KUNIT_ASSERT_LE(test, bid_cache_entries(), ENTRIES);
		KUNIT_ASSERT_EQ(test, find_inode(i), file_id);
		last = file_id;
	}
	KUNIT_EXPECT_EQ(test, bid_cache_max(), ENTRIES);
	/* ten times as many as there is room for leave no set with a free slot */
	KUNIT_EXPECT_EQ(test, bid_cache_entries(), ENTRIES);
	KUNIT_EXPECT_EQ(test, bid_stats_sum(BID_STAT_EVICTED) - evicted, 9 * ENTRIES);
}

/* One bit per entry of a set, the oldest first. */
static const struct eviction {
	const char *name;
	u16 used;
	u16 own;
	u8 goes;
} evictions[] = {
	{ "the oldest", 0, 0, 0 },
	{ "the oldest that no other process uses", 0x001f, 0, 5 },
	{ "the only one that no other process uses", 0x7fff, 0, 15 },
	{ "the oldest when all are used", 0xffff, 0, 0 },
	{ "one's own of a quarter", 0, 0x00f0, 4 },
	{ "one's own of a quarter that is unused", 0x0030, 0x00f0, 6 },
	{ "one's own of a quarter although all are used", 0x00f0, 0x00f0, 4 },
	{ "another's for less than a quarter", 0, 0x0070, 0 },
	{ "the oldest for one that has it all", 0, 0xffff, 0 },
};

KUNIT_ARRAY_PARAM_DESC(evictions, evictions, name);

/* The key of another inode in the same set. */
static struct bid_key next_key(struct bid_key key)
{
	do
		key.ino++;
	while (set_of(&key) != set_of(&any_key));
	return key;
}

static void use(const struct bid_key *key, const struct bid_version *version, bool by_another)
{
	struct bid_entry *entry;

	rcu_read_lock();
	entry = bid_cache_find(key, version);
	/* the process that inserted it does not count as use */
	bid_entry_touch(entry);
	entry->tgid += by_another;
	bid_entry_touch(entry);
	rcu_read_unlock();
}

static void a_full_set_gives_up(struct kunit *test)
{
	const struct eviction *of = test->param_value;
	struct bid_key keys[WAYS + 1] = { any_key };
	u32 i;

	for (i = 0; i < WAYS; i++) {
		user = KUIDT_INIT(of->own & BIT(i) ? 1000 : 2000 + i);
		put(test, &keys[i], &any_version);
		use(&keys[i], &any_version, of->used & BIT(i));
		keys[i + 1] = next_key(keys[i]);
	}
	user = KUIDT_INIT(1000);
	put(test, &keys[WAYS], &any_version);
	for (i = 0; i <= WAYS; i++)
		KUNIT_EXPECT_EQ_MSG(test, !find(&keys[i], &any_version), i == of->goes, "%u", i);
	KUNIT_EXPECT_EQ(test, bid_cache_entries(), WAYS);
}

/* Otherwise it would be mistaken for the newer version. */
static void an_older_version_goes_with_a_newer_one(struct kunit *test)
{
	struct bid_version older = version_of(1), newest = version_of(2000);
	struct shrink_control sc = { .gfp_mask = GFP_KERNEL, .nr_to_scan = ENTRIES };
	u64 evicted = bid_stats_sum(BID_STAT_EVICTED);
	struct bid_key key = any_key;
	u32 i;

	put(test, &any_key, &older);
	use(&any_key, &older, true);
	put(test, &any_key, &any_version);
	for (i = 2; i < WAYS; i++) {
		key = next_key(key);
		put(test, &key, &any_version);
		use(&key, &any_version, true);
	}
	key = next_key(key);
	put(test, &key, &any_version);
	KUNIT_EXPECT_EQ(test, find(&any_key, &any_version), 0);
	KUNIT_EXPECT_EQ(test, find(&any_key, &older), 0);
	KUNIT_EXPECT_EQ(test, bid_cache_entries(), WAYS - 1);
	KUNIT_EXPECT_EQ(test, bid_stats_sum(BID_STAT_EVICTED) - evicted, 2);
	bid_cache_flush();

	put(test, &any_key, &older);
	use(&any_key, &older, true);
	put(test, &any_key, &any_version);
	put(test, &any_key, &newest);
	use(&any_key, &newest, true);
	KUNIT_EXPECT_EQ(test, cache.shrinker->scan_objects(cache.shrinker, &sc), 2);
	KUNIT_EXPECT_EQ(test, find(&any_key, &older), 0);
	KUNIT_EXPECT_EQ(test, find(&any_key, &any_version), 0);
	KUNIT_EXPECT_NE(test, find(&any_key, &newest), 0);
}

static void of_an_inode_the_older_ones_are_forgotten(struct kunit *test)
{
	struct bid_version older = version_of(1), newest = version_of(2000);
	struct bid_key other = next_key(any_key);
	u64 file_id;

	put(test, &other, &older);
	put(test, &any_key, &older);
	put(test, &any_key, &any_version);
	file_id = bid_cache_new_id();
	put(test, &any_key, &newest);
	bid_cache_forget_older(&any_key, file_id);
	KUNIT_EXPECT_EQ(test, find(&any_key, &older), 0);
	KUNIT_EXPECT_EQ(test, find(&any_key, &any_version), 0);
	KUNIT_EXPECT_NE(test, find(&any_key, &newest), 0);
	KUNIT_EXPECT_NE(test, find(&other, &older), 0);
}

static const struct stride {
	const char *name;
	struct bid_key key;
} strides[] = {
	{ "inode numbers", { .ino = 1 } },
	{ "every 64th inode number", { .ino = 64 } },
	{ "every 4096th inode number", { .ino = 4096 } },
	{ "inode numbers far apart", { .ino = 1ULL << 40 } },
	{ "generations", { .generation = 1 } },
	{ "devices", { .dev = 1 } },
	{ "trees", { .tree = 1 } },
	{ "trees far apart", { .tree = 1ULL << 32 } },
};

KUNIT_ARRAY_PARAM_DESC(strides, strides, name);

/* Whatever the random numbers, no set gets more than chance has it. */
static void spreads_over_all_sets(struct kunit *test)
{
	const struct bid_key *by = &((const struct stride *)test->param_value)->key;
	u32 worst = 0, round, i;
	struct bid_key key;
	u8 *loads = kunit_kzalloc(test, ENTRIES / WAYS, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, loads);
	for (round = 0; round < 500; round++) {
		key = any_key;
		for (i = 0; i < ARRAY_SIZE(cache.keys); i++)
			cache.keys[i] = get_random_u64() | 1;
		memset(loads, 0, ENTRIES / WAYS);
		for (i = 0; i < ENTRIES / 4; i++) {
			worst = max_t(u32, worst, ++loads[set_of(&key) / WAYS]);
			key.dev += by->dev;
			key.generation += by->generation;
			key.ino += by->ino;
			key.tree += by->tree;
		}
	}
	/* four on average; more than sixteen is one in a million */
	KUNIT_EXPECT_LE(test, worst, 20);
}

/* Otherwise a user could find out which inode numbers share a set with libc's. */
static void sets_are_other_ones_at_each_load(struct kunit *test)
{
	u32 same = 0, i, before[64];
	struct bid_key key;

	for (i = 0; i < ARRAY_SIZE(before); i++) {
		key = key_of(i);
		before[i] = slot_of(&key);
	}
	bid_cache_exit();
	KUNIT_ASSERT_EQ(test, bid_cache_init(ENTRIES), 0);
	for (i = 0; i < ARRAY_SIZE(before); i++) {
		key = key_of(i);
		same += before[i] == slot_of(&key);
	}
	KUNIT_EXPECT_LT(test, same, ARRAY_SIZE(before));
}

static void a_flood_that_waits_for_a_grace_period_is_not_stored(struct kunit *test)
{
	u64 not_stored = bid_stats_sum(BID_STAT_NOT_STORED);

	atomic_add(ENTRIES + SPARE_MAX, &cache.allocated);
	KUNIT_EXPECT_EQ(test, put_inode(test, 1), 0);
	atomic_sub(ENTRIES + SPARE_MAX, &cache.allocated);
	KUNIT_EXPECT_EQ(test, find_inode(1), 0);
	KUNIT_EXPECT_EQ(test, bid_stats_sum(BID_STAT_NOT_STORED) - not_stored, 1);
	KUNIT_EXPECT_NE(test, put_inode(test, 1), 0);
}

static void shrinks_by_what_is_not_used(struct kunit *test)
{
	struct shrink_control sc = { .gfp_mask = GFP_KERNEL, .nr_to_scan = 10 };
	u64 evicted = bid_stats_sum(BID_STAT_EVICTED);
	unsigned long freed;
	u32 i, before;

	KUNIT_EXPECT_EQ(test, cache.shrinker->count_objects(cache.shrinker, &sc), SHRINK_EMPTY);
	for (i = 0; i < 30; i++) {
		struct bid_key key = key_of(i);

		put(test, &key, &any_version);
		rcu_read_lock();
		bid_cache_find(&key, &any_version)->used = i < 10;
		rcu_read_unlock();
	}
	KUNIT_EXPECT_EQ(test, cache.shrinker->count_objects(cache.shrinker, &sc), 30);

	/* the first round leaves used entries, the second does not */
	for (i = 1; i <= 2 * ENTRIES / WAYS; i++) {
		before = bid_cache_entries();
		freed = cache.shrinker->scan_objects(cache.shrinker, &sc);
		KUNIT_EXPECT_EQ(test, before - bid_cache_entries(), freed);
		if (i == ENTRIES / WAYS)
			KUNIT_EXPECT_EQ(test, bid_cache_entries(), 10);
	}
	KUNIT_EXPECT_EQ(test, bid_cache_entries(), 0);
	KUNIT_EXPECT_EQ(test, bid_stats_sum(BID_STAT_EVICTED) - evicted, 30);
}

static void accounts_for_what_it_holds(struct kunit *test)
{
	u64 base = bid_cache_memory();
	u32 round, i;

	KUNIT_EXPECT_GE(test, base, ENTRIES * sizeof(struct bid_entry *));
	for (round = 0; round < 3; round++) {
		for (i = 0; i < 30; i++)
			put_inode(test, i);
		/* again, the last one with other content */
		put_inode(test, 0);
		put_as(test, &(struct bid_key){ MKDEV(8, 1), 7, 29, 5 }, &any_version, 2);
		rcu_barrier();
		KUNIT_EXPECT_GE(test, bid_cache_memory(),
				base + 30 * (sizeof(struct bid_entry) + 20 + 7));
		KUNIT_EXPECT_EQ(test, atomic_read(&cache.allocated), 30);
		KUNIT_EXPECT_EQ(test, bid_cache_flush(), 30);
		KUNIT_EXPECT_EQ(test, bid_cache_flush(), 0);
		rcu_barrier();
		KUNIT_EXPECT_EQ(test, bid_cache_memory(), base);
	}
}

/* ------------------------------------------------------------ what is put -- */

/* Two tasks read the file at once. */
static void the_first_of_two_that_bring_the_same_stays(struct kunit *test)
{
	u64 stale = bid_stats_sum(BID_STAT_STALE), first, file_id;
	struct bid_version moved = any_version;
	struct bid_entry *second;

	first = put(test, &any_key, &any_version);
	moved.change = 99;
	second = alloc_entry(&any_key, &moved, 1);
	KUNIT_ASSERT_NOT_NULL(test, second);
	file_id = second->file_id;
	second->flags = BIT(BID_ENTRY_RACY);
	KUNIT_EXPECT_EQ(test, bid_cache_put(second, bid_cache_recheck_seq(&any_key)), first);
	KUNIT_EXPECT_EQ(test, find(&any_key, &any_version), first);
	KUNIT_EXPECT_FALSE(test, has_id(file_id));
	KUNIT_EXPECT_EQ(test, bid_cache_entries(), 1);
	/* the flags are those of the last read */
	KUNIT_EXPECT_EQ(test, flags_of(&any_key, &any_version), BIT(BID_ENTRY_RACY));
	rcu_read_lock();
	KUNIT_EXPECT_EQ(test, bid_cache_find_id(first)->version.change, 99);
	rcu_read_unlock();
	KUNIT_EXPECT_EQ(test, bid_stats_sum(BID_STAT_STALE) - stale, 0);
}

static void another_content_replaces_what_was_there(struct kunit *test)
{
	u64 stale = bid_stats_sum(BID_STAT_STALE), first, second;

	first = put_as(test, &any_key, &any_version, 1);
	second = put_as(test, &any_key, &any_version, 2);
	KUNIT_EXPECT_GT(test, second, first);
	KUNIT_EXPECT_EQ(test, find(&any_key, &any_version), second);
	KUNIT_EXPECT_FALSE(test, has_id(first));
	KUNIT_EXPECT_EQ(test, bid_cache_entries(), 1);
	KUNIT_EXPECT_EQ(test, bid_stats_sum(BID_STAT_STALE) - stale, 1);
}

static void confirms_what_was_read_again(struct kunit *test)
{
	struct bid_version moved = any_version, other = version_of(1);
	struct bid_identity same = id_of(1), another = id_of(2);
	u32 seq = bid_cache_recheck_seq(&any_key);
	u64 file_id;

	moved.change = 99;
	KUNIT_EXPECT_EQ(test, bid_cache_confirm(&any_key, &moved, &same, 0, seq), 0);
	file_id = put(test, &any_key, &any_version);
	mark_recheck(&any_key);
	KUNIT_EXPECT_EQ(test, flags_of(&any_key, &any_version), BIT(BID_ENTRY_RECHECK));
	KUNIT_EXPECT_EQ(test, bid_cache_confirm(&any_key, &moved, &another, 0, seq), 0);
	KUNIT_EXPECT_EQ(test, bid_cache_confirm(&any_key, &other, &same, 0, seq), 0);
	KUNIT_EXPECT_EQ(test, flags_of(&any_key, &any_version), BIT(BID_ENTRY_RECHECK));

	/* with and without a mark during the read */
	KUNIT_EXPECT_EQ(test, bid_cache_confirm(&any_key, &moved, &same, 0, seq), file_id);
	KUNIT_EXPECT_EQ(test, flags_of(&any_key, &any_version), BIT(BID_ENTRY_RECHECK));
	seq = bid_cache_recheck_seq(&any_key);
	KUNIT_EXPECT_EQ(test, bid_cache_confirm(&any_key, &moved, &same, 0, seq), file_id);
	KUNIT_EXPECT_EQ(test, flags_of(&any_key, &any_version), 0);
	rcu_read_lock();
	KUNIT_EXPECT_EQ(test, bid_cache_find_id(file_id)->version.change, 99);
	rcu_read_unlock();
}

static void marks_all_versions_of_an_inode_and_no_other(struct kunit *test)
{
	const struct bid_version second = version_of(2000), later = version_of(3000);
	struct bid_key inode = key_of(99), tree = any_key, generation = any_key;
	u32 seq = bid_cache_recheck_seq(&any_key);
	struct bid_entry *entry;

	tree.tree++;
	generation.generation++;
	put(test, &any_key, &any_version);
	put(test, &any_key, &second);
	put(test, &inode, &any_version);
	put(test, &tree, &any_version);
	put(test, &generation, &any_version);

	mark_recheck(&any_key);
	KUNIT_EXPECT_NE(test, bid_cache_recheck_seq(&any_key), seq);
	KUNIT_EXPECT_EQ(test, flags_of(&any_key, &any_version), BIT(BID_ENTRY_RECHECK));
	KUNIT_EXPECT_EQ(test, flags_of(&any_key, &second), BIT(BID_ENTRY_RECHECK));
	KUNIT_EXPECT_EQ(test, flags_of(&inode, &any_version), 0);
	KUNIT_EXPECT_EQ(test, flags_of(&tree, &any_version), 0);
	KUNIT_EXPECT_EQ(test, flags_of(&generation, &any_version), 0);

	/* the file of a later insertion may have been read earlier */
	put(test, &any_key, &later);
	KUNIT_EXPECT_EQ(test, flags_of(&any_key, &later), 0);
	bid_cache_flush();
	entry = alloc_entry(&any_key, &later, 1);
	KUNIT_ASSERT_NOT_NULL(test, entry);
	bid_cache_put(entry, seq);
	KUNIT_EXPECT_EQ(test, flags_of(&any_key, &later), BIT(BID_ENTRY_RECHECK));
}

/* -------------------------------------------------------------- concurrency -- */

#define RACE_INODES 96
#define RACE_STEPS  4000

static struct {
	atomic_t found;
	atomic_t faults;
	const char *fault;
} race;

static const char *entry_fault(const struct bid_entry *entry, const struct bid_key *key)
{
	if (!bid_key_equal(&entry->key, key))
		return "another entry than the one asked for";
	if (!entry->file_id || entry->file_id > atomic64_read(&cache.last_file_id))
		return "no file_id";
	if (entry->id_len != 20 || memchr_inv(entry->data + 1, entry->data[0], 20 + 7 - 1))
		return "another's id or path";
	return NULL;
}

static void report_race(const struct bid_entry *entry, const struct bid_key *key)
{
	const char *fault = entry ? entry_fault(entry, key) : NULL;

	atomic_add(!!entry, &race.found);
	if (!fault)
		return;
	race.fault = fault;
	atomic_inc(&race.faults);
}

static int look_up(void *seed)
{
	struct bid_entry *entry;
	struct rnd_state rnd;
	u32 slot = 0;

	prandom_seed_state(&rnd, (unsigned long)seed);
	while (!kthread_should_stop()) {
		struct bid_key key = key_of(prandom_u32_state(&rnd) % RACE_INODES);

		rcu_read_lock();
		entry = bid_cache_find(&key, &any_version);
		report_race(entry, &key);
		if (entry) {
			bid_entry_touch(entry);
			entry = bid_cache_find_id(entry->file_id);
			report_race(entry, &key);
		}
		entry = bid_cache_find_newest(MAJOR(key.dev), MINOR(key.dev), key.ino,
					      &key.generation, &key.tree);
		report_race(entry, &key);
		entry = bid_cache_at(slot++ % ENTRIES);
		if (entry)
			report_race(entry, &entry->key);
		rcu_read_unlock();
		cond_resched();
	}
	return 0;
}

static void lookups_see_whole_entries_while_all_changes(struct kunit *test)
{
	struct shrink_control sc = { .gfp_mask = GFP_KERNEL, .nr_to_scan = 5 };
	struct task_struct *readers[2];
	struct rnd_state rnd;
	struct bid_key key;
	u32 i;

	memset(&race, 0, sizeof(race));
	prandom_seed_state(&rnd, 42);
	for (i = 0; i < ARRAY_SIZE(readers); i++) {
		readers[i] = kthread_run(look_up, (void *)(i + 1UL), "buildid_kunit/%u", i);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, readers[i]);
	}
	for (i = 0; i < RACE_STEPS; i++) {
		key = key_of(prandom_u32_state(&rnd) % RACE_INODES);
		put_as(test, &key, &any_version, prandom_u32_state(&rnd) % 3);
		if (i % 8 == 0)
			mark_recheck(&key);
		if (i % 500 == 99)
			bid_cache_flush();
		if (i % 100 == 49)
			cache.shrinker->scan_objects(cache.shrinker, &sc);
		if (i % 20 == 0)
			cond_resched();
	}
	for (i = 0; i < ARRAY_SIZE(readers); i++)
		kthread_stop(readers[i]);
	KUNIT_EXPECT_EQ_MSG(test, atomic_read(&race.faults), 0, "%s", race.fault);
	KUNIT_EXPECT_GT(test, atomic_read(&race.found), 0);
	KUNIT_EXPECT_LE(test, bid_cache_entries(), ENTRIES);
}

/* -------------------------------------------------------------------- init -- */

static const struct {
	const char *name;
	u32 max_entries;
	u32 max;
} sizes[] = {
	{ "1 entry", 1, 16 },
	{ "16 entries", 16, 16 },
	{ "17 entries", 17, 32 },
	{ "1000 entries", 1000, 1024 },
};

KUNIT_ARRAY_PARAM_DESC(sizes, sizes, name);

static void holds_as_many_as_asked_for(struct kunit *test)
{
	const typeof(sizes[0]) *of = test->param_value;
	u32 i;

	KUNIT_ASSERT_EQ(test, bid_cache_init(of->max_entries), 0);
	for (i = 0; i < 12 * of->max; i++)
		put_inode(test, i);
	KUNIT_EXPECT_EQ(test, bid_cache_max(), of->max);
	KUNIT_EXPECT_EQ(test, bid_cache_entries(), of->max);
	bid_cache_exit();
	KUNIT_EXPECT_EQ(test, atomic_read(&alloc.held), 0);
}

/* Fails at each of its allocations in turn. */
static void holds_nothing_when_it_cannot_start(struct kunit *test)
{
	u32 i;
	int err;

	for (i = 1; i < 1000; i++) {
		alloc_expect(i);
		err = bid_cache_init(16);
		if (!alloc_failed())
			break;
		KUNIT_ASSERT_EQ_MSG(test, err, -ENOMEM, "allocation %u failed", i);
		KUNIT_ASSERT_EQ_MSG(test, atomic_read(&alloc.held), 0, "allocation %u failed", i);
	}
	alloc_expect(0);
	KUNIT_ASSERT_EQ(test, err, 0);
	/* three tables, the shrinker */
	KUNIT_EXPECT_EQ(test, i, 1 + 4);
	bid_cache_exit();
	KUNIT_EXPECT_EQ(test, atomic_read(&alloc.held), 0);
}

static int start(struct kunit *test)
{
	user = GLOBAL_ROOT_UID;
	alloc_expect(0);
	return bid_cache_init(ENTRIES);
}

static void stop(struct kunit *test)
{
	bid_cache_exit();
	KUNIT_EXPECT_EQ(test, atomic_read(&alloc.held), 0);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(distinguishes_entries_by, others_gen_params),
	KUNIT_CASE(a_change_counter_alone_makes_no_other_version),
	KUNIT_CASE(finds_an_inode_wherever_in_its_set_it_is),
	KUNIT_CASE(knows_the_newest_of_an_inode_number),
	KUNIT_CASE(finds_nothing_of_a_device_that_cannot_be),
	KUNIT_CASE(finds_an_entry_by_its_file_id),
	KUNIT_CASE(walks_over_every_entry_once),
	KUNIT_CASE(stays_within_its_bound),
	KUNIT_CASE_PARAM(a_full_set_gives_up, evictions_gen_params),
	KUNIT_CASE(an_older_version_goes_with_a_newer_one),
	KUNIT_CASE(of_an_inode_the_older_ones_are_forgotten),
	KUNIT_CASE_PARAM(spreads_over_all_sets, strides_gen_params),
	KUNIT_CASE(sets_are_other_ones_at_each_load),
	KUNIT_CASE(a_flood_that_waits_for_a_grace_period_is_not_stored),
	KUNIT_CASE(shrinks_by_what_is_not_used),
	KUNIT_CASE(accounts_for_what_it_holds),
	KUNIT_CASE(the_first_of_two_that_bring_the_same_stays),
	KUNIT_CASE(another_content_replaces_what_was_there),
	KUNIT_CASE(confirms_what_was_read_again),
	KUNIT_CASE(marks_all_versions_of_an_inode_and_no_other),
	KUNIT_CASE(lookups_see_whole_entries_while_all_changes),
	{},
};

static struct kunit_suite suite = {
	.name = "buildid_cache",
	.init = start,
	.exit = stop,
	.test_cases = cases,
};

static struct kunit_case init_cases[] = {
	KUNIT_CASE_PARAM(holds_as_many_as_asked_for, sizes_gen_params),
	KUNIT_CASE(holds_nothing_when_it_cannot_start),
	{},
};

static struct kunit_suite init_suite = {
	.name = "buildid_cache_init",
	.test_cases = init_cases,
};

kunit_test_suites(&suite, &init_suite);
