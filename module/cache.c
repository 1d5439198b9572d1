// SPDX-License-Identifier: GPL-2.0
/*
 * The table has its full size from the start, so there is no rehash.
 *
 * It is set-associative: any user can create files, and one who runs a FUSE server chooses their
 * inode numbers, too. No user may slow the cache down or make it useless for others:
 *
 * - A lookup goes through one set of WAYS slots, whatever is in it. The hash has a random key
 *   for each load of the module and covers everything that distinguishes inodes, so nobody can
 *   choose a set.
 * - An insertion into a full set evicts an entry of the same set, see cache_victim(): a user's
 *   flood evicts that user's own entries once they have a quarter of it.
 * - Entries are charged to the memory cgroup of the process that causes them.
 *
 * cache.h has the rules for lifetime and locking.
 */
#include <linux/cred.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "cache.h"
#include "compat.h"
#include "stats.h"
#include "user.h"

/* Entries waiting for a grace period. RCU alone does not bound their memory in a flood of files. */
#define SPARE_MAX 8192

/* Slots of a set, a power of two. */
#define WAYS 16

/* Counters of bid_cache_mark_recheck(), by inode, hashed. */
#define RECHECK_BITS 10

static struct {
	struct bid_entry __rcu **table;
	u16 *occupied; /* bitmap of slots, for each set */
	u32 slots;
	u64 keys[4];	    /* of the hash; odd */
	unsigned int shift; /* from a hash to a slot */

	spinlock_t lock;	/* of the table and what follows, atomics aside */
	u32 entries;		/* without those waiting for a grace period */
	u32 seq;		/* changes as entries come and go */
	struct hlist_head *ids; /* entries by file_id */
	unsigned int id_bits;
	u32 shrink_cursor; /* next slot for the shrinker */

	struct shrinker *shrinker;
	atomic64_t last_file_id;
	atomic64_t bytes;   /* of entries, including those waiting for a grace period */
	atomic_t allocated; /* entries, counted the same way */
	atomic_t recheck_seq[1 << RECHECK_BITS];
} cache;

/* Two rounds of multiplication: with one, consecutive inode numbers form a regular pattern. */
static __always_inline u64 cache_hash(dev_t dev, u32 generation, u64 ino, u64 tree)
{
	u64 h = (ino + dev * cache.keys[1] + generation * cache.keys[2] + tree * cache.keys[3]) *
		cache.keys[0];

	return (h ^ h >> 32) * cache.keys[0];
}

static u64 hash_of(const struct bid_key *key)
{
	return cache_hash(key->dev, key->generation, key->ino, key->tree);
}

/* Where an entry of this inode goes if the slot is free; otherwise, another slot of its set. */
static u32 slot_of(const struct bid_key *key)
{
	return hash_of(key) >> cache.shift;
}

static u32 set_of(const struct bid_key *key)
{
	return slot_of(key) & ~(WAYS - 1);
}

static struct bid_entry *entry_at(unsigned long slot)
{
	return rcu_dereference_check(cache.table[slot],
				     lockdep_is_held(&cache.lock) || rcu_read_lock_any_held());
}

static u16 occupied_of(u32 set)
{
	return READ_ONCE(cache.occupied[set / WAYS]);
}

/* Iterates over the entries of a set; without the lock, some may disappear meanwhile. */
struct ways {
	u32 set;
	u32 left;
};

static struct ways ways_of(u32 set)
{
	return (struct ways){ .set = set, .left = occupied_of(set) };
}

static struct bid_entry *next_way(struct ways *ways)
{
	struct bid_entry *entry = NULL;

	while (ways->left && !entry) {
		entry = entry_at(ways->set + __ffs(ways->left));
		ways->left &= ways->left - 1;
	}
	return entry;
}

#define for_each_in_set(entry, first) \
	for (struct ways ways = ways_of(first); ((entry) = next_way(&ways));)

/**
 * bid_cache_find() - find the entry of a version
 * @key: which inode
 * @version: which version; the change counter is not compared
 *
 * Any context, under RCU.
 *
 * Return: the entry, valid until the end of the RCU read-side section, or NULL.
 */
struct bid_entry *bid_cache_find(const struct bid_key *key, const struct bid_version *version)
{
	u32 set = set_of(key);
	struct bid_entry *entry;

