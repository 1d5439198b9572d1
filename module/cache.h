/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The cache: inode version -> identity. Pins no inode, file or mount.
 *
 * Lifetime: an entry is found under RCU and stays valid until the reader's
 * section ends. All changes are made under bid_cache_lock(). While a request
 * is under way for an entry (@request set) it is not freed; one that leaves
 * the table meanwhile is marked BID_ENTRY_DEAD and freed when the request ends.
 *
 * Every user can make entries, so none may make looking others up slow or
 * useless: cache.c says how.
 */
#ifndef BID_CACHE_H
#define BID_CACHE_H

#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/uidgid.h>

#include "file.h"

/* Longer ones are rare (Go) and live beside the path. */
#define BID_ID_INLINE 32

/* bid_entry.flags */
#define BID_ENTRY_RECHECK  BIT(0) /* the content may have changed unseen */
#define BID_ENTRY_UNKNOWN  BIT(1) /* PENDING or DEFERRED */
#define BID_ENTRY_NO_PATH  BIT(2) /* the path was not kept yet */
#define BID_ENTRY_DEAD	   BIT(3) /* left the table */
#define BID_ENTRY_UNSTABLE BIT(4) /* BUILDID_FILE_UNSTABLE */

/* A hit on an entry with any of these takes the slow path. */
#define BID_ENTRY_SLOW (BID_ENTRY_RECHECK | BID_ENTRY_UNKNOWN | BID_ENTRY_NO_PATH)

/**
 * struct bid_text - the parts of an entry that vary in length
 * @replaced: the one before it, which readers may still have: it goes when the
 *	entry goes
 * @room: bytes at @data
 * @path_len: bytes of path, no NUL
 * @path_flags: BUILDID_FILE_* that concern the name
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

/* An entry of the reserve brings a text with room for that long a path. */
#define BID_PATH_SPARE (64 - offsetof(struct bid_text, data))

struct bid_request;

/**
 * struct bid_entry - one version of one file
 * @node: by @file_id, or in the reserve; under the cache lock
 * @rcu: frees it once it is in neither
 * @key: which inode
 * @version: which version of it
 * @flags: BID_ENTRY_*
 * @used: by another process than @tgid, which is what makes it worth keeping
 * @uid: who had it made
 * @tgid: likewise
 * @file_id: as in struct buildid_file
 * @user_ino: likewise
 * @user_dev: likewise
 * @kind: enum buildid_kind; valid once @state is KNOWN, as are the next two
 * @reason: enum buildid_reason
 * @id_len: bytes of identity
 * @state: enum buildid_state; store-release after what it makes valid
 * @text: long identity and path
 * @spare: a text to use, until there is one
 * @request: in progress for it
 * @id: the identity when it fits
 */
struct bid_entry {
	union {
		struct hlist_node node;
		struct rcu_head rcu;
	};
	struct bid_key key;
	struct bid_version version;
	u32 flags;
	kuid_t uid;
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

/* Under RCU. */
struct bid_entry *bid_cache_find(const struct bid_key *key, const struct bid_version *version);
struct bid_entry *bid_cache_find_inode(struct inode *inode);
struct bid_entry *bid_cache_find_newest(dev_t dev, u64 ino, const u32 *generation);
struct bid_entry *bid_cache_find_id(u64 file_id);
struct bid_entry *bid_cache_at(u32 slot);
const u8 *bid_entry_id(const struct bid_entry *entry, u8 *len);
bool bid_entry_is(const struct bid_entry *entry, const struct bid_identity *id);

/* Locked. */
struct bid_entry *bid_cache_get_reserved(void);
void bid_cache_put_reserved(struct bid_entry *entry);
bool bid_cache_insert(struct bid_entry *entry, const struct bid_key *key,
		      const struct bid_version *version);
void bid_cache_remove(struct bid_entry *entry);
void bid_cache_request_done(struct bid_entry *entry);
void bid_entry_publish(struct bid_entry *entry, const struct bid_identity *id, u8 state);
struct bid_text *bid_cache_set_text(struct bid_entry *entry, struct bid_text *text);
bool bid_cache_set_path(struct bid_entry *entry, const struct bid_path *path);

/* Any context. */
void bid_cache_mark_recheck(const struct bid_key *key);
u32 bid_cache_recheck_seq(const struct bid_key *key);

/* May sleep. */
struct bid_text *bid_text_alloc(const struct bid_identity *id, const struct bid_path *path);
void bid_text_free(struct bid_text *text);
void bid_cache_refill(void);
u64 bid_cache_flush(void);

u32 bid_cache_seq(void);
u32 bid_cache_entries(void);
u32 bid_cache_max(void);
u64 bid_cache_memory(void);

/* After it, whatever the state makes valid can be read. */
static inline u8 bid_entry_state(const struct bid_entry *entry)
{
	return smp_load_acquire(&entry->state); /* pairs with bid_entry_publish() */
}

/* current maps it. */
static inline void bid_entry_touch(struct bid_entry *entry)
{
	/* a hit must not dirty a cache line that other CPUs hit too */
	if (unlikely(!READ_ONCE(entry->used)) && entry->tgid != current->tgid)
		WRITE_ONCE(entry->used, true);
}

#endif /* BID_CACHE_H */
