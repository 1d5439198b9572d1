// SPDX-License-Identifier: GPL-2.0
/*
 * The table has its full size from the start, so there is no rehash. Entries come from a
 * reserve that is refilled where one may sleep: the hook can use one without allocating,
 * and memory follows use. cache.h has the rules for lifetime and locking.
 *
 * The table is set-associative, as any user can make files, and with a FUSE server of
 * his own also chooses their inode numbers. No user may make it slow or useless for
 * others:
 *
 * - A lookup goes through one set of WAYS slots, whatever is in it. The hash has a
 *   random key for each load of the module, so that nobody can choose the set.
 * - An insertion into a full set evicts an entry of the same set, see victim(). If one
 *   user has more than half of the set, it is one of his. Otherwise those go first that
 *   only the process mapped for which they were inserted, as programs and libraries are
 *   mapped by many; and among these, those of the process that has most. So a flood
 *   evicts itself, be it of versions of one file or of many files.
 *
 * The longest work under the lock is that of victim(): some 2,500 instructions.
 */
#include <linux/cred.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/random.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "cache.h"
#include "compat.h"
#include "stats.h"
#include "user.h"

#define RESERVE_MAX 256

/* Entries that are not in the table: in the reserve, or waiting for a grace period. */
#define SPARE_MAX 8192

/* Slots of a set, a power of two. */
#define WAYS 16

/*
 * Bytes of text for each slot, on average. Any user can make long paths: when there is
 * more text than that, only the last components of a new path are stored.
 */
#define TEXT_PER_SLOT 256

/* Counters of bid_cache_mark_recheck(), by inode, hashed. */
#define RECHECK_BITS 10

static struct {
	struct bid_entry __rcu **table;
	u16 *occupied; /* bitmap of slots, for each set */
	u32 slots;
	u64 dev_key; /* of the hash; odd, as the next */
	u64 key;
	unsigned int shift; /* from a hash to a slot */

	raw_spinlock_t lock;
	u32 entries; /* in the table */
	u32 seq;     /* moves as entries come and go */
	u64 last_file_id;
	struct hlist_head *ids; /* entries by file_id */
	unsigned int id_bits;
	u32 shrink_cursor; /* slot where the shrinker goes on */
	struct hlist_head reserve;
	u32 reserved;
	u32 reserve_want;

	struct kmem_cache *slab;
	struct shrinker *shrinker;
	struct work_struct refill;
	atomic64_t text_bytes;
	atomic_t allocated; /* entries, the dead ones included */
	atomic_t recheck_seq[1 << RECHECK_BITS];
} cache;

__acquires(&cache.lock) void bid_cache_lock(void)
{
	raw_spin_lock(&cache.lock);
}

__releases(&cache.lock) void bid_cache_unlock(void)
{
	raw_spin_unlock(&cache.lock);
}

void bid_cache_assert_locked(void)
{
	lockdep_assert_held(&cache.lock);
}

/* Multiplied twice, as once would map consecutive inode numbers to a regular pattern. */
static u64 hash(dev_t dev, u64 ino)
{
	u64 h = (ino + dev * cache.dev_key) * cache.key;

	return (h ^ h >> 32) * cache.key;
}

/* The slot an entry of an inode gets if it is free; else it is one of the same set. */
static unsigned long slot_of(dev_t dev, u64 ino)
{
	return hash(dev, ino) >> cache.shift;
}