	for_each_in_set(entry, set)
		if (bid_key_equal(&entry->key, key) &&
		    bid_version_matches(&entry->version, version))
			return entry;
	return NULL;
}

static noinline struct bid_entry *find_in_set(struct inode *inode, u64 tree, u32 set)
{
	struct bid_entry *entry;

	for_each_in_set(entry, set)
		if (bid_file_matches(inode, &entry->key, &entry->version) &&
		    entry->key.tree == tree)
			return entry;
	return NULL;
}

/**
 * bid_cache_find_inode() - find the entry of an inode's present version
 * @inode: the inode
 *
 * The first step of the hook, and the only one for most mappings: key and version are compared
 * in place, and the first slot usually has the entry. Under RCU.
 *
 * Return: as bid_cache_find().
 */
struct bid_entry *bid_cache_find_inode(struct inode *inode)
{
	u64 tree = bid_file_tree(inode);
	unsigned long slot =
		cache_hash(inode->i_sb->s_dev, inode->i_generation, inode->i_ino, tree) >>
		cache.shift;
	struct bid_entry *entry = entry_at(slot);

	if (likely(entry && bid_file_matches(inode, &entry->key, &entry->version) &&
		   entry->key.tree == tree))
		return entry;
	return find_in_set(inode, tree, slot & ~(WAYS - 1));
}

/**
 * bid_cache_find_newest() - find the newest entry of an inode
 * @major: major number of the superblock's device, unchecked
 * @minor: minor number of the superblock's device, unchecked
 * @ino: inode number
 * @generation: of the inode number, or NULL for any
 * @tree: which of the inodes with that number, or NULL for the only one
 *
 * Under RCU. Without @generation or @tree it goes through the whole table.
 *
 * Return: as bid_cache_find(), or -ENOTUNIQ as a pointer when only @tree could tell which.
 */
struct bid_entry *bid_cache_find_newest(u32 major, u32 minor, u64 ino, const u32 *generation,
					const u64 *tree)
{
	u32 slot = 0, end = cache.slots;
	struct bid_entry *entry, *newest = NULL;
	dev_t dev = MKDEV(major, minor);

	if (MAJOR(dev) != major || MINOR(dev) != minor)
		return NULL;
	if (generation && tree) {
		slot = (cache_hash(dev, *generation, ino, *tree) >> cache.shift) & ~(WAYS - 1);
		end = slot + WAYS;
	}
	for (; slot < end; slot++) {
		entry = entry_at(slot);
		if (!entry || entry->key.ino != ino || entry->key.dev != dev ||
		    (generation && entry->key.generation != *generation) ||
		    (tree && entry->key.tree != *tree))
			continue;
		if (newest && newest->key.tree != entry->key.tree)
			return ERR_PTR(-ENOTUNIQ);
		if (!newest || entry->file_id > newest->file_id)
			newest = entry;
	}
	return newest;
}

/**
 * bid_cache_at() - the entry in a slot, to iterate over the whole table
 * @slot: less than bid_cache_max()
 *
 * Entries do not move: one that is in the table all the time is visited exactly once.
 * Under RCU.
 *
 * Return: the entry, or NULL when the slot is free.
 */
struct bid_entry *bid_cache_at(u32 slot)
{
	return entry_at(slot);
}

/* Changes whenever an entry is inserted or removed. */
u32 bid_cache_seq(void)
{
	return READ_ONCE(cache.seq);
}

static struct hlist_head *ids_of(u64 file_id)
{
	return &cache.ids[(file_id * cache.keys[0]) >> (64 - cache.id_bits)];
}

/* The entry with a file_id, as bid_cache_find(). Under RCU, in process context. */
struct bid_entry *bid_cache_find_id(u64 file_id)
{
	struct bid_entry *entry;

	/* no RCU hash: an entry that has left it has an RCU callback list in place of @node */
	spin_lock(&cache.lock);
	hlist_for_each_entry(entry, ids_of(file_id), node)
		if (entry->file_id == file_id)
			break;
	spin_unlock(&cache.lock);
	return entry;
}

/* A new file_id, never used before. Any context. */
u64 bid_cache_new_id(void)
{
	return atomic64_inc_return(&cache.last_file_id);
}

