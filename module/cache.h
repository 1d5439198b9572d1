/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The cache: inode version -> identity. Pins no inode, file or mount.
 *
 * Lifetime of an entry: it comes from the reserve (bid_cache_get_reserved()), is in the
 * table from bid_cache_insert() on, leaves it by bid_cache_remove(), eviction, flush or
 * the shrinker, and is freed by call_rcu(). Found under RCU, it stays valid until the
 * end of the read-side section. As long as it has a request it is not freed: one that
 * leaves the table meanwhile is BID_ENTRY_DEAD, and bid_cache_request_done() frees it.
 *
 * Locking: every change of the table or of an entry is made under bid_cache_lock(), a
 * raw spinlock, as the hook takes it. Inside of it: bid_ring.lock, the workqueue's lock.
 * Readers take no lock. They read @flags with READ_ONCE() and what @state makes valid
 * after bid_entry_state(); key, version, file_id and user_* do not change.
 */
#ifndef BID_CACHE_H
#define BID_CACHE_H

#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/uidgid.h>

#include "file.h"

/* Longer ones are rare (Go) and stored with the path. */
#define BID_ID_INLINE 32

/* bid_entry.flags */
#define BID_ENTRY_RECHECK  BIT(0) /* may have changed unseen: read again at the next mapping */
#define BID_ENTRY_UNKNOWN  BIT(1) /* PENDING or DEFERRED */
#define BID_ENTRY_NO_PATH  BIT(2) /* the path is not stored yet */
#define BID_ENTRY_DEAD	   BIT(3) /* left the table */
#define BID_ENTRY_UNSTABLE BIT(4) /* BUILDID_FILE_UNSTABLE */

/* A hit on an entry with any of these takes the slow path. */
#define BID_ENTRY_SLOW (BID_ENTRY_RECHECK | BID_ENTRY_UNKNOWN | BID_ENTRY_NO_PATH)

/**
 * struct bid_text - the parts of an entry that vary in length
 * @replaced: the text before this one. Readers may still use it, so that it is freed
 *	with the entry
 * @room: bytes at @data
 * @path_len: bytes of path without the NUL
 * @path_flags: BUILDID_FILE_* about the path
 * @id_len: bytes of identity, 0 when it is in the entry
 * @data: the identity, then the path
 */
struct bid_text {
	struct bid_text *replaced;
	u16 room;
	u16 path_len;
	u8 path_flags;
	u8 id_len;
	u8 data[];
};

/* The longest path that fits in bid_entry.spare. */
#define BID_PATH_SPARE (64 - offsetof(struct bid_text, data))

struct bid_request;

/**
 * struct bid_entry - one version of one file
 * @node: in the hash by @file_id, or in the reserve
 * @rcu: frees it once it is in neither
 * @key: which inode
 * @version: which version of the inode
 * @flags: BID_ENTRY_*
 * @used: mapped by another process than @tgid, and so worth keeping longer
 * @user: bid_user() of the process it was inserted for
 * @tgid: of that process
 * @file_id: as in struct buildid_file
 * @user_ino: likewise
 * @user_dev: likewise
 * @kind: enum buildid_kind; valid once @state is KNOWN, as are @reason and @id_len
 * @reason: enum buildid_reason
 * @id_len: bytes of identity
 * @state: enum buildid_state; stored with release after what it makes valid
 * @text: long identity and path, or NULL
 * @request: the request under way for it, or NULL
 * @id: the identity, when it is no longer than that
 * @spare: memory for @text that the hook can use without allocating; NULL once @text is
 *	set
 */
struct bid_entry {
	union {
		struct hlist_node node;
		struct rcu_head rcu;
	};
	struct bid_key key;
	struct bid_version version;
	u32 flags;
	kuid_t user;
	pid_t tgid;
	bool used;
	u64 file_id;
	u64 user_ino;
	dev_t user_dev;
	u8 kind;
	u8 reason;
	u8 id_len;
	u8 state;
	struct bid_text __rcu *text;
	struct bid_request *request;
	u8 id[BID_ID_INLINE];
	struct bid_text *spare;
};

int bid_cache_init(u32 max_entries);
void bid_cache_exit(void);

void bid_cache_lock(void);
void bid_cache_unlock(void);
void bid_cache_assert_locked(void);

/* Under RCU or bid_cache_lock(). */
struct bid_entry *bid_cache_find(const struct bid_key *key, const struct bid_version *version);
struct bid_entry *bid_cache_find_inode(struct inode *inode);
struct bid_entry *bid_cache_find_newest(u32 major, u32 minor, u64 ino, const u32 *generation,
					const u64 *tree);
struct bid_entry *bid_cache_at(u32 slot);
const u8 *bid_entry_id(const struct bid_entry *entry, u8 *len);
bool bid_entry_is(const struct bid_entry *entry, const struct bid_identity *id);

/* Under RCU; takes bid_cache_lock(). */
struct bid_entry *bid_cache_find_id(u64 file_id);

/* Under bid_cache_lock(). */
struct bid_entry *bid_cache_get_reserved(void);
void bid_cache_put_reserved(struct bid_entry *entry);
bool bid_cache_insert(struct bid_entry *entry, const struct bid_key *key,
		      const struct bid_version *version);
void bid_cache_remove(struct bid_entry *entry);
void bid_cache_request_done(struct bid_entry *entry);
void bid_entry_publish(struct bid_entry *entry, const struct bid_identity *id, u8 state);
struct bid_text *bid_cache_set_text(struct bid_entry *entry, struct bid_text *text);
bool bid_cache_set_path(struct bid_entry *entry, const struct bid_path *path);

/* Any context, under RCU. */
void bid_cache_mark_recheck(const struct bid_key *key);
u32 bid_cache_recheck_seq(const struct bid_key *key);

/* Not under bid_cache_lock(). */
void bid_text_free(struct bid_text *text);

/* May sleep. */
struct bid_text *bid_text_alloc(const struct bid_identity *id, const struct bid_path *path);
bool bid_cache_refill_one(void);
void bid_cache_refill(void);
u64 bid_cache_flush(void);

u32 bid_cache_seq(void);
u32 bid_cache_entries(void);
u32 bid_cache_max(void);
u64 bid_cache_memory(void);

/* What the returned state makes valid can be read after it. */
static inline u8 bid_entry_state(const struct bid_entry *entry)
{
	return smp_load_acquire(&entry->state); /* pairs with the release in bid_entry_publish() */
}

/* current maps the file. Any context, under RCU. */
static inline void bid_entry_touch(struct bid_entry *entry)
{
	/* a hit must not dirty a cache line that other CPUs read, too */
	if (unlikely(!READ_ONCE(entry->used)) && entry->tgid != current->tgid)
		WRITE_ONCE(entry->used, true);
}

#endif /* BID_CACHE_H */
