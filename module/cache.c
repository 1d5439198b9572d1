// SPDX-License-Identifier: GPL-2.0
/*
 * The table has its full size from the start, so there is no rehash. Entries
 * come from a reserve that is filled where one may sleep: the hook can take one
 * with no allocation, and memory follows use.
 */
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "cache.h"
#include "compat.h"
#include "stats.h"

#define RESERVE_MAX 256

/* The hook must not be kept from running for long: entries per lock hold. */
#define BATCH 64

static struct {
	struct hlist_head *table;
	unsigned int bits;
	u32 max;

	raw_spinlock_t lock;
	u32 entries;		/* in the table */
	u32 seq;		/* moves whenever one comes or goes */
	u64 last_file_id;
	u32 suspects;
	u32 hand;		/* of the clock: a bucket */
	struct hlist_head reserve;
	u32 reserved;
	u32 reserve_want;

	struct kmem_cache *slab;
	struct shrinker *shrinker;
	struct work_struct refill;
	atomic64_t text_bytes;
	atomic_t allocated;	/* entries, the dead ones included */
} cache;

static DEFINE_MUTEX(refill_lock);

void bid_cache_lock(void)
	__acquires(&cache.lock)
{
	raw_spin_lock(&cache.lock);
}

void bid_cache_unlock(void)
	__releases(&cache.lock)
{
	raw_spin_unlock(&cache.lock);
}

void bid_cache_assert_locked(void)
{
	lockdep_assert_held(&cache.lock);
}

static struct hlist_head *bucket_of(dev_t dev, u64 ino)
{
	return &cache.table[hash_64(ino + ((u64)dev << 40), cache.bits)];
}

/**
 * bid_cache_find() - the entry of this very version
 * @key: which inode
 * @version: which version
 *
 * Return: the entry, valid until the RCU section ends, or NULL.
 */
struct bid_entry *bid_cache_find(const struct bid_key *key,
				 const struct bid_version *version)
{
	struct bid_entry *entry;

	hlist_for_each_entry_rcu(entry, bucket_of(key->dev, key->ino), node)
		if (bid_key_equal(&entry->key, key) &&
		    bid_version_equal(&entry->version, version))
			return entry;
	return NULL;
}

/**
 * bid_cache_find_inode() - the entry of an inode as it is now
 * @inode: it
 *
 * The hook's first step, so that key and version are compared where they are.
 *
 * Return: as bid_cache_find().
 */
struct bid_entry *bid_cache_find_inode(struct inode *inode)
{
	struct bid_entry *entry;

	hlist_for_each_entry_rcu(entry, bucket_of(inode->i_sb->s_dev, inode->i_ino), node)
		if (bid_file_is(inode, &entry->key, &entry->version))
			return entry;
	return NULL;
}

/**
 * bid_cache_find_newest() - what was last seen of an inode
 * @dev: of its superblock
 * @ino: inode number
 * @generation: of the inode number, or NULL for any
 */
struct bid_entry *bid_cache_find_newest(dev_t dev, u64 ino,
					const u32 *generation)
{
	struct bid_entry *entry, *newest = NULL;

	hlist_for_each_entry_rcu(entry, bucket_of(dev, ino), node)
		if (entry->key.ino == ino && entry->key.dev == dev &&
		    (!generation || entry->key.generation == *generation) &&
		    (!newest || entry->file_id > newest->file_id))
			newest = entry;
	return newest;
}

/**
 * bid_cache_next() - walk the table
 * @bucket: cursor, 0 at first
 * @skip: cursor, 0 at first
 *
 * The cursor survives leaving the RCU section; entries that come or go
 * meanwhile may be missed or met twice.
 *
 * Return: the next entry, or NULL at the end.
 */
struct bid_entry *bid_cache_next(u32 *bucket, u32 *skip)
{
	struct bid_entry *entry;
	u32 n;

	for (; *bucket < 1U << cache.bits; (*bucket)++, *skip = 0) {
		n = 0;
		hlist_for_each_entry_rcu(entry, &cache.table[*bucket], node)
			if (n++ == *skip) {
				(*skip)++;
				return entry;
			}
	}
	return NULL;
}

/**
 * bid_cache_find_id() - the entry with a file_id
 * @file_id: it
 *
 * Walks the whole table: not for anything that has to be fast.
 */
struct bid_entry *bid_cache_find_id(u64 file_id)
{
	u32 bucket = 0, skip = 0;
	struct bid_entry *entry;

	while ((entry = bid_cache_next(&bucket, &skip)))
		if (entry->file_id == file_id)
			return entry;
	return NULL;
}

