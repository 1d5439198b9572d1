/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the VFS knows about a file: inode, version, whether its content may change unnoticed, how to
 * read it, and its path. Functions that may sleep say so.
 */
#ifndef BID_FILE_H
#define BID_FILE_H

#include <linux/fs.h>
#include <linux/iversion.h>
#include <linux/magic.h>
#include <linux/time64.h>

#include "compat.h"
#include "elf.h"

/**
 * struct bid_key - identifies an inode while its filesystem is mounted
 * @dev: of the superblock
 * @generation: of the inode number
 * @ino: inode number
 * @tree: which of the inodes with that number: the subvolume on btrfs and bcachefs, the node on
 *	FUSE; 0 elsewhere
 */
struct bid_key {
	dev_t dev;
	u32 generation;
	u64 ino;
	u64 tree;
};

/**
 * struct bid_version - a version of an inode: changes when the content may have changed
 * @ctime: nanoseconds since 1970
 * @mtime: nanoseconds since 1970
 * @size: bytes
 * @change: the filesystem's change counter (i_version), 0 if it has none
 * @epoch: of the device number: changes when a filesystem with that number is shut down
 * @epoch_index: index of the epoch in bid_file_epochs
 */
struct bid_version {
	s64 ctime;
	s64 mtime;
	u64 size;
	u64 change;
	u32 epoch;
	u32 epoch_index;
};

/* How to read a file's content. */
enum bid_access {
	BID_ACCESS_PAGES, /* through the page cache, as a fault in the mapping would */
	BID_ACCESS_READ,  /* by read_iter, where pages need the filesystem's own locks */
	BID_ACCESS_NEVER,
};

/**
 * struct bid_path - a path as the current process sees it
 * @name: in the caller's buffer, not necessarily NUL-terminated; NULL if there is no path
 * @len: bytes without the NUL
 * @flags: BUILDID_FILE_* about the path
 */
struct bid_path {
	const char *name;
	u16 len;
	u32 flags;
};

struct inode *bid_file_inode(const struct file *file);
#ifndef BID_HAS_FILE_USER_PATH
/* f_inode of a mapped overlayfs file is the real inode */
#define file_user_inode(f) bid_file_inode(f)
#endif
void bid_file_user_ids(const struct file *file, u64 *ino, dev_t *dev);
void bid_file_key(struct inode *inode, struct bid_key *key);
void bid_file_version(struct inode *inode, struct bid_version *version);
bool bid_file_unstable(struct inode *inode);
bool bid_file_counts(const struct inode *inode);
bool bid_file_racy(const struct inode *inode, const struct bid_version *version);
int bid_file_may_read(struct file *file);
enum bid_access bid_file_access(const struct file *file, struct inode *inode, u8 *reason);
bool bid_file_is_memory(const struct inode *inode);
bool bid_file_served(const struct file *file);
bool bid_file_user_overlay(const struct path *path);
void bid_file_path(const struct file *file, char *buf, size_t size, struct bid_path *path);
void bid_file_end_epoch(const struct super_block *sb);

u64 bid_file_handle_tree(struct inode *inode);

/* What bid_key.tree is for @inode. Any context. */
static __always_inline u64 bid_file_tree(struct inode *inode)
{
	/* the lowest of those that have trees, and higher than most filesystems' magic numbers */
	if (likely(inode->i_sb->s_magic < FUSE_SUPER_MAGIC))
		return 0;
	return bid_file_handle_tree(inode);
}

/*
 * Any user may mount and unmount filesystems without a block device. Their device numbers are
 * allocated from the lowest up, so that each has an epoch of its own while there are at most
 * 1 << BID_EPOCH_BITS of them. Block devices share the other half, where users cannot end epochs.
 */
#define BID_EPOCH_BITS 15
extern atomic_t bid_file_epochs[2 << BID_EPOCH_BITS];

static inline u32 bid_file_epoch_index(dev_t dev)
{
	const u32 mask = (1 << BID_EPOCH_BITS) - 1;

	if (likely(MAJOR(dev)))
		return ((MAJOR(dev) << 8 ^ dev) & mask) | 1 << BID_EPOCH_BITS;
	return dev & mask;
}

/* timespec64_to_ns() without saturation, for speed: the hook calls it for each mapping. */
static inline s64 bid_time_ns(struct timespec64 time)
{
	return time.tv_sec * NSEC_PER_SEC + time.tv_nsec;
}

static inline u64 bid_file_change(const struct inode *inode)
{
	return IS_I_VERSION(inode) ? inode_peek_iversion(inode) : 0;
}

static inline s64 bid_file_ctime(const struct inode *inode)
{
	/* a torn read gives a version that the file never had, which matches nothing */
	return data_race(bid_time_ns(inode_get_ctime(inode)));
}

static inline s64 bid_file_mtime(const struct inode *inode)
{
	/* may be torn: see above */
	return data_race(bid_time_ns(inode_get_mtime(inode)));
}

/**
 * bid_file_matches() - does an inode have this key and version now?
 * @inode: the inode
 * @key: from bid_file_key(); @key->tree is not compared
 * @version: from bid_file_version(); @version->change is not compared: the counter may also count
 *	changes of atime, and if the time stamps were old enough when the content was read, any
 *	change moves them
 *
 * Any context.
 */
static inline bool bid_file_matches(struct inode *inode, const struct bid_key *key,
				    const struct bid_version *version)
{
	const struct super_block *sb = inode->i_sb;

	/* first what distinguishes versions of one inode, as a set may be full of them */
	return version->ctime == bid_file_ctime(inode) && key->ino == inode->i_ino &&
	       key->dev == sb->s_dev && version->mtime == bid_file_mtime(inode) &&
	       version->size == i_size_read(inode) &&
	       version->epoch == atomic_read(&bid_file_epochs[version->epoch_index]) &&
	       key->generation == inode->i_generation;
}

/* As bid_file_matches(): ignores the counter. */
static inline bool bid_version_matches(const struct bid_version *a, const struct bid_version *b)
{
	return a->ctime == b->ctime && a->mtime == b->mtime && a->size == b->size &&
	       a->epoch == b->epoch;
}

/* Compares the counter, too. */
static inline bool bid_version_equal(const struct bid_version *a, const struct bid_version *b)
{
	return bid_version_matches(a, b) && a->change == b->change;
}

/* unlink and chmod change ctime, and so the version, but not the content. */
static inline bool bid_version_same_content(const struct bid_version *a,
					    const struct bid_version *b)
{
	return a->mtime == b->mtime && a->size == b->size && a->epoch == b->epoch;
}

static inline bool bid_key_equal(const struct bid_key *a, const struct bid_key *b)
{
	return a->ino == b->ino && a->dev == b->dev && a->generation == b->generation &&
	       a->tree == b->tree;
}

#endif /* BID_FILE_H */