static void free_counted(struct bid_entry *entry)
{
	atomic64_sub(bid_entry_size(entry), &cache.bytes);
	atomic_dec(&cache.allocated);
	bid_entry_free(entry);
}

static void free_entry_rcu(struct rcu_head *rcu)
{
	free_counted(container_of(rcu, struct bid_entry, rcu));
}

static void set_slot(u32 slot, struct bid_entry *entry)
{
	u16 *occupied = &cache.occupied[slot / WAYS], bit = BIT(slot % WAYS);

	lockdep_assert_held(&cache.lock);
	rcu_assign_pointer(cache.table[slot], entry);
	WRITE_ONCE(*occupied, entry ? *occupied | bit : *occupied & ~bit);
	WRITE_ONCE(cache.seq, cache.seq + 1);
}

/* Take an entry out of the table, and return its slot. */
static u32 remove_entry(struct bid_entry *entry)
{
	u32 slot = set_of(&entry->key);

	while (entry_at(slot) != entry)
		slot++;
	set_slot(slot, NULL);
	hlist_del(&entry->node);
	WRITE_ONCE(cache.entries, cache.entries - 1);
	call_rcu_hurry(&entry->rcu, free_entry_rcu);
	return slot;
}

static bool is_better_victim(const struct bid_entry *entry, const struct bid_entry *than)
{
	if (!than || entry->used != than->used)
		return !than || !entry->used;
	return entry->file_id < than->file_id;
}

/*
 * Which entry of a full set to evict for @user: one of their own if they have a quarter of it, else
 * anybody's. Of these, the oldest that only one process has used, else the oldest.
 */
static struct bid_entry *cache_victim(u32 set, kuid_t user)
{
	struct bid_entry *entry, *own = NULL, *any = NULL;
	u32 owned = 0;

	for_each_in_set(entry, set) {
		if (is_better_victim(entry, any))
			any = entry;
		if (!uid_eq(entry->user, user))
			continue;
		owned++;
		if (is_better_victim(entry, own))
			own = entry;
	}
	return owned >= WAYS / 4 ? own : any;
}

/*
 * Remove the inode's entries older than @file_id, and return how many. Without an entry for a newer
 * version, what was mapped is unknown, and an older entry must not be mistaken for it.
 */
static u32 remove_older(const struct bid_key *key, u64 file_id)
{
	u32 set = set_of(key), removed = 0;
	struct bid_entry *entry;

	for_each_in_set(entry, set) {
		if (!bid_key_equal(&entry->key, key) || entry->file_id >= file_id)
			continue;
		remove_entry(entry);
		removed++;
	}
	return removed;
}

/* Also evicts older entries of the same inode. @slot is set to the entry's slot. */
static u32 cache_evict(struct bid_entry *entry, u32 *slot)
{
	*slot = remove_entry(entry);
	return 1 + remove_older(&entry->key, entry->file_id);
}

/* Returns a free slot in the inode's set, evicting an entry if necessary. */
static u32 make_room(const struct bid_key *key, kuid_t user)
{
	u32 slot = slot_of(key), first = slot & ~(WAYS - 1);
	u16 occupied = occupied_of(first);

	if (!(occupied & BIT(slot % WAYS)))
		return slot;
	if (occupied != (u16)~0)
		return first + ffz(occupied);
	bid_stats_add(BID_STAT_EVICTED, cache_evict(cache_victim(first, user), &slot));
	return slot;
}

static void cache_insert(struct bid_entry *entry)
{
	u32 slot = make_room(&entry->key, entry->user);

	lockdep_assert_held(&cache.lock);
	WRITE_ONCE(cache.entries, cache.entries + 1);
	atomic_inc(&cache.allocated);
	atomic64_add(bid_entry_size(entry), &cache.bytes);
	hlist_add_head(&entry->node, ids_of(entry->file_id));
	set_slot(slot, entry);
}

static atomic_t *recheck_seq_of(const struct bid_key *key)
{
	return &cache.recheck_seq[hash_of(key) >> (64 - RECHECK_BITS)];
}

/* Changes with bid_cache_mark_recheck(): what was read before that may be out of date. */
u32 bid_cache_recheck_seq(const struct bid_key *key)
{
	return atomic_read(recheck_seq_of(key));
}

