// SPDX-License-Identifier: GPL-2.0
/*
 * The cache by itself: keys and versions, sets and eviction, the reserve, texts, rechecks,
 * the shrinker, and every allocation that fails.
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/hash.h>
#include <linux/kthread.h>
#include <linux/log2.h>
#include <linux/prandom.h>
#include <linux/rculist.h>
#include <linux/shrinker.h>
#include <linux/workqueue.h>

#include "stubs.h"

#include "cache.h"
#include "compat.h"
#include "stats.h"

#include "alloc.h"

/* Under a name of its own, in case that buildid.ko is loaded. */
static struct kmem_cache *test_kmem_cache_create(const char *name, unsigned int size,
						 unsigned int align, slab_flags_t flags,
						 void (*ctor)(void *object))
{
	return alloc_fails() ? NULL :
			       alloc_held(kmem_cache_create("buildid_kunit_entry", size, align,
							    flags, ctor));
}

static void test_kmem_cache_destroy(struct kmem_cache *cache)
{
	alloc_dropped(cache);
	kmem_cache_destroy(cache);
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

#undef kmem_cache_create
#define kmem_cache_create  test_kmem_cache_create
#define kmem_cache_destroy test_kmem_cache_destroy
#define shrinker_alloc	   test_shrinker_alloc
#define shrinker_free	   test_shrinker_free

#include "cache.c"

/* Sixteen sets: enough that none fills up by chance with a few dozen files. */
#define ENTRIES 256

/* Any pointer will do for a request, as the cache does not look into it. */
static struct bid_request *const request = (void *)&cache;

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

/* An identity that follows from the entry it is in. */
static void make_id(struct bid_identity *id, const struct bid_key *key,
		    const struct bid_version *version, u8 len)
{
	u32 i;

	memset(id, 0, sizeof(*id));
	id->kind = BUILDID_KIND_GNU;
	id->len = len;
	for (i = 0; i < len; i++)
		id->bytes[i] = (key->ino * 1000 + version->ctime) * GOLDEN_RATIO_64 >> i % 8 * 8;
}

/* Returns what is to be freed, unlocked. */
static struct bid_text *set_id_and_path(struct bid_entry *entry, const struct bid_identity *id,
					struct bid_text *text)
{
	if (text)
		text = bid_cache_set_text(entry, text);
	bid_entry_publish(entry, id, BUILDID_STATE_KNOWN);
	return text;
}

/* What is on its way out counts against the reserve. */
static struct bid_entry *get_awaited(void)
{
	struct bid_entry *entry;

	bid_cache_refill();
	bid_cache_lock();
	entry = bid_cache_get_reserved();
	bid_cache_unlock();
	if (entry)
		return entry;
	rcu_barrier();
	bid_cache_refill();
	bid_cache_lock();
	entry = bid_cache_get_reserved();
	bid_cache_unlock();
	return entry;
}

/* Inserts an entry and returns it, to be used under the cache's lock or RCU. */
static struct bid_entry *put(struct kunit *test, const struct bid_key *key,
			     const struct bid_version *version)
{
	struct bid_identity id;
	struct bid_entry *entry;

	make_id(&id, key, version, 20);
	entry = get_awaited();
	KUNIT_ASSERT_NOT_NULL(test, entry);
	bid_cache_lock();
	set_id_and_path(entry, &id, NULL);
	bid_cache_insert(entry, key, version);
	bid_cache_unlock();
	return entry;
}

static void put_inode(struct kunit *test, u64 ino)
{
	struct bid_key key = key_of(ino);

	put(test, &key, &any_version);
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

static u64 find_newest(dev_t dev, u64 ino, const u32 *generation)
{
	struct bid_entry *entry;
	u64 file_id;

	rcu_read_lock();
	entry = bid_cache_find_newest(MAJOR(dev), MINOR(dev), ino, generation, NULL);
	file_id = entry ? entry->file_id : 0;
	rcu_read_unlock();
	return file_id;
}

static void remove(struct bid_entry *entry)
{
	bid_cache_lock();
	bid_cache_remove(entry);
	bid_cache_unlock();
}

static void end_request(struct bid_entry *entry)
{
	bid_cache_lock();
	bid_cache_request_done(entry);
	bid_cache_unlock();
}

/* Nothing under way any more, and the reserve full. */
static void settle_down(void)
{
	flush_work(&cache.refill);
	bid_cache_refill();
	rcu_barrier();
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
	{ "change counter", ANY_KEY, { 1000, 900, 4096, 4, 1 } },
	{ "epoch", ANY_KEY, { 1000, 900, 4096, 3, 2 } },
};

KUNIT_ARRAY_PARAM_DESC(others, others, name);

static void distinguishes_entries_by(struct kunit *test)
{
	const struct other *other = test->param_value;
	u64 first, second;

	put(test, &any_key, &any_version);
	first = find(&any_key, &any_version);
	KUNIT_EXPECT_NE(test, first, 0);
	KUNIT_EXPECT_EQ(test, find(&other->key, &other->version), 0);

	put(test, &other->key, &other->version);
	second = find(&other->key, &other->version);
	KUNIT_EXPECT_GT(test, second, first);
	KUNIT_EXPECT_EQ(test, find(&any_key, &any_version), first);
	KUNIT_EXPECT_EQ(test, bid_cache_entries(), 2);
}

static void keeps_all_versions_and_knows_the_newest(struct kunit *test)
{
	const u32 same = any_key.generation, other = same + 1;
	struct bid_version version;
	struct bid_entry *entry;
	u64 last = 0;
	s64 i;

	/* time stamps may well go back */
	for (i = 10; i; i--) {
		version = version_of(i);
		entry = put(test, &any_key, &version);
		KUNIT_EXPECT_GT(test, find(&any_key, &version), last);
		last = find(&any_key, &version);
		KUNIT_EXPECT_EQ(test, find_newest(any_key.dev, any_key.ino, NULL), last);
		KUNIT_EXPECT_EQ(test, find_newest(any_key.dev, any_key.ino, &same), last);
	}
	KUNIT_EXPECT_EQ(test, find_newest(any_key.dev, any_key.ino, &other), 0);
	KUNIT_EXPECT_EQ(test, find_newest(any_key.dev + 1, any_key.ino, NULL), 0);
	KUNIT_EXPECT_EQ(test, find_newest(any_key.dev, any_key.ino + 1, NULL), 0);
	remove(entry);
	KUNIT_EXPECT_EQ(test, find_newest(any_key.dev, any_key.ino, NULL), last - 1);
}

/* An inode number that is used again is another file. */
static void knows_the_newest_of_any_generation(struct kunit *test)
{
	struct bid_key old = any_key, new = any_key;
	u64 old_id, new_id;

	new.generation = 2;
	old.generation = 9;
	put(test, &old, &any_version);
	old_id = find(&old, &any_version);
	put(test, &new, &any_version);
	new_id = find(&new, &any_version);

	KUNIT_EXPECT_EQ(test, find_newest(any_key.dev, any_key.ino, NULL), new_id);
	KUNIT_EXPECT_EQ(test, find_newest(any_key.dev, any_key.ino, &new.generation), new_id);
	KUNIT_EXPECT_EQ(test, find_newest(any_key.dev, any_key.ino, &old.generation), old_id);
}

static struct bid_entry *newest_in(const u64 *tree)
{
	return bid_cache_find_newest(MAJOR(any_key.dev), MINOR(any_key.dev), any_key.ino, NULL,
				     tree);
}

/* Each subvolume has its own inode of that number, and none is the newest of them. */
static void knows_the_newest_of_one_tree(struct kunit *test)
{
	struct bid_version later = version_of(any_version.ctime + 1);
	const u64 none = any_key.tree + 2;
	struct bid_key other = any_key;

	other.tree++;
	put(test, &any_key, &any_version);
	rcu_read_lock();
	KUNIT_EXPECT_EQ(test, newest_in(NULL)->file_id, find(&any_key, &any_version));
	rcu_read_unlock();
	put(test, &other, &any_version);
	put(test, &any_key, &later);
	rcu_read_lock();
	KUNIT_EXPECT_EQ(test, newest_in(&any_key.tree)->file_id, find(&any_key, &later));
	KUNIT_EXPECT_EQ(test, newest_in(&other.tree)->file_id, find(&other, &any_version));
	KUNIT_EXPECT_NULL(test, newest_in(&none));
	KUNIT_EXPECT_EQ(test, PTR_ERR_OR_ZERO(newest_in(NULL)), -ENOTUNIQ);
	rcu_read_unlock();
}

static void never_uses_a_file_id_again(struct kunit *test)
{
	u64 last = 0, i;

	for (i = 0; i < 5 * ENTRIES; i++) {
		put_inode(test, i);
		KUNIT_ASSERT_GT(test, find_inode(i), last);
		last = find_inode(i);
		if (i % 50 == 49)
			bid_cache_flush();
	}
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
	wrong += !!bid_cache_find_id(0);
	wrong += !!bid_cache_find_id(31);
	rcu_read_unlock();
	KUNIT_EXPECT_EQ(test, wrong, 0);
}

static void walks_over_every_entry_once(struct kunit *test)
{
	u32 slot, seen = 0, n = 30, i;
	struct bid_entry *entry;
	u64 met = 0;

	for (i = 0; i < n; i++)
		put_inode(test, i);
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
}

/* A walk that leaves the RCU section now and then can tell whether it has seen all. */
static void counts_what_comes_and_goes(struct kunit *test)
{
	u32 seq = bid_cache_seq();

	put_inode(test, 1);
	KUNIT_EXPECT_NE(test, bid_cache_seq(), seq);
	seq = bid_cache_seq();
	KUNIT_EXPECT_NE(test, find_inode(1), 0);
	KUNIT_EXPECT_EQ(test, bid_cache_seq(), seq);
	bid_cache_flush();
	KUNIT_EXPECT_NE(test, bid_cache_seq(), seq);
}

/* ------------------------------------------------------- bounds, eviction -- */

static void stays_within_its_bound(struct kunit *test)
{
	u64 evicted = bid_stats_sum(BID_STAT_EVICTED);
	u32 i;

	for (i = 0; i < 10 * ENTRIES; i++) {
		put_inode(test, i);
		KUNIT_ASSERT_LE(test, bid_cache_entries(), ENTRIES);
		KUNIT_ASSERT_NE(test, find_inode(i), 0);
	}
	settle_down();
	KUNIT_EXPECT_EQ(test, bid_cache_max(), ENTRIES);
	/* ten times as many as there is room for leave no set with a free slot */
	KUNIT_EXPECT_EQ(test, bid_cache_entries(), ENTRIES);
	KUNIT_EXPECT_EQ(test, atomic_read(&cache.allocated), ENTRIES + cache.reserve_want);
	KUNIT_EXPECT_EQ(test, bid_stats_sum(BID_STAT_EVICTED) - evicted, 9 * ENTRIES);
}

static struct bid_entry *entry_of(u64 ino)
{
	struct bid_key key = key_of(ino);

	return bid_cache_find(&key, &any_version);
}

/* As another process than the one that brought it. */
static void use(u64 ino)
{
	struct bid_entry *entry;

	rcu_read_lock();
	entry = entry_of(ino);
	if (entry) {
		entry->tgid = current->tgid + 1;
		bid_entry_touch(entry);
	}
	rcu_read_unlock();
}

static void give_to(u64 ino, kuid_t uid)
{
	struct bid_entry *entry;

	rcu_read_lock();
	entry = entry_of(ino);
	if (entry)
		entry->user = uid;
	rcu_read_unlock();
}

static u32 count(u64 first, u32 n)
{
	u32 i, found = 0;

	for (i = 0; i < n; i++)
		found += !!find_inode(first + i);
	return found;
}

/* Files, as many in each set: by chance one might be full of them. */
struct files {
	u64 inos[ENTRIES];
	u32 n;
};

static struct files *files_in_each_set(struct kunit *test, u32 in_each)
{
	struct files *files = kunit_kzalloc(test, sizeof(*files), GFP_KERNEL);
	u32 found[ENTRIES / WAYS] = {};
	u64 ino;

	KUNIT_ASSERT_NOT_NULL(test, files);
	for (ino = 1; files->n < in_each * ARRAY_SIZE(found); ino++)
		if (found[set_of(any_key.dev, ino) / WAYS]++ < in_each)
			files->inos[files->n++] = ino;
	return files;
}

static u32 count_files(const struct files *files)
{
	u32 i, found = 0;

	for (i = 0; i < files->n; i++)
		found += !!find_inode(files->inos[i]);
	return found;
}

/* Whether of many files or of the versions of one. */
static void a_flood_by_one_process_drives_out_itself(struct kunit *test)
{
	struct files *others = files_in_each_set(test, WAYS - 1);
	struct bid_version version;
	u32 i;

	for (i = 0; i < others->n; i++) {
		put_inode(test, others->inos[i]);
		use(others->inos[i]);
	}
	for (i = 0; i < 20 * ENTRIES; i++) {
		put_inode(test, 100000 + i);
		/* it may well use them itself */
		rcu_read_lock();
		if (entry_of(100000 + i))
			bid_entry_touch(entry_of(100000 + i));
		rcu_read_unlock();
	}
	for (i = 0; i < 20 * ENTRIES; i++) {
		version = version_of(5000 + i);
		put(test, &any_key, &version);
	}
	KUNIT_EXPECT_EQ(test, count_files(others), others->n);
}

/* Several processes of his make all of his files look useful. */
static void a_flood_by_one_user_drives_out_what_is_his(struct kunit *test)
{
	const kuid_t flooder = KUIDT_INIT(1000), other = KUIDT_INIT(1001);
	struct files *others = files_in_each_set(test, WAYS / 2 - 1);
	u32 i;

	for (i = 0; i < 20 * ENTRIES; i++) {
		put_inode(test, 100000 + i);
		give_to(100000 + i, flooder);
		use(100000 + i);
	}
	for (i = 0; i < others->n; i++) {
		put_inode(test, others->inos[i]);
		give_to(others->inos[i], other);
	}
	KUNIT_EXPECT_EQ(test, count_files(others), others->n);
	for (i = 0; i < 20 * ENTRIES; i++) {
		put_inode(test, 200000 + i);
		give_to(200000 + i, flooder);
		use(200000 + i);
	}
	KUNIT_EXPECT_EQ(test, count_files(others), others->n);
}

/* The user's own other programs, too, and such as nobody else has mapped yet. */
static void a_process_that_floods_pays_before_others_of_its_user(struct kunit *test)
{
	struct files *others = files_in_each_set(test, WAYS - 2);
	struct bid_entry *entry;
	u32 i;

	for (i = 0; i < others->n; i++) {
		put_inode(test, others->inos[i]);
		rcu_read_lock();
		entry = entry_of(others->inos[i]);
		if (entry)
			entry->tgid = current->tgid + 1 + i;
		rcu_read_unlock();
	}
	for (i = 0; i < 20 * ENTRIES; i++)
		put_inode(test, 100000 + i);
	KUNIT_EXPECT_EQ(test, count_files(others), others->n);
}

/* Numbers as they come: whatever the key, no set gets more than chance has it. */
static void spreads_inodes_that_follow_each_other(struct kunit *test)
{
	u32 strides[] = { 1, 2, 64, 4096, 1 << 20 }, worst = 0, load, key, stride, i;
	u8 *loads = kunit_kzalloc(test, ENTRIES / WAYS, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, loads);
	for (key = 0; key < 2000; key++) {
		cache.key = get_random_u64() | 1;
		stride = strides[key % ARRAY_SIZE(strides)];
		memset(loads, 0, ENTRIES / WAYS);
		for (i = 0; i < ENTRIES / 4; i++) {
			load = ++loads[set_of(MKDEV(8, 1), 1000 + i * stride) / WAYS];
			worst = max(worst, load);
		}
	}
	/* four on average; more than sixteen is one in a million */
	KUNIT_EXPECT_LE(test, worst, 20);
}

/* What was useful once must not stay for good. */
static void what_all_stopped_using_goes(struct kunit *test)
{
	u32 i;

	for (i = 0; i < 20 * ENTRIES; i++) {
		put_inode(test, i);
		use(i);
	}
	for (i = 0; i < 20 * ENTRIES; i++) {
		put_inode(test, 100000 + i);
		use(100000 + i);
	}
	KUNIT_EXPECT_EQ(test, count(0, 20 * ENTRIES), 0);
}

/* Whoever made what: so many slots and no more. */
static void looks_no_further_than_one_set(struct kunit *test)
{
	u32 i, slots = 0;

	for (i = 0; i < 3 * WAYS; i++) {
		struct bid_version version = version_of(i);

		put(test, &any_key, &version);
	}
	bid_cache_lock();
	for (i = 0; i < ENTRIES; i++)
		slots += !!entry_at(i);
	bid_cache_unlock();
	KUNIT_EXPECT_EQ(test, slots, WAYS);
	KUNIT_EXPECT_EQ(test, bid_cache_entries(), WAYS);
}

/* Otherwise a user could find out which inode numbers share a set with libc's. */
static void sets_are_other_ones_at_each_load(struct kunit *test)
{
	u32 same = 0, i, before[64];

	for (i = 0; i < ARRAY_SIZE(before); i++)
		before[i] = slot_of(MKDEV(8, 1), i);
	bid_cache_exit();
	KUNIT_ASSERT_EQ(test, bid_cache_init(ENTRIES), 0);
	for (i = 0; i < ARRAY_SIZE(before); i++)
		same += before[i] == slot_of(MKDEV(8, 1), i);
	KUNIT_EXPECT_LT(test, same, ARRAY_SIZE(before));
}

static void never_evicts_what_is_being_read(struct kunit *test)
{
	struct bid_entry *pinned[8];
	u64 ids[8];
	u32 i;

	for (i = 0; i < ARRAY_SIZE(pinned); i++) {
		struct bid_key key = key_of(i);

		pinned[i] = put(test, &key, &any_version);
		pinned[i]->request = request;
		ids[i] = pinned[i]->file_id;
	}
	for (i = 0; i < 20 * ENTRIES; i++)
		put_inode(test, 1000 + i);
	for (i = 0; i < ARRAY_SIZE(pinned); i++)
		KUNIT_EXPECT_EQ(test, find_inode(i), ids[i]);

	for (i = 0; i < ARRAY_SIZE(pinned); i++)
		end_request(pinned[i]);
	for (i = 0; i < 20 * ENTRIES; i++)
		put_inode(test, 10000 + i);
	KUNIT_EXPECT_EQ(test, count(0, ARRAY_SIZE(pinned)), 0);
}

static void bears_that_a_set_is_being_read(struct kunit *test)
{
	struct bid_version version;
	struct bid_entry *entries[WAYS];
	int allocated;
	bool fits;
	u32 i;

	for (i = 0; i < WAYS; i++) {
		version = version_of(i);
		entries[i] = put(test, &any_key, &version);
		entries[i]->request = request;
	}
	settle_down();
	allocated = atomic_read(&cache.allocated);
	version = version_of(WAYS);
	bid_cache_lock();
	fits = bid_cache_insert(bid_cache_get_reserved(), &any_key, &version);
	bid_cache_unlock();
	KUNIT_EXPECT_FALSE(test, fits);
	settle_down();
	KUNIT_EXPECT_EQ(test, atomic_read(&cache.allocated), allocated);
	KUNIT_EXPECT_EQ(test, bid_cache_flush(), 0);

	for (i = 0; i < WAYS; i++)
		end_request(entries[i]);
	put(test, &any_key, &version);
	KUNIT_EXPECT_NE(test, find(&any_key, &version), 0);
}

static void frees_a_dead_entry_when_its_request_ends(struct kunit *test)
{
	struct bid_entry *entry = put(test, &any_key, &any_version);
	int allocated;

	settle_down();
	allocated = atomic_read(&cache.allocated);
	entry->request = request;
	remove(entry);
	rcu_barrier();
	KUNIT_EXPECT_EQ(test, find(&any_key, &any_version), 0);
	KUNIT_EXPECT_EQ(test, bid_cache_entries(), 0);
	KUNIT_EXPECT_TRUE(test, entry->flags & BID_ENTRY_DEAD);
	KUNIT_EXPECT_EQ(test, atomic_read(&cache.allocated), allocated);

	/* the request may still fill it in */
	bid_cache_lock();
	WRITE_ONCE(entry->kind, BUILDID_KIND_GNU);
	bid_cache_unlock();

	end_request(entry);
	rcu_barrier();
	KUNIT_EXPECT_EQ(test, atomic_read(&cache.allocated), allocated - 1);
}

static void keeps_a_live_entry_when_its_request_ends(struct kunit *test)
{
	struct bid_entry *entry = put(test, &any_key, &any_version);

	entry->request = request;
	end_request(entry);
	rcu_barrier();
	KUNIT_EXPECT_NE(test, find(&any_key, &any_version), 0);
	KUNIT_EXPECT_FALSE(test, entry->flags & BID_ENTRY_DEAD);
	KUNIT_EXPECT_PTR_EQ(test, entry->request, NULL);
}

static void flush_forgets_all_but_what_is_being_read(struct kunit *test)
{
	struct bid_entry *pinned;
	u32 i;

	KUNIT_EXPECT_EQ(test, bid_cache_flush(), 0);
	for (i = 0; i < 20; i++)
		put_inode(test, 1 + i);
	pinned = put(test, &any_key, &any_version);
	pinned->request = request;

	KUNIT_EXPECT_EQ(test, bid_cache_flush(), 20);
	KUNIT_EXPECT_EQ(test, bid_cache_entries(), 1);
	for (i = 0; i < 20; i++)
		KUNIT_EXPECT_EQ(test, find_inode(1 + i), 0);
	KUNIT_EXPECT_NE(test, find(&any_key, &any_version), 0);

	end_request(pinned);
	KUNIT_EXPECT_EQ(test, bid_cache_flush(), 1);
	KUNIT_EXPECT_EQ(test, bid_cache_flush(), 0);
}

static void shrinks_but_for_what_is_being_read(struct kunit *test)
{
	struct shrink_control sc = { .gfp_mask = GFP_KERNEL, .nr_to_scan = 10 };
	struct bid_entry *pinned;
	u32 i, rounds;

	KUNIT_EXPECT_EQ(test, cache.shrinker->count_objects(cache.shrinker, &sc), SHRINK_EMPTY);
	for (i = 0; i < 30; i++)
		put_inode(test, 1 + i);
	for (i = 0; i < 10; i++)
		use(1 + i);
	pinned = put(test, &any_key, &any_version);
	pinned->request = request;
	KUNIT_EXPECT_EQ(test, cache.shrinker->count_objects(cache.shrinker, &sc), 31);

	/* once around leaves what is used, twice does not */
	for (rounds = 0; rounds < 2 * ENTRIES / WAYS; rounds++) {
		u32 before = bid_cache_entries();
		unsigned long freed = cache.shrinker->scan_objects(cache.shrinker, &sc);

		KUNIT_EXPECT_EQ(test, before - bid_cache_entries(), freed);
		if (rounds + 1 == ENTRIES / WAYS)
			KUNIT_EXPECT_EQ(test, bid_cache_entries(), 10 + 1);
	}
	KUNIT_EXPECT_EQ(test, bid_cache_entries(), 1);
	KUNIT_EXPECT_NE(test, find(&any_key, &any_version), 0);
	end_request(pinned);
}

/* ---------------------------------------------------- reserve and memory -- */

static struct bid_entry *take(void)
{
	struct bid_entry *entry;

	bid_cache_lock();
	entry = bid_cache_get_reserved();
	bid_cache_unlock();
	return entry;
}

static void give_back(struct bid_entry *entry)
{
	bid_cache_lock();
	bid_cache_put_reserved(entry);
	bid_cache_unlock();
}

static void gives_nothing_once_the_reserve_is_used_up(struct kunit *test)
{
	static struct bid_entry *taken[ENTRIES];
	struct bid_entry *entry, *one_more;
	u32 n = 0, inserted = 0, want = cache.reserve_want;

	settle_down();
	/* all of it in one go, so that the worker cannot come between */
	bid_cache_lock();
	while (n < ENTRIES && (entry = bid_cache_get_reserved()))
		taken[n++] = entry;
	one_more = bid_cache_get_reserved();
	while (n)
		bid_cache_put_reserved(taken[--n]);
	while ((entry = bid_cache_get_reserved())) {
		struct bid_key key = key_of(inserted++);

		bid_cache_insert(entry, &key, &any_version);
	}
	bid_cache_unlock();
	KUNIT_EXPECT_PTR_EQ(test, one_more, NULL);
	KUNIT_EXPECT_EQ(test, inserted, want);

	/* the refill is queued, and needs no help */
	flush_work(&cache.refill);
	KUNIT_EXPECT_EQ(test, cache.reserved, want);
	entry = take();
	KUNIT_ASSERT_NOT_NULL(test, entry);
	give_back(entry);
}

/* But for the room that each brings for a path. */
static void hands_out_blank_entries(struct kunit *test)
{
	struct bid_entry *entry, copy, blank = {};
	u32 i;

	for (i = 0; i < 3 * ENTRIES; i++) {
		put_inode(test, i);
		bid_cache_refill();
		entry = take();
		KUNIT_ASSERT_NOT_NULL(test, entry);
		copy = *entry;
		give_back(entry);
		KUNIT_EXPECT_NOT_NULL(test, copy.spare);
		copy.spare = NULL;
		KUNIT_ASSERT_MEMEQ(test, &copy.key, &blank.key,
				   sizeof(blank) - offsetof(struct bid_entry, key));
	}
}

static void a_caller_adds_one_entry_where_one_is_missing(struct kunit *test)
{
	u32 want = cache.reserve_want, i;

	settle_down();
	KUNIT_EXPECT_FALSE(test, bid_cache_refill_one());
	bid_cache_lock();
	for (i = 0; i < 2; i++) {
		struct bid_key key = key_of(i);

		bid_cache_insert(bid_cache_get_reserved(), &key, &any_version);
	}
	bid_cache_unlock();
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, cache.reserved, want - 2 + i);
		KUNIT_EXPECT_TRUE(test, bid_cache_refill_one());
	}
	KUNIT_EXPECT_FALSE(test, bid_cache_refill_one());
	KUNIT_EXPECT_EQ(test, cache.reserved, want);
}

