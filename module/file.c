// SPDX-License-Identifier: GPL-2.0
/*
 * Everything that depends on the filesystem of a file is here.
 *
 * No inode, file or mount is pinned. An inode is recognized by its key (device, inode number,
 * generation), and a change of its content by the version (ctime, mtime, size, change counter).
 * That can go wrong in three ways:
 *
 * - The content changes but the version does not: right after a change, as time stamps are coarse
 *   (bid_file_racy()), and through stores to a mapping or open writers (bid_file_unstable()). Such
 *   content is read again at the next mapping.
 * - Another filesystem gets the same device number: see bid_file_epochs.
 * - The version changes while it is sampled, as nothing is locked: the sample then matches no
 *   version, and the content is read again.
 *
 * Keys, versions and bid_file_unstable() are also used by the hook, with preemption off: they
 * neither sleep, allocate nor lock. The rest is for process context.
 */
#include <linux/dcache.h>
#include <linux/exportfs.h>
#include <linux/jiffies.h>
#include <linux/ktime.h>
#include <linux/magic.h>
#include <linux/stat.h>
#include <linux/timekeeping.h>
#include <linux/user_namespace.h>

#include "compat.h"
#include "file.h"

/* Missing from <linux/magic.h>, on some kernels at least. */
#define BCACHEFS_SUPER_MAGIC 0xca451a4e
#define GFS2_SUPER_MAGIC     0x01161970
#define HFS_SUPER_MAGIC	     0x4244
#define UBIFS_SUPER_MAGIC    0x24051905

/*
 * Device numbers are reused, and reproducible filesystem images have the same inode numbers and
 * time stamps with different content. So each number has an epoch, which is part of every version
 * and ends when a superblock with that number is shut down: from then on no entry of the device
 * matches.
 */
atomic_t bid_file_epochs[2 << BID_EPOCH_BITS];

/**
 * bid_file_end_epoch() - invalidate everything known about a filesystem
 * @sb: its superblock, which is being shut down
 *
 * Called by the hook on generic_shutdown_super(), before the number can be reused.
 */
void bid_file_end_epoch(const struct super_block *sb)
{
	/* none of its files was ever identified */
	if (!(sb->s_iflags & SB_I_NOEXEC))
		atomic_inc(&bid_file_epochs[bid_file_epoch_index(sb->s_dev)]);
}

/**
 * bid_file_inode() - the inode whose pages a mapping of this file shows
 * @file: from a mapping, or from a file descriptor
 *
 * On overlayfs a descriptor has overlayfs's own inode, while a mapping already has the real one.
 * With O_PATH the data may not have been looked up yet, and may be gone: then this is the inode of
 * the metadata.
 */
struct inode *bid_file_inode(const struct file *file)
{
	struct inode *inode = file_inode(file);

	if (inode->i_sb->s_magic != OVERLAYFS_SUPER_MAGIC)
		return inode;
	return file->f_mode & FMODE_PATH ? BID_METADATA_INODE(file->f_path.dentry) :
					   d_real_inode(file->f_path.dentry);
}

/**
 * bid_file_handle_tree() - what distinguishes this inode from others with its number
 * @inode: the inode
 *
 * On btrfs each subvolume has its own inode numbers, on bcachefs snapshots share them, and on FUSE
 * the server chooses them, so that several nodes may have one number. The file handle distinguishes
 * them. Any context.
 */
u64 bid_file_handle_tree(struct inode *inode)
{
	const struct export_operations *ops = inode->i_sb->s_export_op;
	unsigned long magic = inode->i_sb->s_magic;
	u32 handle[16] __uninitialized;
	int words = ARRAY_SIZE(handle);

	if (magic != BTRFS_SUPER_MAGIC && magic != BCACHEFS_SUPER_MAGIC &&
	    magic != FUSE_SUPER_MAGIC)
		return 0;
	if (!ops || !ops->encode_fh)
		return 0;
	if (ops->encode_fh(inode, handle, &words, NULL) == FILEID_INVALID || words < 3)
		return 0;
	if (magic == FUSE_SUPER_MAGIC)
		return (u64)handle[0] << 32 | handle[1];
	return words < 4 ? 0 : handle[2] | (u64)handle[3] << 32;
}

