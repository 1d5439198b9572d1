/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A root directory that is remembered but not held: see root.c.
 */
#ifndef BID_ROOT_H
#define BID_ROOT_H

#include "file.h"

/**
 * struct bid_root - which root directory a process had
 * @mnt: the mount, only for comparison; NULL for none
 * @dentry: the directory, only for comparison
 * @key: of the directory's inode
 * @epoch_index: as in struct bid_version
 * @epoch: as in struct bid_version
 */
struct bid_root {
	const struct vfsmount *mnt;
	const struct dentry *dentry;
	struct bid_key key;
	u32 epoch_index;
	u32 epoch;
};

void bid_root_of_current(struct bid_root *root);
bool bid_root_is_current(const struct bid_root *root);

#endif /* BID_ROOT_H */
