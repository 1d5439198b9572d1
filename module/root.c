// SPDX-License-Identifier: GPL-2.0
/*
 * A subscription outlives the process that made it, and its container. Holding the root directory
 * would keep its filesystem mounted, so it is identified by inode and device number, and by what
 * shows whether they were reused. The mount is compared as well, as a directory can be the root of
 * two mount namespaces. Its address may have been reused for another mount, but then either that
 * is of the same directory, or the inode differs.
 */
#include <linux/fs_struct.h>
#include <linux/path.h>
#include <linux/sched.h>

#include "root.h"

/* Process context. */
void bid_root_of_current(struct bid_root *root)
{
	struct inode *inode;
	struct path path;

	get_fs_root(current->fs, &path);
	inode = d_inode(path.dentry);
	root->mnt = path.mnt;
	root->dentry = path.dentry;
	bid_file_key(inode, &root->key);
	root->epoch_index = bid_file_epoch_index(inode->i_sb->s_dev);
	root->epoch = atomic_read(&bid_file_epochs[root->epoch_index]);
	path_put(&path);
}

/**
 * bid_root_is_current() - is this the root directory of current?
 * @root: from bid_root_of_current()
 *
 * Reads current's root without its lock: if another thread calls chroot() meanwhile, either answer
 * is right. Any context but NMI.
 */
bool bid_root_is_current(const struct bid_root *root)
{
	const struct path *path = &current->fs->root;
	struct bid_key key = {};
	struct inode *inode;

	if (READ_ONCE(path->mnt) != root->mnt || READ_ONCE(path->dentry) != root->dentry)
		return false;
	rcu_read_lock();
	inode = d_inode_rcu(READ_ONCE(path->dentry));
	if (inode)
		bid_file_key(inode, &key);
	rcu_read_unlock();
	return bid_key_equal(&key, &root->key) &&
	       atomic_read(&bid_file_epochs[root->epoch_index]) == root->epoch;
}