static noinline void subvolume_dev(const struct path *path, dev_t *dev)
{
	struct kstat stat;

	if (!vfs_getattr_nosec(path, &stat, STATX_INO, AT_STATX_DONT_SYNC))
		*dev = stat.dev;
}

/**
 * bid_file_user_ids() - a file's inode number and device as users see them
 * @file: from a mapping, or from a file descriptor
 * @ino: set to the inode number
 * @dev: set to the device
 *
 * The same as in /proc/PID/maps. On btrfs the device is the subvolume's, as in stat(2): inode
 * numbers are not unique within the superblock.
 */
void bid_file_user_ids(const struct file *file, u64 *ino, dev_t *dev)
{
	const struct inode *inode = file_user_inode(file);
	const struct super_block *sb = inode->i_sb;

	*ino = inode->i_ino;
	*dev = sb->s_dev;
	if (unlikely(sb->s_magic == BTRFS_SUPER_MAGIC) && file_user_path(file)->dentry->d_sb == sb)
		subvolume_dev(file_user_path(file), dev);
}

/* Any context. */
void bid_file_key(struct inode *inode, struct bid_key *key)
{
	struct super_block *sb = inode->i_sb;

	key->dev = sb->s_dev;
	key->ino = inode->i_ino;
	key->generation = inode->i_generation;
	key->tree = bid_file_tree(inode);
}

/**
 * bid_file_version() - sample the version of an inode
 * @inode: the inode
 * @version: filled in
 *
 * Nothing is locked: a sample taken during a change matches no version, and the content is read
 * again. Any context.
 */
void bid_file_version(struct inode *inode, struct bid_version *version)
{
	version->ctime = bid_file_ctime(inode);
	version->mtime = bid_file_mtime(inode);
	version->size = i_size_read(inode);
	version->change = bid_file_change(inode);
	version->epoch_index = bid_file_epoch_index(inode->i_sb->s_dev);
	version->epoch = atomic_read(&bid_file_epochs[version->epoch_index]);
}

/**
 * bid_file_unstable() - may the content change without changing the version?
 * @inode: the inode
 *
 * A writer updates the time stamps before it copies the data, and stores to a shared mapping update
 * them only when the page is cleaned. A memfd does not count its open writers; they hold its lock
 * while they write. Any context.
 */
bool bid_file_unstable(struct inode *inode)
{
	return inode_is_open_for_write(inode) || mapping_writably_mapped(inode->i_mapping) ||
	       (inode->i_sb->s_magic == TMPFS_MAGIC && inode_is_locked(inode));
}

/*
 * A filesystem stacked on another one, such as eCryptfs, may be on top of a user's FUSE. Regular
 * files of overlayfs are those of their layers here, see bid_file_inode().
 */
static bool may_be_fuse(const struct super_block *sb)
{
	return sb->s_magic == FUSE_SUPER_MAGIC ||
	       (sb->s_stack_depth && sb->s_magic != OVERLAYFS_SUPER_MAGIC);
}

/* These filesystems do not store ctime; any writer can set it through mtime. */
static bool has_no_ctime(const struct super_block *sb)
{
	switch (sb->s_magic) {
	case ADFS_SUPER_MAGIC:
	case AFFS_SUPER_MAGIC:
	case HFS_SUPER_MAGIC:
	case MINIX_SUPER_MAGIC:
	case MINIX_SUPER_MAGIC2:
	case MSDOS_SUPER_MAGIC:
		return true;
	default:
		return false;
	}
}

/**
 * bid_file_counts() - does the change counter show each change of the content?
 * @inode: the inode
 *
 * Not on a filesystem mounted in a user namespace: its owner can remount it without the counter,
 * change files, and remount it with it. Any context.
 */
bool bid_file_counts(const struct inode *inode)
{
	return IS_I_VERSION(inode) && inode->i_sb->s_user_ns == &init_user_ns;
}

/* The time stamps are set by another machine, or by any user's program. */
static bool has_foreign_times(const struct super_block *sb)
{
	return sb->s_magic == FUSE_SUPER_MAGIC ||
	       (!sb->s_bdev && sb->s_magic != TMPFS_MAGIC && sb->s_magic != RAMFS_MAGIC);
}

