/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One file being identified, and how the result gets into the cache.
 */
#ifndef BID_LOOKUP_H
#define BID_LOOKUP_H

#include "cache.h"
#include "record.h"

/**
 * struct bid_lookup - a file that is being identified
 * @file: the file; the caller holds it
 * @inode: bid_file_inode() of @file
 * @access: bid_file_access() of it
 * @user_ino: inode number as the user sees it, from bid_file_user_ids()
 * @user_dev: device, likewise
 * @key: of @inode
 * @version: of @inode; once it was read, the version that was read
 * @id: the identity, or the reason for none, once it was read; the reason with
 *	BID_ACCESS_NEVER
 * @flags: bits of enum bid_entry_flag for what was read
 * @recheck_seq: bid_cache_recheck_seq(), sampled before it was read
 */
struct bid_lookup {
	struct file *file;
	struct inode *inode;
	enum bid_access access;
	u64 user_ino;
	dev_t user_dev;
	struct bid_key key;
	struct bid_version version;
	struct bid_identity id;
	unsigned long flags;
	u32 recheck_seq;
};

void bid_lookup_init(struct file *file, struct inode *inode, struct bid_lookup *lookup);
struct bid_entry *bid_lookup_find(const struct bid_lookup *lookup);
int bid_lookup_read(struct bid_lookup *lookup);
u64 bid_lookup_store(struct bid_lookup *lookup, const struct bid_path *path, u64 file_id);
void bid_lookup_info(const struct bid_lookup *lookup, const struct bid_path *path, u64 file_id,
		     struct bid_file_info *info);

#endif /* BID_LOOKUP_H */