/**
 * bid_entry_id() - the bytes of an identity
 * @entry: one whose state is KNOWN
 * @len: set to how many
 */
const u8 *bid_entry_id(const struct bid_entry *entry, u8 *len)
{
	const struct bid_text *text;

	*len = entry->id_len;
	if (entry->id_len <= BID_ID_INLINE)
		return entry->id;
	text = rcu_dereference_check(entry->text,
				     lockdep_is_held(&cache.lock) || rcu_read_lock_any_held());
	return text->data;
}

/**
 * bid_cache_take() - an entry from the reserve
 *
 * Return: it, zeroed, or NULL when the reserve is used up.
 */
struct bid_entry *bid_cache_take(void)
{
	struct bid_entry *entry;

	lockdep_assert_held(&cache.lock);
	if (cache.reserved <= cache.reserve_want - cache.reserve_want / 4)
		schedule_work(&cache.refill);
	if (!cache.reserved)
		return NULL;
	entry = hlist_entry(cache.reserve.first, struct bid_entry, node);
	hlist_del(&entry->node);
	cache.reserved--;
	return entry;
}

/* One that bid_cache_take() gave and that was not inserted. */
void bid_cache_give_back(struct bid_entry *entry)
{
	lockdep_assert_held(&cache.lock);
	hlist_add_head(&entry->node, &cache.reserve);
	cache.reserved++;
}

/**
 * bid_cache_insert() - put an entry into the table, under a new file_id
 * @entry: from bid_cache_take(), all but key, version and file_id filled in
 * @key: which inode
 * @version: which version; no other entry has it
 */
void bid_cache_insert(struct bid_entry *entry, const struct bid_key *key,
		      const struct bid_version *version)
{
	lockdep_assert_held(&cache.lock);
	entry->key = *key;
	entry->version = *version;
	entry->file_id = ++cache.last_file_id;
	entry->referenced = true;
	cache.entries++;
	WRITE_ONCE(cache.seq, cache.seq + 1);
	hlist_add_head_rcu(&entry->node, bucket_of(key->dev, key->ino));
}

static size_t text_size(const struct bid_text *text)
{
	return offsetof(struct bid_text, data) + text->room;
}

static struct bid_text *alloc_text(u16 room)
{
	struct bid_text *text;

	text = kmalloc(offsetof(struct bid_text, data) + room, GFP_KERNEL);
	if (!text)
		return NULL;
	text->replaced = NULL;
	text->room = room;
	atomic64_add(text_size(text), &cache.text_bytes);
	return text;
}

/* One that no reader has seen. */
void bid_text_free(struct bid_text *text)
{
	if (!text)
		return;
	atomic64_sub(text_size(text), &cache.text_bytes);
	kfree(text);
}

static void free_entry_rcu(struct rcu_head *rcu)
{
	struct bid_entry *entry = container_of(rcu, struct bid_entry, rcu);
	struct bid_text *text = rcu_dereference_protected(entry->text, true);
	struct bid_text *replaced;

	for (; text; text = replaced) {
		replaced = text->replaced;
		bid_text_free(text);
	}
	bid_text_free(entry->spare);
	kmem_cache_free(cache.slab, entry);
	atomic_dec(&cache.allocated);
}

static void free_entry(struct bid_entry *entry)
{
	call_rcu(&entry->rcu, free_entry_rcu);
}

void bid_cache_remove(struct bid_entry *entry)
{
	lockdep_assert_held(&cache.lock);
	hlist_del_rcu(&entry->node);
	cache.entries--;
	WRITE_ONCE(cache.seq, cache.seq + 1);
	WRITE_ONCE(entry->flags, entry->flags | BID_ENTRY_DEAD);
	if (!entry->request)
		free_entry(entry);
}

/* The request of @entry is over. */
void bid_cache_request_done(struct bid_entry *entry)
{
	lockdep_assert_held(&cache.lock);
	entry->request = NULL;
	if (entry->flags & BID_ENTRY_DEAD)
		free_entry(entry);
}

/**
 * bid_entry_publish() - say what the content is
 * @entry: not KNOWN to any reader yet
 * @id: the identity. One over BID_ID_INLINE needs bid_cache_set_text() first
 * @state: enum buildid_state
 */
void bid_entry_publish(struct bid_entry *entry, const struct bid_identity *id,
		       u8 state)
{
	u32 flags = entry->flags & ~BID_ENTRY_UNKNOWN;

	entry->kind = id->kind;
	entry->reason = id->reason;
	entry->id_len = id->len;
	if (id->len <= BID_ID_INLINE)
		memcpy(entry->id, id->bytes, id->len);
	smp_store_release(&entry->state, state); /* pairs with bid_entry_state() */
	if (state != BUILDID_STATE_KNOWN)
		flags |= BID_ENTRY_UNKNOWN;
	WRITE_ONCE(entry->flags, flags);
}