static void refills_as_far_as_memory_goes(struct kunit *test)
{
	u32 want = cache.reserve_want, i;

	settle_down();
	for (i = 0; i < want; i++) {
		struct bid_key key = key_of(i);

		alloc_expect(1);
		bid_cache_lock();
		bid_cache_insert(bid_cache_get_reserved(), &key, &any_version);
		bid_cache_unlock();
		alloc_expect(1);
		flush_work(&cache.refill);
		alloc_expect(1);
		bid_cache_refill();
	}
	KUNIT_EXPECT_PTR_EQ(test, take(), NULL);

	alloc_expect(0);
	bid_cache_refill();
	KUNIT_EXPECT_EQ(test, cache.reserved, want);
}

static const struct text_case {
	const char *name;
	u8 id_len;
	u16 path_len;
} texts[] = {
	{ "no id and no path", 0, 0 },	  { "no id, a path", 0, 40 },
	{ "20 bytes, no path", 20, 0 },	  { "20 bytes, a path", 20, 40 },
	{ "32 bytes, no path", 32, 0 },	  { "32 bytes, the longest path", 32, PATH_MAX - 1 },
	{ "33 bytes, no path", 33, 0 },	  { "33 bytes, a path", 33, 40 },
	{ "128 bytes, no path", 128, 0 }, { "128 bytes, the longest path", 128, PATH_MAX - 1 },
};