static u32 set_of(dev_t dev, u64 ino)
{
	return slot_of(dev, ino) & ~(WAYS - 1);
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

/* Iterates over the entries of a set; unless it is locked some may go meanwhile. */
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
 * @version: which version
 *
 * Any context, under RCU or bid_cache_lock().
 *
 * Return: the entry, valid until the end of the RCU read-side section, or NULL.
 */
struct bid_entry *bid_cache_find(const struct bid_key *key, const struct bid_version *version)
{
	u32 set = set_of(key->dev, key->ino);
	struct bid_entry *entry;

	for_each_in_set(entry, set)
		if (bid_key_equal(&entry->key, key) && bid_version_equal(&entry->version, version))
			return entry;
	return NULL;
}

static noinline struct bid_entry *find_in_set(struct inode *inode, u32 set)
{
	struct bid_entry *entry;

	for_each_in_set(entry, set)
		if (bid_file_matches(inode, &entry->key, &entry->version) &&
		    entry->key.tree == bid_file_tree(inode))
			return entry;
	return NULL;
}

/**
 * bid_cache_find_inode() - find the entry of an inode's present version
 * @inode: the inode
 *
 * The first step of the hook, and the only one for most mappings: key and version are
 * compared in place, and most entries are in the first slot that is looked at. Under RCU.
 *
 * Return: as bid_cache_find().
 */
struct bid_entry *bid_cache_find_inode(struct inode *inode)
{
	unsigned long slot = slot_of(inode->i_sb->s_dev, inode->i_ino);
	struct bid_entry *entry = entry_at(slot);

	if (likely(entry && bid_file_matches(inode, &entry->key, &entry->version) &&
		   !entry->key.tree))
		return entry;
	return find_in_set(inode, slot & ~(WAYS - 1));
}

/**
 * bid_cache_find_newest() - find the newest entry of an inode
 * @major: of its superblock's device, not checked yet, as is @minor
 * @minor: likewise
 * @ino: inode number
 * @generation: of the inode number, or NULL for any
 * @tree: which of the inodes with that number, or NULL for the only one
 *
 * Under RCU.
 *
 * Return: as bid_cache_find(), or -ENOTUNIQ as a pointer where @tree would make a difference.
 */
struct bid_entry *bid_cache_find_newest(u32 major, u32 minor, u64 ino, const u32 *generation,
					const u64 *tree)
{
	struct bid_entry *entry, *newest = NULL;
	dev_t dev = MKDEV(major, minor);
	u32 set = set_of(dev, ino);

	if (MAJOR(dev) != major || MINOR(dev) != minor)
		return NULL;
	for_each_in_set(entry, set) {
		if (entry->key.ino != ino || entry->key.dev != dev ||
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
	return &cache.ids[file_id * cache.key >> (64 - cache.id_bits)];
}

/**
 * bid_cache_find_id() - find the entry with a file_id
 * @file_id: the file_id
 *
 * Takes bid_cache_lock(): the hash by file_id is not an RCU one. Under RCU.
 *
 * Return: as bid_cache_find().
 */
struct bid_entry *bid_cache_find_id(u64 file_id)
{
	struct bid_entry *entry;

	bid_cache_lock();
	hlist_for_each_entry(entry, ids_of(file_id), node)
		if (entry->file_id == file_id)
			break;
	bid_cache_unlock();
	return entry;
}

/**
 * bid_entry_id() - the bytes of an entry's identity
 * @entry: an entry that is KNOWN
 * @len: set to the number of bytes
 *
 * Under RCU or bid_cache_lock().
 *
 * Return: the bytes, valid as long as the entry.
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
 * bid_entry_is() - does an entry have this identity, or this reason for none?
 * @entry: an entry that is KNOWN
 * @id: the identity
 *
 * Under RCU or bid_cache_lock().
 */
bool bid_entry_is(const struct bid_entry *entry, const struct bid_identity *id)
{
	const u8 *bytes;
	u8 len;

	bytes = bid_entry_id(entry, &len);
	return entry->kind == id->kind && entry->reason == id->reason && len == id->len &&
	       !memcmp(bytes, id->bytes, len);
}

/**
 * bid_cache_get_reserved() - get an entry from the reserve
 *
 * Under bid_cache_lock(). Has the reserve refilled in time.
 *
 * Return: the entry, zeroed but for @spare, or NULL when the reserve is empty.
 */
struct bid_entry *bid_cache_get_reserved(void)
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

/* Put back an entry that was not inserted. Under bid_cache_lock(). */
void bid_cache_put_reserved(struct bid_entry *entry)
{
	lockdep_assert_held(&cache.lock);
	hlist_add_head(&entry->node, &cache.reserve);
	cache.reserved++;
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

/**
 * bid_text_free() - free a text that no reader has seen
 * @text: from bid_text_alloc(), or NULL
 *
 * Not under bid_cache_lock(), as kfree() may take locks that sleep on PREEMPT_RT.
 */
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
	/* those that wait for it count in what may be allocated */
	call_rcu_hurry(&entry->rcu, free_entry_rcu);
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
	u32 slot = set_of(entry->key.dev, entry->key.ino);

	while (entry_at(slot) != entry)
		slot++;
	set_slot(slot, NULL);
	hlist_del(&entry->node);
	cache.entries--;
	WRITE_ONCE(entry->flags, entry->flags | BID_ENTRY_DEAD);
	if (!entry->request)
		free_entry(entry);
	return slot;
}

/* Take an entry out of the table. Under bid_cache_lock(), and RCU to use it further. */
void bid_cache_remove(struct bid_entry *entry)
{
	remove_entry(entry);
}

/* The user who has more than half of a full set, or INVALID_UID. By majority vote. */
static kuid_t owner_of_most(struct bid_entry *const *set)
{
	kuid_t user = INVALID_UID;
	u32 i, votes = 0, n = 0;

	for (i = 0; i < WAYS; i++) {
		if (!votes)
			user = set[i]->user;
		votes += uid_eq(set[i]->user, user) ? 1 : -1;
	}
	for (i = 0; i < WAYS; i++)
		n += uid_eq(set[i]->user, user);
	return n > WAYS / 2 ? user : INVALID_UID;
}

/* How many entries of a set were inserted for the same process as @entry. */
static u32 count_of_process(struct bid_entry *const *set, const struct bid_entry *entry)
{
	u32 i, n = 0;

	for (i = 0; i < WAYS; i++)
		n += set[i]->tgid == entry->tgid;
	return n;
}

/* Is @a to be evicted rather than @b? */
static bool evict_before(struct bid_entry *const *set, const struct bid_entry *a,
			 const struct bid_entry *b, kuid_t most)
{
	bool a_of_most = uid_eq(a->user, most);
	u32 with_a, with_b;

	if (a_of_most != uid_eq(b->user, most))
		return a_of_most;
	if (a->used != b->used)
		return b->used;
	with_a = count_of_process(set, a);
	with_b = count_of_process(set, b);
	return with_a == with_b ? a->file_id < b->file_id : with_a > with_b;
}

/* Which entry of a full set to evict; WAYS when every one has a request. */
static u32 victim(struct bid_entry *const *set)
{
	kuid_t most = owner_of_most(set);
	u32 i, found = WAYS;

	for (i = 0; i < WAYS; i++)
		if (!set[i]->request &&
		    (found == WAYS || evict_before(set, set[i], set[found], most)))
			found = i;
	/* all of them were used: find out anew which ones still are */
	if (found < WAYS && set[found]->used)
		for (i = 0; i < WAYS; i++)
			WRITE_ONCE(set[i]->used, false);
	return found;
}

/* A free slot in the inode's set, by eviction if need be; cache.slots for none. */
static u32 make_room(dev_t dev, u64 ino)
{
	struct bid_entry *set[WAYS] __uninitialized;
	u32 slot = slot_of(dev, ino), first = slot & ~(WAYS - 1), i;
	u16 occupied = occupied_of(first);

	if (!(occupied & BIT(slot % WAYS)))
		return slot;
	if (occupied != (u16)~0)
		return first + ffz(occupied);
	for (i = 0; i < WAYS; i++)
		set[i] = entry_at(first + i);
	i = victim(set);
	if (i == WAYS)
		return cache.slots;
	bid_stats_inc(BID_STAT_EVICTED);
	return remove_entry(set[i]);
}

/**
 * bid_cache_insert() - put an entry into the table and give it a file_id
 * @entry: from bid_cache_get_reserved(), all but key, version and file_id filled in
 * @key: which inode
 * @version: which version; no other entry has it
 *
 * Under bid_cache_lock(), on behalf of current.
 *
 * Return: false when there is no room. @entry is being freed then.
 */
bool bid_cache_insert(struct bid_entry *entry, const struct bid_key *key,
		      const struct bid_version *version)
{
	u32 slot = make_room(key->dev, key->ino);

	lockdep_assert_held(&cache.lock);
	if (slot == cache.slots) {
		free_entry(entry);
		return false;
	}
	entry->key = *key;
	entry->version = *version;
	entry->file_id = ++cache.last_file_id;
	entry->user = bid_user();
	entry->tgid = current->tgid;
	entry->used = false;
	cache.entries++;
	hlist_add_head(&entry->node, ids_of(entry->file_id));
	set_slot(slot, entry);
	return true;
}

/* The request of @entry has ended. Under bid_cache_lock(). */
void bid_cache_request_done(struct bid_entry *entry)
{
	lockdep_assert_held(&cache.lock);
	entry->request = NULL;
	if (entry->flags & BID_ENTRY_DEAD)
		free_entry(entry);
}

/**
 * bid_entry_publish() - set an entry's identity and state
 * @entry: an entry that is not KNOWN yet
 * @id: the identity. If it is longer than BID_ID_INLINE, bid_cache_set_text() has to
 *	come first
 * @state: enum buildid_state
 *
 * Under bid_cache_lock(), unless @entry is not in the table yet.
 */
void bid_entry_publish(struct bid_entry *entry, const struct bid_identity *id, u8 state)
{
	u32 flags = entry->flags & ~BID_ENTRY_UNKNOWN;

	entry->kind = id->kind;
	entry->reason = id->reason;
	entry->id_len = id->len;
	if (id->len <= BID_ID_INLINE)
		memcpy(entry->id, id->bytes, id->len);
	/* pairs with the acquire in bid_entry_state() */
	smp_store_release(&entry->state, state);
	if (state != BUILDID_STATE_KNOWN)
		flags |= BID_ENTRY_UNKNOWN;
	/* after the state; pairs with the acquire in bid_identify_mapping() */
	smp_store_release(&entry->flags, flags);
}

/* Cut a path to the last components that fit in a spare text. */
static void cut_to_tail(struct bid_path *path)
{
	const char *slash;
	u16 cut;

	if (path->len <= BID_PATH_SPARE)
		return;
	cut = path->len - BID_PATH_SPARE;
	slash = memchr(path->name + cut, '/', BID_PATH_SPARE);
	if (slash)
		cut = slash + 1 - path->name;
	path->name += cut;
	path->len -= cut;
	path->flags |= BUILDID_FILE_PATH_PART;
}

/**
 * bid_text_alloc() - allocate a text for an entry
 * @id: the identity; a short one is not part of the text
 * @path: the path
 *
 * May sleep.
 *
 * Return: the text, for bid_cache_set_text() or bid_text_free(), or NULL.
 */
struct bid_text *bid_text_alloc(const struct bid_identity *id, const struct bid_path *path)
{
	u8 id_len = id->len > BID_ID_INLINE ? id->len : 0;
	struct bid_path stored = *path;
	struct bid_text *text;

	if (!stored.name)
		stored.len = 0;
	if (atomic64_read(&cache.text_bytes) > (u64)cache.slots * TEXT_PER_SLOT)
		cut_to_tail(&stored);
	text = alloc_text(id_len + stored.len);
	if (!text)
		return NULL;
	text->path_flags = stored.flags;
	text->path_len = stored.len;
	text->id_len = id_len;
	memcpy(text->data, id->bytes, id_len);
	memcpy(text->data + id_len, stored.name, stored.len);
	return text;
}

/**
 * bid_cache_set_text() - set an entry's path and long identity
 * @entry: the entry
 * @text: from bid_text_alloc()
 *
 * Under bid_cache_lock(). The text before stays until the entry is freed.
 *
 * Return: the entry's spare text, which has no use any more, for the caller to free
 * after unlocking; or NULL.
 */
struct bid_text *bid_cache_set_text(struct bid_entry *entry, struct bid_text *text)
{
	struct bid_text *spare = entry->spare;

	lockdep_assert_held(&cache.lock);
	entry->spare = NULL;
	text->replaced = rcu_dereference_protected(entry->text, lockdep_is_held(&cache.lock));
	rcu_assign_pointer(entry->text, text);
	WRITE_ONCE(entry->flags, entry->flags & ~BID_ENTRY_NO_PATH);
	return spare;
}

/**
 * bid_cache_set_path() - store a path without allocating
 * @entry: an entry that has no text
 * @path: the path
 *
 * Under bid_cache_lock().
 *
 * Return: false when the path is too long for the spare text.
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

static atomic_t *recheck_seq_of(const struct bid_key *key)
{
	return &cache.recheck_seq[hash(key->dev, key->ino) >> (64 - RECHECK_BITS)];
}

static bool is_cached(const struct bid_key *key)
{
	u32 set = set_of(key->dev, key->ino);
	struct bid_entry *entry;

	for_each_in_set(entry, set)
		if (bid_key_equal(&entry->key, key))
			return true;
	return false;
}

/**
 * bid_cache_mark_recheck() - have an inode's content read again
 * @key: which inode
 *
 * From now on its content or identity may change without a change of version: it is
 * write-mapped, or got another cookie. Marks its entries, and moves the counter for
 * those that are identifying it at this moment.
 *
 * Any context, under RCU. Any user may map his files for writing, again and again: so
 * the lock is taken only when there is an entry to mark.
 */
void bid_cache_mark_recheck(const struct bid_key *key)
{
	u32 set = set_of(key->dev, key->ino);
	struct bid_entry *entry;

	atomic_inc(recheck_seq_of(key));
	smp_mb__after_atomic(); /* count, then look: pairs with bid_lookup_update_cache() */
	if (!is_cached(key))
		return;
	bid_cache_lock();
	for_each_in_set(entry, set)
		if (bid_key_equal(&entry->key, key))
			WRITE_ONCE(entry->flags, entry->flags | BID_ENTRY_RECHECK);
	bid_cache_unlock();
}

/* Differs after bid_cache_mark_recheck(): what was read before may be out of date. */
u32 bid_cache_recheck_seq(const struct bid_key *key)
{
	return atomic_read(recheck_seq_of(key));
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

/* One that was never in the table. */
static void free_unused(struct bid_entry *entry)
{
	bid_text_free(entry->spare);
	kmem_cache_free(cache.slab, entry);
	atomic_dec(&cache.allocated);
}

/**
 * bid_cache_refill_one() - add an entry to the reserve, unless it is full
 *
 * For a caller that is about to take one: it need not wait for those who fill the reserve, and
 * does not fill it for others, who may take entries as fast as it adds them. May sleep.
 *
 * Return: false when there was no need, or no memory.
 */
bool bid_cache_refill_one(void)
{
	struct bid_entry *entry;
	bool wanted;

	bid_cache_lock();
	wanted = cache.reserved < cache.reserve_want;
	bid_cache_unlock();
	/* those that wait for a grace period count: RCU bounds a flood of new files, not memory */
	if (!wanted || atomic_read(&cache.allocated) >= cache.slots + SPARE_MAX)
		return false;
	entry = alloc_entry();
	if (!entry)
		return false;
	bid_cache_lock();
	wanted = cache.reserved < cache.reserve_want;
	if (wanted)
		bid_cache_put_reserved(entry);
	bid_cache_unlock();
	if (!wanted)
		free_unused(entry);
	return wanted;
}

/* Ends, however fast entries are taken; whoever takes one has it done again. May sleep. */
void bid_cache_refill(void)
{
	u32 i;

	for (i = 0; i < RESERVE_MAX && bid_cache_refill_one(); i++)
		cond_resched();
}

static void refill_work(struct work_struct *work)
{
	bid_cache_refill();
}

/* Remove the entries of a set that have no request; with !@used only the unused ones. */
static u32 reclaim_set(u32 set, bool used)
{
	struct bid_entry *entry;
	u32 removed = 0;

	bid_cache_lock();
	for_each_in_set(entry, set) {
		if (entry->request)
			continue;
		if (entry->used && !used) {
			WRITE_ONCE(entry->used, false);
			continue;
		}
		bid_cache_remove(entry);
		removed++;
	}
	bid_cache_unlock();
	cond_resched();
	return removed;
}

/**
 * bid_cache_flush() - remove every entry that has no request
 *
 * May sleep.
 *
 * Return: how many were removed.
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
		/* racy when several CPUs shrink: a set may be skipped, until the next round */
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
	       ((u64)sizeof(*cache.ids) << cache.id_bits) +
	       (u64)atomic_read(&cache.allocated) * kmem_cache_size(cache.slab) +
	       atomic64_read(&cache.text_bytes);
}

static void free_table(void)
{
	struct hlist_node *next;
	struct bid_entry *entry;

	bid_cache_flush();
	hlist_for_each_entry_safe(entry, next, &cache.reserve, node)
		free_unused(entry);
	rcu_barrier();
	WARN_ON(cache.entries || atomic_read(&cache.allocated));
	kmem_cache_destroy(cache.slab);
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
	memset(&cache, 0, sizeof(cache));
	cache.slots = roundup_pow_of_two(max_t(u32, max_entries, WAYS));
	cache.shift = 64 - ilog2(cache.slots);
	cache.id_bits = ilog2(cache.slots) - 1;
	cache.dev_key = get_random_u64() | 1;
	cache.key = get_random_u64() | 1;
	cache.reserve_want = clamp(max_entries / 4, 1U, (u32)RESERVE_MAX);
	raw_spin_lock_init(&cache.lock);
	INIT_WORK(&cache.refill, refill_work);

	cache.table = kvcalloc(cache.slots, sizeof(*cache.table), GFP_KERNEL);
	if (!cache.table)
		return -ENOMEM;
	cache.occupied = kvcalloc(cache.slots / WAYS, sizeof(*cache.occupied), GFP_KERNEL);
	if (!cache.occupied)
		goto err_free_table;
	cache.ids = kvcalloc(1UL << cache.id_bits, sizeof(*cache.ids), GFP_KERNEL);
	if (!cache.ids)
		goto err_free_occupied;
	cache.slab = kmem_cache_create("buildid_entry", sizeof(struct bid_entry), 0, 0, NULL);
	if (!cache.slab)
		goto err_free_ids;
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
err_free_ids:
	kvfree(cache.ids);
err_free_occupied:
	kvfree(cache.occupied);
err_free_table:
	kvfree(cache.table);
	return -ENOMEM;
}

/* Nothing looks entries up any more, and no request is under way. May sleep. */
void bid_cache_exit(void)
{
	shrinker_free(cache.shrinker);
	cancel_work_sync(&cache.refill);
	free_table();
}
