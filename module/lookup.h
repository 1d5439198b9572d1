/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A file being identified, and how the result gets into the cache.
 */
#ifndef BID_LOOKUP_H
#define BID_LOOKUP_H

#include "cache.h"
#include "record.h"

/**
 * struct bid_lookup - a file being identified
 * @file: the file, held by the caller
 * @inode: bid_file_inode() of @file
 * @access: bid_file_access() of @file
 * @user_ino: inode number from bid_file_user_ids()
 * @user_dev: device from bid_file_user_ids()
 * @key: of @inode
 * @version: of @inode; after the read, the version that was read
 * @id: after the read, the identity or the reason for none; with BID_ACCESS_NEVER, the reason
 * @flags: bits of enum bid_entry_flag for what was read
 * @recheck_seq: bid_cache_recheck_seq(), sampled before the read
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