KUNIT_ARRAY_PARAM_DESC(texts, texts, name);

static void holds_an_identity_and_a_path_of(struct kunit *test)
{
	const struct text_case *of = test->param_value;
	const char flags = BUILDID_FILE_DELETED;
	struct bid_path path = { .len = of->path_len, .flags = flags };
	struct bid_text *text, *spare;
	struct bid_identity id;
	struct bid_entry *entry;
	const u8 *bytes;
	u64 base;
	char *name;
	u8 len;

	name = kunit_kzalloc(test, PATH_MAX, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, name);
	memset(name, 'p', of->path_len);
	path.name = of->path_len ? name : NULL;
	make_id(&id, &any_key, &any_version, of->id_len);
	entry = put(test, &any_key, &any_version);
	settle_down();
	base = bid_cache_memory() - offsetof(struct bid_text, data) - BID_PATH_SPARE;

	text = bid_text_alloc(&id, &path);
	KUNIT_ASSERT_NOT_NULL(test, text);
	bid_cache_lock();
	spare = set_id_and_path(entry, &id, text);
	bytes = bid_entry_id(entry, &len);
	bid_cache_unlock();
	KUNIT_EXPECT_NOT_NULL(test, spare);
	bid_text_free(spare);
	KUNIT_EXPECT_EQ(test, len, of->id_len);
	KUNIT_EXPECT_MEMEQ(test, bytes, id.bytes, of->id_len);
	KUNIT_EXPECT_EQ(test, text->path_len, of->path_len);
	KUNIT_EXPECT_EQ(test, text->path_flags, flags);
	KUNIT_EXPECT_MEMEQ(test, text->data + text->id_len, name, of->path_len);
	KUNIT_EXPECT_GE(test, bid_cache_memory(),
			base + of->path_len + (of->id_len > BID_ID_INLINE ? of->id_len : 0));

	remove(entry);
	settle_down();
	KUNIT_EXPECT_LE(test, bid_cache_memory(), base);
}