/**
 * bid_cache_mark_recheck() - have an inode's content read again
 * @key: which inode
 *
 * From now on its content or identity may change without a change of version: it was mapped
 * writable, or its cookie changed. Marks its entries, and bumps the counter for lookups in
 * progress. Any context, under RCU.
 */
void bid_cache_mark_recheck(const struct bid_key *key)
{
	u32 set = set_of(key);
	struct bid_entry *entry;

	atomic_inc(recheck_seq_of(key));
	smp_mb__after_atomic(); /* bump, then look for entries: pairs with look_again() */
	for_each_in_set(entry, set)
		if (bid_key_equal(&entry->key, key) && !test_bit(BID_ENTRY_RECHECK, &entry->flags))
			set_bit(BID_ENTRY_RECHECK, &entry->flags);
}

/* Called with the entry in the table: was it marked while the file was being read? */
static void look_again(struct bid_entry *entry, u32 recheck_seq)
{
	smp_mb(); /* insert, then look at the counter: pairs with bid_cache_mark_recheck() */
	if (bid_cache_recheck_seq(&entry->key) != recheck_seq)
		set_bit(BID_ENTRY_RECHECK, &entry->flags);
}

/**
 * bid_cache_confirm() - refresh the entry if a read found the same content
 * @key: which inode
 * @version: the version that was read
 * @id: the identity that was found
 * @flags: bits of enum bid_entry_flag from this read
 * @recheck_seq: bid_cache_recheck_seq(), sampled before the read
 *
 * May sleep.
 *
 * Return: the file_id, or 0 when the cache has no entry or another identity for this version.
 */
u64 bid_cache_confirm(const struct bid_key *key, const struct bid_version *version,
		      const struct bid_identity *id, unsigned long flags, u32 recheck_seq)
{
	struct bid_entry *entry;
	u64 file_id = 0;

	rcu_read_lock();
	spin_lock(&cache.lock);
	entry = bid_cache_find(key, version);
	if (entry && bid_entry_is(entry, id)) {
		bid_entry_confirm(entry, version, flags);
		look_again(entry, recheck_seq);
		file_id = entry->file_id;
	}
	spin_unlock(&cache.lock);
	rcu_read_unlock();
	return file_id;
}

static bool is_same(const struct bid_entry *a, const struct bid_entry *b)
{
	return a->kind == b->kind && a->reason == b->reason && a->id_len == b->id_len &&
	       !memcmp(a->data, b->data, a->id_len);
}

/**
 * bid_cache_put() - put an entry into the table
 * @entry: from bid_entry_alloc(), with key, version, file_id, flags and user_* filled in; now
 *	owned by the cache
 * @recheck_seq: as for bid_cache_confirm()
 *
 * On behalf of current. Replaces an entry of this version that has another identity. If another
 * task has stored the same identity meanwhile, that entry stays. May sleep.
 *
 * Return: the file_id that now stands for the version; 0 when it was not stored.
 */
u64 bid_cache_put(struct bid_entry *entry, u32 recheck_seq)
{
	struct bid_entry *old, *unused = NULL;
	u64 file_id = entry->file_id;

	if (atomic_read(&cache.allocated) >= cache.slots + SPARE_MAX) {
		bid_entry_free(entry);
		bid_stats_inc(BID_STAT_NOT_STORED);
		return 0;
	}
	entry->user = bid_user();
	entry->tgid = current->tgid;
	rcu_read_lock();
	spin_lock(&cache.lock);
	old = bid_cache_find(&entry->key, &entry->version);
	if (old && is_same(old, entry)) {
		unused = entry;
		bid_entry_confirm(old, &entry->version, entry->flags);
		file_id = old->file_id;
		entry = old;
	} else {
		if (old) {
			remove_entry(old);
			bid_stats_inc(BID_STAT_STALE);
		}
		cache_insert(entry);
	}
	look_again(entry, recheck_seq);
	spin_unlock(&cache.lock);
	rcu_read_unlock();
	if (unused)
		bid_entry_free(unused);
	return file_id;
}

/**
 * bid_cache_forget_older() - remove old entries of an inode whose newest version is not stored
 * @key: which inode
 * @file_id: the file_id of the version that could not be stored
 *
 * May sleep.
 */