/**
 * bid_file_racy() - may the content change again without changing the time stamps?
 * @inode: the inode
 * @version: its version, sampled before this call
 *
 * It may while ctime is so recent that another change would get the same one. Time stamps advance
 * once a tick, and are stored in the filesystem's units: two seconds on exFAT. A server's clock may
 * be ahead of ours or behind it. Any context.
 */
bool bid_file_racy(const struct inode *inode, const struct bid_version *version)
{
	const struct super_block *sb = inode->i_sb;
	s64 settle = max_t(s64, TICK_NSEC, sb->s_time_gran) + TICK_NSEC;
	struct timespec64 now;

	if (has_no_ctime(sb))
		return true;
	if (sb->s_magic == EXFAT_SUPER_MAGIC || has_foreign_times(sb))
		settle = 2 * (s64)NSEC_PER_SEC + TICK_NSEC;
	ktime_get_coarse_real_ts64(&now);
	return version->ctime > bid_time_ns(now) - settle;
}

/**
 * bid_file_may_read() - would the caller be allowed to read(2) this open file now?
 * @file: the file
 *
 * Asks LSMs and fanotify listeners, as each read(2) does: permission may have been withdrawn since
 * the file was opened. Process context; waits for such a listener.
 *
 * Return: 0; -EBADF if it is not open for reading; or the error of read(2).
 */
int bid_file_may_read(struct file *file)
{
	loff_t pos = 0;

	return file->f_mode & FMODE_READ ? rw_verify_area(READ, file, &pos, 1) : -EBADF;
}

/* Each page of such a file is in the page cache, swapped out, or a hole. Any context. */
bool bid_file_is_memory(const struct inode *inode)
{
	return inode->i_sb->s_magic == TMPFS_MAGIC || inode->i_sb->s_magic == RAMFS_MAGIC;
}

/*
 * Is a fault just read_folio() under invalidate_lock? Where it takes further locks of the
 * filesystem, read_iter takes them, too.
 */
static bool faults_by_pages(const struct inode *inode)
{
	const struct super_block *sb = inode->i_sb;

	/* a DAX file's page in the page cache would get in the way of its faults */
	if (IS_DAX(inode) || !inode->i_mapping->a_ops->read_folio)
		return bid_file_is_memory(inode);
	switch (sb->s_magic) {
	case BCACHEFS_SUPER_MAGIC:
	case GFS2_SUPER_MAGIC:
	case OCFS2_SUPER_MAGIC:
		return false;
	case CIFS_SUPER_MAGIC:
	case FUSE_SUPER_MAGIC:
	case JFFS2_SUPER_MAGIC:
	case NFS_SUPER_MAGIC:
	case RAMFS_MAGIC:
	case SMB2_SUPER_MAGIC:
	case TMPFS_MAGIC:
	case UBIFS_SUPER_MAGIC:
	case V9FS_MAGIC:
		return true;
	default:
		return sb->s_type->fs_flags & FS_REQUIRES_DEV;
	}
}

/* BUILDID_REASON_* for a file that is never read, else BUILDID_REASON_NONE. */
static u8 reason_not_to_read(const struct file *file, const struct inode *inode)
{
	const struct super_block *sb = inode->i_sb;

	if (!S_ISREG(inode->i_mode))
		return BUILDID_REASON_NOT_REGULAR;
	if (sb->s_magic == SECRETMEM_MAGIC)
		return BUILDID_REASON_SECRET;
	if (sb->s_magic == HUGETLBFS_MAGIC)
		return BUILDID_REASON_HUGETLB;
	/* including shmget(2)'s; memfds are not private */
	if (sb->s_magic == TMPFS_MAGIC && IS_PRIVATE(inode))
		return BUILDID_REASON_ANONYMOUS;
	if (sb->s_iflags & SB_I_NOEXEC)
		return BUILDID_REASON_PSEUDO;
	if (!(file->f_mode & FMODE_READ))
		return BUILDID_REASON_UNREADABLE;
	return BUILDID_REASON_NONE;
}