static const struct path_case {
	const char *name;
	u16 len;
	bool fits;
} paths[] = {
	{ "none", 0, true },
	{ "1 character", 1, true },
	{ "as many as there is room for", BID_PATH_SPARE, true },
	{ "one more than there is room for", BID_PATH_SPARE + 1, false },
	{ "as many as can be", PATH_MAX - 1, false },
};

KUNIT_ARRAY_PARAM_DESC(paths, paths, name);

static void keeps_without_an_allocation_a_path_of(struct kunit *test)
{
	struct bid_entry *entry = put(test, &any_key, &any_version);
	const struct path_case *of = test->param_value;
	struct bid_path path = { .len = of->len, .flags = BUILDID_FILE_MEMFD };
	const struct bid_text *text;
	bool fits, again;
	u64 memory;
	char *name;

	name = kunit_kzalloc(test, PATH_MAX, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, name);
	memset(name, 'p', of->len);
	path.name = name;
	settle_down();
	memory = bid_cache_memory();

	bid_cache_lock();
	entry->flags |= BID_ENTRY_NO_PATH;
	fits = bid_cache_set_path(entry, &path);
	/* once */
	again = bid_cache_set_path(entry, &path);
	text = rcu_dereference_protected(entry->text, true);
	bid_cache_unlock();
	KUNIT_EXPECT_EQ(test, fits, of->fits);
	KUNIT_EXPECT_FALSE(test, again);
	KUNIT_EXPECT_EQ(test, !(entry->flags & BID_ENTRY_NO_PATH), of->fits);
	KUNIT_EXPECT_EQ(test, bid_cache_memory(), memory);
	if (!of->fits) {
		KUNIT_EXPECT_PTR_EQ(test, text, NULL);
		return;
	}
	KUNIT_ASSERT_NOT_NULL(test, text);
	KUNIT_EXPECT_EQ(test, text->id_len, 0);
	KUNIT_EXPECT_EQ(test, text->path_flags, path.flags);
	KUNIT_ASSERT_EQ(test, text->path_len, of->len);
	KUNIT_EXPECT_MEMEQ(test, text->data, name, of->len);
}