/**
 * bid_text_alloc() - memory for what varies in length
 * @id: the identity
 * @path: the path
 *
 * Return: it, or NULL.
 */
struct bid_text *bid_text_alloc(const struct bid_identity *id,
				const struct bid_path *path)
{
	u8 id_len = id->len > BID_ID_INLINE ? id->len : 0;
	u16 path_len = path->name ? path->len : 0;
	struct bid_text *text;

	text = alloc_text(id_len + path_len);
	if (!text)
		return NULL;
	text->path_flags = path->flags;
	text->path_len = path_len;
	text->id_len = id_len;
	memcpy(text->data, id->bytes, id_len);
	memcpy(text->data + id_len, path->name, path_len);
	return text;
}

/**
 * bid_cache_set_text() - give an entry what varies in length
 * @entry: the entry
 * @text: from bid_text_alloc()
 *
 * Return: the spare text, of no use any more, to be freed unlocked; or NULL.
 */
struct bid_text *bid_cache_set_text(struct bid_entry *entry, struct bid_text *text)
{
	struct bid_text *spare = entry->spare;

	lockdep_assert_held(&cache.lock);
	entry->spare = NULL;
	text->replaced = rcu_dereference_protected(entry->text,
						   lockdep_is_held(&cache.lock));
	rcu_assign_pointer(entry->text, text);
	WRITE_ONCE(entry->flags, entry->flags & ~BID_ENTRY_NO_PATH);
	return spare;
}

/**
 * bid_cache_set_path() - keep a path without an allocation
 * @entry: without a text
 * @path: the path
 *
 * Return: false when it is too long for that.
 */
bool bid_cache_set_path(struct bid_entry *entry, const struct bid_path *path)
{
	struct bid_text *text = entry->spare;

	if (!text || path->len > text->room)
		return false;
	text->path_flags = path->flags;
	text->path_len = path->len;
	text->id_len = 0;
	memcpy(text->data, path->name, path->len);
	entry->spare = NULL;
	bid_cache_set_text(entry, text);
	return true;
}

/**
 * bid_cache_suspect() - stores may change an inode without a trace from now on
 * @key: it
 */
void bid_cache_suspect(const struct bid_key *key)
{
	struct bid_entry *entry;

	lockdep_assert_held(&cache.lock);
	WRITE_ONCE(cache.suspects, cache.suspects + 1);
	hlist_for_each_entry(entry, bucket_of(key->dev, key->ino), node)
		if (bid_key_equal(&entry->key, key))
			WRITE_ONCE(entry->flags, entry->flags | BID_ENTRY_RECHECK);
}

/* Moves with bid_cache_suspect(): what was read before may be out of date. */
u32 bid_cache_suspects(void)
{
	return READ_ONCE(cache.suspects);
}

/* Second chance. Looks at @scan entries at most, evicts @want at most. */
static u32 evict(u32 want, u32 scan, bool second_chance)
{
	u32 evicted = 0, buckets = min(1U << cache.bits, 16U * BATCH);
	struct hlist_node *next;
	struct bid_entry *entry;

	lockdep_assert_held(&cache.lock);
	while (evicted < want && scan && buckets--) {
		hlist_for_each_entry_safe(entry, next,
					  &cache.table[cache.hand], node) {
			if (evicted == want || !scan)
				break;
			scan--;
			if (entry->request)
				continue;
			if (second_chance && entry->referenced) {
				WRITE_ONCE(entry->referenced, false);
				continue;
			}
			bid_cache_remove(entry);
			evicted++;
		}
		cache.hand = (cache.hand + 1) & ((1U << cache.bits) - 1);
	}
	bid_stats_add(BID_STAT_EVICTED, evicted);
	return evicted;
}

static struct bid_entry *alloc_entry(void)
{
	struct bid_entry *entry = kmem_cache_zalloc(cache.slab, GFP_KERNEL);

	if (!entry)
		return NULL;
	entry->spare = alloc_text(BID_PATH_SPARE);
	if (!entry->spare) {
		kmem_cache_free(cache.slab, entry);
		return NULL;
	}
	atomic_inc(&cache.allocated);
	return entry;
}

/**
 * bid_cache_refill() - fill the reserve, making room for it in the cache
 */
