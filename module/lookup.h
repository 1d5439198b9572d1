/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One file being identified, and how the result gets into the cache.
 */
#ifndef BID_LOOKUP_H
#define BID_LOOKUP_H

#include "cache.h"

/**
 * struct bid_lookup - a file that is being identified
 * @file: the file; the caller holds it
 * @inode: bid_file_inode() of @file
 * @user_ino: inode number as the user sees it, from bid_file_user_ids()
 * @user_dev: device, likewise
 * @key: of @inode
 * @version: of @inode; once it was read, the version that was read
 * @entry_flags: BID_ENTRY_RECHECK and UNSTABLE, as sampled just before it was read
 * @recheck_seq: bid_cache_recheck_seq(), likewise
 */
struct bid_lookup {
	struct file *file;
	struct inode *inode;
	u64 user_ino;
	dev_t user_dev;
	struct bid_key key;
	struct bid_version version;
	u32 entry_flags;
	u32 recheck_seq;
};

void bid_lookup_init(struct file *file, struct inode *inode, struct bid_lookup *lookup);
void bid_lookup_begin_read(struct bid_lookup *lookup, enum bid_access access);
struct bid_entry *bid_lookup_update_cache(struct bid_lookup *lookup, u8 state,
					  const struct bid_identity *id, struct bid_text **text);

#endif /* BID_LOOKUP_H */