static void accounts_for_what_it_holds(struct kunit *test)
{
	struct bid_path path = { .name = "/usr/lib/libexample.so.1", .len = 24 };
	struct bid_identity id;
	u64 base, memory = 0;
	u32 round, i;

	settle_down();
	base = bid_cache_memory();
	KUNIT_EXPECT_GE(test, base,
			ENTRIES * sizeof(struct bid_entry *) +
				cache.reserve_want * sizeof(struct bid_entry));
	make_id(&id, &any_key, &any_version, 40);
	for (round = 0; round < 3; round++) {
		for (i = 0; i < 30; i++) {
			struct bid_key key = key_of(i);
			struct bid_entry *entry = put(test, &key, &any_version);
			u32 texts;

			/* one takes the other's place */
			for (texts = 0; texts < 2; texts++) {
				struct bid_text *text = bid_text_alloc(&id, &path);

				KUNIT_ASSERT_NOT_NULL(test, text);
				bid_cache_lock();
				text = bid_cache_set_text(entry, text);
				bid_cache_unlock();
				bid_text_free(text);
			}
		}
		settle_down();
		if (!round)
			memory = bid_cache_memory();
		KUNIT_EXPECT_EQ(test, bid_cache_memory(), memory);
		KUNIT_EXPECT_GE(test, memory, base + 30 * (sizeof(struct bid_entry) + 40 + 24));
		bid_cache_flush();
		settle_down();
		KUNIT_EXPECT_EQ(test, bid_cache_memory(), base);
	}
}

