/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The cache: inode version -> identity. Pins no inode, file or mount.
 *
 * Lifetime of an entry: bid_cache_put() inserts it complete. It leaves the table when it is
 * replaced, evicted, flushed or shrunk, and is freed by call_rcu(): an entry found under RCU stays
 * valid until the end of the read-side section. It holds no inode, dentry, mount or mm, and so
 * outlives the file it describes; what it says is about a version, and stays true.
 *
 * Locking: the table changes under a spinlock, in process context; no lock nests inside it, and
 * nothing is allocated under it. Readers take no lock. The hook only reads, and sets flags
 * atomically.
 */
#ifndef BID_CACHE_H
#define BID_CACHE_H

#include "entry.h"

int bid_cache_init(u32 max_entries);
void bid_cache_exit(void);

/* Under RCU. */
struct bid_entry *bid_cache_find(const struct bid_key *key, const struct bid_version *version);
struct bid_entry *bid_cache_find_inode(struct inode *inode);
struct bid_entry *bid_cache_find_newest(u32 major, u32 minor, u64 ino, const u32 *generation,
					const u64 *tree);
struct bid_entry *bid_cache_at(u32 slot);

/* Under RCU, in process context. */
struct bid_entry *bid_cache_find_id(u64 file_id);

/* Any context, under RCU. */
void bid_cache_mark_recheck(const struct bid_key *key);
u32 bid_cache_recheck_seq(const struct bid_key *key);
u64 bid_cache_new_id(void);

/* May sleep. */
u64 bid_cache_put(struct bid_entry *entry, u32 recheck_seq);
u64 bid_cache_confirm(const struct bid_key *key, const struct bid_version *version,
		      const struct bid_identity *id, unsigned long flags, u32 recheck_seq);
void bid_cache_forget_older(const struct bid_key *key, u64 file_id);
u64 bid_cache_flush(void);

u32 bid_cache_seq(void);
u32 bid_cache_entries(void);
u32 bid_cache_max(void);
u64 bid_cache_memory(void);

#endif /* BID_CACHE_H */
