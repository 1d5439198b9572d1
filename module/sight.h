/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A file being looked at, and the entry that comes to stand for it.
 */
#ifndef BID_SIGHT_H
#define BID_SIGHT_H

#include "cache.h"

/**
 * struct bid_sight - a file being looked at
 * @file: it
 * @inode: its bid_file_inode()
 * @user_ino: inode number as the user sees it
 * @user_dev: likewise; both from bid_file_user()
 * @key: of @inode
 * @version: of @inode, at the last look
 * @doubt: BID_ENTRY_RECHECK and UNSTABLE, as of just before the content was read
 * @suspects: bid_cache_suspects() likewise
 */
struct bid_sight {
	struct file *file;
	struct inode *inode;
	u64 user_ino;
	dev_t user_dev;
	struct bid_key key;
	struct bid_version version;
	u32 doubt;
	u32 suspects;
};

void bid_sight_init(struct file *file, struct inode *inode, struct bid_sight *sight);
void bid_sight_begin_reading(struct bid_sight *sight, enum bid_access access);
struct bid_entry *bid_sight_settle(struct bid_sight *sight, u8 state, const struct bid_identity *id,
				   struct bid_text **text);

#endif /* BID_SIGHT_H */