/* ---------------------------------------------------------------- rechecks -- */

static bool is_marked(const struct bid_key *key, const struct bid_version *version)
{
	struct bid_entry *entry;
	bool is;

	rcu_read_lock();
	entry = bid_cache_find(key, version);
	is = entry && entry->flags & BID_ENTRY_RECHECK;
	rcu_read_unlock();
	return is;
}

static void marks_all_versions_of_an_inode_and_no_other(struct kunit *test)
{
	const struct bid_version second = version_of(2000), later = version_of(3000);
	struct bid_key inode = key_of(99), tree = any_key, generation = any_key;
	u32 recheck_seq = bid_cache_recheck_seq(&any_key);

	tree.tree++;
	generation.generation++;
	put(test, &any_key, &any_version);
	put(test, &any_key, &second);
	put(test, &inode, &any_version);
	put(test, &tree, &any_version);
	put(test, &generation, &any_version);

	rcu_read_lock();
	bid_cache_mark_recheck(&any_key);
	rcu_read_unlock();
	KUNIT_EXPECT_NE(test, bid_cache_recheck_seq(&any_key), recheck_seq);
	KUNIT_EXPECT_TRUE(test, is_marked(&any_key, &any_version));
	KUNIT_EXPECT_TRUE(test, is_marked(&any_key, &second));
	KUNIT_EXPECT_FALSE(test, is_marked(&inode, &any_version));
	KUNIT_EXPECT_FALSE(test, is_marked(&tree, &any_version));
	KUNIT_EXPECT_FALSE(test, is_marked(&generation, &any_version));

	/* what comes later was read later */
	put(test, &any_key, &later);
	KUNIT_EXPECT_FALSE(test, is_marked(&any_key, &later));
}