void bid_cache_forget_older(const struct bid_key *key, u64 file_id)
{
	u32 removed;

	rcu_read_lock();
	spin_lock(&cache.lock);
	removed = remove_older(key, file_id);
	spin_unlock(&cache.lock);
	rcu_read_unlock();
	bid_stats_add(BID_STAT_STALE, removed);
}

/* Remove the entries of a set; without @used, only unused ones and their older versions. */
static u32 reclaim_set(u32 set, bool used)
{
	struct bid_entry *entry;
	u32 removed = 0, slot;

	rcu_read_lock();
	spin_lock(&cache.lock);
	for_each_in_set(entry, set) {
		if (entry->used && !used) {
			WRITE_ONCE(entry->used, false);
			continue;
		}
		removed += cache_evict(entry, &slot);
	}
	spin_unlock(&cache.lock);
	rcu_read_unlock();
	cond_resched();
	return removed;
}

/**
 * bid_cache_flush() - remove every entry
 *
 * May sleep.
 *
 * Return: the number of entries removed.
 */
u64 bid_cache_flush(void)
{
	u64 flushed = 0;
	u32 slot;

	for (slot = 0; slot < cache.slots; slot += WAYS)
		flushed += reclaim_set(slot, true);
	return flushed;
}

static unsigned long shrink_count(struct shrinker *shrinker, struct shrink_control *sc)
{
	return bid_cache_entries() ?: SHRINK_EMPTY;
}

static unsigned long shrink_scan(struct shrinker *shrinker, struct shrink_control *sc)
{
	unsigned long freed = 0, scanned;
	u32 slot;

	for (scanned = 0; scanned < sc->nr_to_scan; scanned += WAYS) {
		/* racy when several CPUs shrink: a set may be skipped until the next round */
		slot = READ_ONCE(cache.shrink_cursor);
		WRITE_ONCE(cache.shrink_cursor, (slot + WAYS) & (cache.slots - 1));
		freed += reclaim_set(slot, false);
	}
	bid_stats_add(BID_STAT_EVICTED, freed);
	return freed;
}

u32 bid_cache_entries(void)
{
	return READ_ONCE(cache.entries);
}

u32 bid_cache_max(void)
{
	return cache.slots;
}

u64 bid_cache_memory(void)
{
	return (u64)sizeof(*cache.table) * cache.slots +
	       (u64)sizeof(*cache.occupied) * cache.slots / WAYS +
	       ((u64)sizeof(*cache.ids) << cache.id_bits) + atomic64_read(&cache.bytes);
}

static void free_table(void)
{
	kvfree(cache.ids);
	kvfree(cache.occupied);
	kvfree(cache.table);
}

/**
 * bid_cache_init() - allocate the cache
 * @max_entries: bound on the number of entries; rounded up to a power of two
 *
 * Return: 0 or -ENOMEM. May sleep.
 */
int bid_cache_init(u32 max_entries)
{
	int i;

	memset(&cache, 0, sizeof(cache));
	cache.slots = roundup_pow_of_two(max_t(u32, max_entries, WAYS));
	cache.shift = 64 - ilog2(cache.slots);
	cache.id_bits = ilog2(cache.slots) - 1;
	for (i = 0; i < ARRAY_SIZE(cache.keys); i++)
		cache.keys[i] = get_random_u64() | 1;
	spin_lock_init(&cache.lock);

	cache.table = kvcalloc(cache.slots, sizeof(*cache.table), GFP_KERNEL);
	cache.occupied = kvcalloc(cache.slots / WAYS, sizeof(*cache.occupied), GFP_KERNEL);
	cache.ids = kvcalloc(1UL << cache.id_bits, sizeof(*cache.ids), GFP_KERNEL);
	if (!cache.table || !cache.occupied || !cache.ids)
		goto err_free_table;
	cache.shrinker = shrinker_alloc(0, "buildid");
	if (!cache.shrinker)
		goto err_free_table;
	cache.shrinker->count_objects = shrink_count;
	cache.shrinker->scan_objects = shrink_scan;
	shrinker_register(cache.shrinker);
	return 0;

err_free_table:
	free_table();
	return -ENOMEM;
}

/* Called once nothing looks up entries any more. May sleep. */
void bid_cache_exit(void)
{
	shrinker_free(cache.shrinker);
	bid_cache_flush();
	rcu_barrier();
	WARN_ON(cache.entries || atomic_read(&cache.allocated));
	free_table();
}