/**
 * bid_file_access() - how to read this file
 * @file: the file
 * @inode: bid_file_inode() of it
 * @reason: set to enum buildid_reason with BID_ACCESS_NEVER
 *
 * Any context.
 */
enum bid_access bid_file_access(const struct file *file, struct inode *inode, u8 *reason)
{
	*reason = reason_not_to_read(file, inode);
	if (*reason)
		return BID_ACCESS_NEVER;
	/* a descriptor of an overlay is no file of the filesystem that these pages belong to */
	if (faults_by_pages(inode) &&
	    (file_inode(file) == inode || inode->i_sb->s_bdev || bid_file_is_memory(inode)))
		return BID_ACCESS_PAGES;
	if ((file->f_mode & FMODE_CAN_READ) && file->f_op->read_iter)
		return BID_ACCESS_READ;
	*reason = BUILDID_REASON_UNREADABLE;
	return BID_ACCESS_NEVER;
}

/**
 * bid_file_served() - may any user delay a read of this file, or hold up others through it?
 * @file: the file
 *
 * If so, only the process that maps it reads it. That includes a file open for writing: a reference
 * held by anybody else makes exec of the file fail with ETXTBSY. Any context.
 */
bool bid_file_served(const struct file *file)
{
	const struct super_block *sb = bid_file_inode(file)->i_sb;

	return may_be_fuse(sb) || sb->s_user_ns != &init_user_ns || file->f_mode & FMODE_WRITE;
}

/**
 * bid_file_user_overlay() - is this on an overlayfs that a user has mounted?
 * @path: file_user_path() of the file
 *
 * Its layers may be on FUSE, and so may any of its files once it has been written to. Any context.
 */
bool bid_file_user_overlay(const struct path *path)
{
	const struct super_block *sb = path->dentry->d_sb;

	return sb->s_magic == OVERLAYFS_SUPER_MAGIC && sb->s_user_ns != &init_user_ns;
}

static u32 name_flags(const struct file *file, const struct path *user)
{
	const struct dentry *dentry = user->dentry;
	const struct inode *inode = file_inode(file);
	u32 flags = 0;

	/* FUSE passthrough: the inode is another filesystem's, and only the path is the server's */
	if (may_be_fuse(bid_file_inode(file)->i_sb) || may_be_fuse(dentry->d_sb) ||
	    bid_file_user_overlay(user))
		flags |= BUILDID_FILE_FUSE;
	/* it may be linked, or lose its last name, at any time */
	if (!data_race(inode->i_nlink) || d_unlinked(dentry))
		flags |= BUILDID_FILE_DELETED;
	/* on the kernel's internal mounts of shmem and hugetlbfs, users choose no names */
	if ((inode->i_sb->s_magic == TMPFS_MAGIC || inode->i_sb->s_magic == HUGETLBFS_MAGIC) &&
	    inode->i_sb->s_flags & SB_KERNMOUNT && str_has_prefix(dentry->d_name.name, "memfd:"))
		flags |= BUILDID_FILE_MEMFD;
	return flags;
}

/**
 * bid_file_path() - a file's path as the current process sees it
 * @file: the file
 * @buf: room for the path
 * @size: of @buf
 * @path: filled in; points into @buf
 *
 * Process context. " (deleted)" is a flag and not a part of the path. An exiting task that has
 * dropped its root directory sees no path.
 */
void bid_file_path(const struct file *file, char *buf, size_t size, struct bid_path *path)
{
	static const char deleted[] = " (deleted)";
	const struct path *user = file_user_path(file);
	char *name;
	size_t len;

	path->flags = name_flags(file, user);
	name = current->fs ? d_path(user, buf, size) : ERR_PTR(-ENOENT);
	if (IS_ERR(name)) {
		path->name = NULL;
		path->len = 0;
		path->flags |= BUILDID_FILE_NO_PATH;
		return;
	}
	len = buf + size - 1 - name;
	if (len >= sizeof(deleted) - 1 &&
	    (d_unlinked(user->dentry) || (user->dentry->d_op && user->dentry->d_op->d_dname)) &&
	    !memcmp(name + len - (sizeof(deleted) - 1), deleted, sizeof(deleted) - 1))
		len -= sizeof(deleted) - 1;
	path->name = name;
	path->len = len;
}