void bid_cache_refill(void)
{
	struct bid_entry *entry;
	bool full, room;

	/* two at a time would each add the last one */
	mutex_lock(&refill_lock);
	for (;;) {
		bid_cache_lock();
		full = cache.reserved >= cache.reserve_want;
		room = cache.entries + cache.reserved < cache.max;
		/* two rounds make sure of a victim if there is any at all */
		if (!full && !room)
			room = evict(1, BATCH, true) || evict(1, BATCH, false);
		bid_cache_unlock();
		if (full || !room)
			break;

		entry = alloc_entry();
		if (!entry)
			break;
		bid_cache_lock();
		bid_cache_give_back(entry);
		bid_cache_unlock();
		cond_resched();
	}
	mutex_unlock(&refill_lock);
}

static void refill_work(struct work_struct *work)
{
	bid_cache_refill();
}

/**
 * bid_cache_flush() - forget every file that is not being read
 *
 * Return: how many.
 */
u64 bid_cache_flush(void)
{
	struct hlist_node *next;
	struct bid_entry *entry;
	u64 flushed = 0;
	u32 i;

	for (i = 0; i < 1U << cache.bits; i++) {
		if (hlist_empty(&cache.table[i]))
			continue;
		bid_cache_lock();
		hlist_for_each_entry_safe(entry, next, &cache.table[i], node)
			if (!entry->request) {
				bid_cache_remove(entry);
				flushed++;
			}
		bid_cache_unlock();
		cond_resched();
	}
	return flushed;
}

static unsigned long shrink_count(struct shrinker *shrinker,
				  struct shrink_control *sc)
{
	return bid_cache_entries() ?: SHRINK_EMPTY;
}

static unsigned long shrink_scan(struct shrinker *shrinker,
				 struct shrink_control *sc)
{
	unsigned long freed = 0, left = sc->nr_to_scan;
	u32 n;

	while (left) {
		n = min_t(unsigned long, left, BATCH);
		left -= n;
		bid_cache_lock();
		freed += evict(n, n, true);
		bid_cache_unlock();
		cond_resched();
	}
	return freed;
}

u32 bid_cache_seq(void)
{
	return READ_ONCE(cache.seq);
}

u32 bid_cache_entries(void)
{
	return READ_ONCE(cache.entries);
}

u32 bid_cache_max(void)
{
	return cache.max;
}

u64 bid_cache_memory(void)
{
	return (sizeof(*cache.table) << cache.bits) +
	       (u64)atomic_read(&cache.allocated) * kmem_cache_size(cache.slab) +
	       atomic64_read(&cache.text_bytes);
}

static void free_table(void)
{
	struct hlist_node *next;
	struct bid_entry *entry;

	bid_cache_flush();
	hlist_for_each_entry_safe(entry, next, &cache.reserve, node) {
		bid_text_free(entry->spare);
		kmem_cache_free(cache.slab, entry);
		atomic_dec(&cache.allocated);
	}
	rcu_barrier();
	WARN_ON(cache.entries || atomic_read(&cache.allocated));
	kmem_cache_destroy(cache.slab);
	kvfree(cache.table);
}

/**
 * bid_cache_init() - make the cache
 * @max_entries: bound on the files remembered, the reserve included
 *
 * Return: 0 or -errno.
 */
int bid_cache_init(u32 max_entries)
{
	memset(&cache, 0, sizeof(cache));
	cache.max = max_entries;
	cache.bits = max(order_base_2(max_entries), 1);
	cache.reserve_want = clamp(max_entries / 4, 1U, (u32)RESERVE_MAX);
	raw_spin_lock_init(&cache.lock);
	INIT_WORK(&cache.refill, refill_work);

	cache.table = kvcalloc(1UL << cache.bits, sizeof(*cache.table), GFP_KERNEL);
	if (!cache.table)
		return -ENOMEM;
	cache.slab = kmem_cache_create("buildid_entry", sizeof(struct bid_entry),
				       0, 0, NULL);
	if (!cache.slab)
		goto err_free_table;
	bid_cache_refill();
	if (cache.reserved < cache.reserve_want)
		goto err_free_entries;

	cache.shrinker = shrinker_alloc(0, "buildid");
	if (!cache.shrinker)
		goto err_free_entries;
	cache.shrinker->count_objects = shrink_count;
	cache.shrinker->scan_objects = shrink_scan;
	shrinker_register(cache.shrinker);
	return 0;

err_free_entries:
	free_table();
	return -ENOMEM;
err_free_table:
	kvfree(cache.table);
	return -ENOMEM;
}

/* Nobody looks things up any more, and no request is under way. */
void bid_cache_exit(void)
{
	shrinker_free(cache.shrinker);
	cancel_work_sync(&cache.refill);
	free_table();
}
