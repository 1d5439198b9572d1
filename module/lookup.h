/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A file being looked at, and the entry that comes to stand for it.
 */
#ifndef BID_LOOKUP_H
#define BID_LOOKUP_H

#include "cache.h"

/**
 * struct bid_lookup - a file being looked at
 * @file: it
 * @inode: its bid_file_inode()
 * @user_ino: inode number as the user sees it
 * @user_dev: likewise; both from bid_file_user_ids()
 * @key: of @inode
 * @version: of @inode, at the last look
 * @entry_flags: BID_ENTRY_RECHECK and UNSTABLE, as of just before the content was read
 * @recheck_seq: bid_cache_recheck_seq() likewise
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