/* -------------------------------------------------------------- concurrency -- */

#define RACE_INODES 96
#define RACE_STEPS  4000

static struct {
	atomic_t found;
	atomic_t faults;
	const char *fault;
} race;

static u8 race_id_len(const struct bid_key *key)
{
	return key->ino % 2 ? 20 : 100;
}

static const char *entry_fault(struct bid_entry *entry, const struct bid_key *key,
			       const struct bid_version *version)
{
	struct bid_identity id;
	const struct bid_text *text;
	const u8 *bytes;
	char path[16];
	u8 len;

	if (!bid_key_equal(&entry->key, key) || !bid_version_equal(&entry->version, version))
		return "another entry than the one asked for";
	if (!entry->file_id)
		return "no file_id";
	if (bid_entry_state(entry) != BUILDID_STATE_KNOWN)
		return "not known";
	make_id(&id, key, version, race_id_len(key));
	bytes = bid_entry_id(entry, &len);
	if (len != id.len || memcmp(bytes, id.bytes, len))
		return "another's id";
	text = rcu_dereference(entry->text);
	if (!text)
		return "no text";
	if (text->path_len != scnprintf(path, sizeof(path), "/%llu", key->ino) ||
	    memcmp(text->data + text->id_len, path, text->path_len))
		return "another's path";
	return NULL;
}

static void report_race(const char *fault)
{
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
		struct bid_version version = version_of(prandom_u32_state(&rnd) % 2);

		rcu_read_lock();
		entry = bid_cache_find(&key, &version);
		if (entry) {
			bid_entry_touch(entry);
			report_race(entry_fault(entry, &key, &version));
			atomic_inc(&race.found);
		}
		entry = bid_cache_find_newest(MAJOR(key.dev), MINOR(key.dev), key.ino, NULL, NULL);
		if (entry)
			report_race(entry_fault(entry, &key, &entry->version));
		entry = bid_cache_at(slot++ % ENTRIES);
		if (entry)
			report_race(entry_fault(entry, &entry->key, &entry->version));
		rcu_read_unlock();
		cond_resched();
	}
	return 0;
}

static struct bid_text *race_text(const struct bid_key *key, const struct bid_identity *id)
{
	char name[16];
	struct bid_path path = {
		.name = name,
		.len = scnprintf(name, sizeof(name), "/%llu", key->ino),
	};

	return bid_text_alloc(id, &path);
}

/* One random change; what is pinned is let go some time later. */
static void change(struct rnd_state *rnd, struct bid_entry **pinned)
{
	struct bid_key key = key_of(prandom_u32_state(rnd) % RACE_INODES);
	struct bid_version version = version_of(prandom_u32_state(rnd) % 2);
	u32 what = prandom_u32_state(rnd) % 16;
	struct bid_identity id;
	struct bid_entry *entry;
	struct bid_text *text;

	make_id(&id, &key, &version, race_id_len(&key));
	text = race_text(&key, &id);
	if (what == 8) {
		rcu_read_lock();
		bid_cache_mark_recheck(&key);
		rcu_read_unlock();
	}
	bid_cache_lock();
	rcu_read_lock();
	entry = bid_cache_find(&key, &version);
	rcu_read_unlock();
	if (!entry && text) {
		entry = bid_cache_get_reserved();
		if (entry) {
			text = set_id_and_path(entry, &id, text);
			bid_cache_insert(entry, &key, &version);
		}
	} else if (entry && text && what < 4) {
		text = bid_cache_set_text(entry, text);
	} else if (entry && what < 6) {
		bid_cache_remove(entry);
	} else if (entry && what < 8 && !*pinned && !entry->request) {
		entry->request = request;
		*pinned = entry;
	} else if (what < 12 && *pinned) {
		bid_cache_request_done(*pinned);
		*pinned = NULL;
	}
	bid_cache_unlock();
	bid_text_free(text);
}

static void lookups_see_whole_entries_while_all_changes(struct kunit *test)
{
	struct shrink_control sc = { .gfp_mask = GFP_KERNEL, .nr_to_scan = 5 };
	struct task_struct *readers[2];
	struct bid_entry *pinned = NULL;
	struct rnd_state rnd;
	u32 i;

	memset(&race, 0, sizeof(race));
	prandom_seed_state(&rnd, 42);
	for (i = 0; i < ARRAY_SIZE(readers); i++) {
		readers[i] = kthread_run(look_up, (void *)(i + 1UL), "buildid_kunit/%u", i);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, readers[i]);
	}
	for (i = 0; i < RACE_STEPS; i++) {
		change(&rnd, &pinned);
		if (i % 500 == 99)
			bid_cache_flush();
		if (i % 100 == 49)
			cache.shrinker->scan_objects(cache.shrinker, &sc);
		if (i % 20 == 0)
			cond_resched();
	}
	for (i = 0; i < ARRAY_SIZE(readers); i++)
		kthread_stop(readers[i]);
	if (pinned)
		end_request(pinned);
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
	{ "16 entries", 16, 16 },
	{ "17 entries", 17, 32 },
	{ "1000 entries", 1000, 1024 },
	{ "65536 entries", 65536, 65536 },
};

KUNIT_ARRAY_PARAM_DESC(sizes, sizes, name);

static void holds_as_many_as_asked_for(struct kunit *test)
{
	const typeof(sizes[0]) *of = test->param_value;
	u32 i, n = 12 * min(of->max, 1024U);

	KUNIT_ASSERT_EQ(test, bid_cache_init(of->max_entries), 0);
	for (i = 0; i < n; i++)
		put_inode(test, i);
	settle_down();
	KUNIT_EXPECT_EQ(test, bid_cache_max(), of->max);
	KUNIT_EXPECT_EQ(test, bid_cache_entries(), min(n, of->max));
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
	/* three tables, the slab, entries and texts in reserve, the shrinker */
	KUNIT_EXPECT_EQ(test, i, 1 + 5 + 2 * cache.reserve_want);
	bid_cache_exit();
	KUNIT_EXPECT_EQ(test, atomic_read(&alloc.held), 0);
}

static int start(struct kunit *test)
{
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
	KUNIT_CASE(keeps_all_versions_and_knows_the_newest),
	KUNIT_CASE(knows_the_newest_of_any_generation),
	KUNIT_CASE(knows_the_newest_of_one_tree),
	KUNIT_CASE(never_uses_a_file_id_again),
	KUNIT_CASE(finds_an_entry_by_its_file_id),
	KUNIT_CASE(walks_over_every_entry_once),
	KUNIT_CASE(counts_what_comes_and_goes),
	KUNIT_CASE(stays_within_its_bound),
	KUNIT_CASE(a_flood_by_one_process_drives_out_itself),
	KUNIT_CASE(a_flood_by_one_user_drives_out_what_is_his),
	KUNIT_CASE(a_process_that_floods_pays_before_others_of_its_user),
	KUNIT_CASE(spreads_inodes_that_follow_each_other),
	KUNIT_CASE(what_all_stopped_using_goes),
	KUNIT_CASE(looks_no_further_than_one_set),
	KUNIT_CASE(sets_are_other_ones_at_each_load),
	KUNIT_CASE(never_evicts_what_is_being_read),
	KUNIT_CASE(bears_that_a_set_is_being_read),
	KUNIT_CASE(frees_a_dead_entry_when_its_request_ends),
	KUNIT_CASE(keeps_a_live_entry_when_its_request_ends),
	KUNIT_CASE(flush_forgets_all_but_what_is_being_read),
	KUNIT_CASE(shrinks_but_for_what_is_being_read),
	KUNIT_CASE(gives_nothing_once_the_reserve_is_used_up),
	KUNIT_CASE(hands_out_blank_entries),
	KUNIT_CASE(a_caller_adds_one_entry_where_one_is_missing),
	KUNIT_CASE(refills_as_far_as_memory_goes),
	KUNIT_CASE_PARAM(holds_an_identity_and_a_path_of, texts_gen_params),
	KUNIT_CASE_PARAM(keeps_without_an_allocation_a_path_of, paths_gen_params),
	KUNIT_CASE(accounts_for_what_it_holds),
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
