// SPDX-License-Identifier: GPL-2.0
#include <linux/dcache.h>
#include <linux/exportfs.h>
#include <linux/jiffies.h>
#include <linux/magic.h>
#include <linux/pagemap.h>
#include <linux/stat.h>
#include <linux/timekeeping.h>
#include <linux/user_namespace.h>

#include "compat.h"
#include "file.h"

/* Not in <linux/magic.h>. */
#define JFS_SUPER_MAGIC	  0x3153464a
#define NTFS3_SUPER_MAGIC 0x7366746e
#define UBIFS_SUPER_MAGIC 0x24051905

/*
 * Device numbers are used again, and an image made to be reproducible repeats
 * every time stamp of the one before it. Rather than telling superblocks apart,
 * everything known under a device number is out of date once one goes.
 */
atomic_t bid_file_epochs[2 << BID_EPOCH_BITS];

void bid_file_end_epoch(const struct super_block *sb)
{
	/* no code was ever seen there */
	if (!(sb->s_iflags & SB_I_NOEXEC))
		atomic_inc(&bid_file_epochs[bid_file_epoch_index(sb->s_dev)]);
}

/**
 * bid_file_inode() - the inode whose pages get mapped
 * @file: from a mapping, or from a file descriptor
 *
 * On a stacked filesystem a descriptor leads to the upper inode, a mapping to
 * the real one already.
 */
struct inode *bid_file_inode(const struct file *file)
{
	struct inode *inode = file_inode(file);

	if (inode->i_sb->s_magic == OVERLAYFS_SUPER_MAGIC)
		inode = d_real_inode(file->f_path.dentry);
	return inode;
}

/* Inode numbers are a subvolume's own on btrfs; its file handle says whose. */
static noinline u64 subvolume(struct inode *inode)
{
	const struct export_operations *ops = inode->i_sb->s_export_op;
	u32 handle[16];
	int words = ARRAY_SIZE(handle);

	if (!ops || !ops->encode_fh)
		return 0;
	if (ops->encode_fh(inode, handle, &words, NULL) == FILEID_INVALID || words < 4)
		return 0;
	return handle[2] | (u64)handle[3] << 32;
}

u64 bid_file_tree(struct inode *inode)
{
	return unlikely(inode->i_sb->s_magic == BTRFS_SUPER_MAGIC) ? subvolume(inode) : 0;
}

static noinline void subvolume_dev(const struct path *path, dev_t *dev)
{
	struct kstat stat;

	if (!vfs_getattr_nosec(path, &stat, STATX_INO, AT_STATX_DONT_SYNC))
		*dev = stat.dev;
}

/**
 * bid_file_user_ids() - what names the file for a user
 * @file: from a mapping, or from a file descriptor
 * @ino: set to the inode number
 * @dev: set to the device
 *
 * What /proc/PID/maps shows, but on btrfs stat(2)'s device, a subvolume's: the
 * superblock's says nothing about an inode number there. Takes no lock that
 * sleeps, but for those that only do on PREEMPT_RT.
 */
void bid_file_user_ids(const struct file *file, u64 *ino, dev_t *dev)
{
	const struct inode *inode = file_user_inode(file);
	const struct super_block *sb = inode->i_sb;

	*ino = inode->i_ino;
	*dev = sb->s_dev;
	if (unlikely(sb->s_magic == BTRFS_SUPER_MAGIC) &&
	    file_user_path(file)->dentry->d_sb == sb &&
	    (!IS_ENABLED(CONFIG_PREEMPT_RT) || preemptible()))
		subvolume_dev(file_user_path(file), dev);
}

void bid_file_key(struct inode *inode, struct bid_key *key)
{
	struct super_block *sb = inode->i_sb;

	key->dev = sb->s_dev;
	key->ino = inode->i_ino;
	key->generation = inode->i_generation;
	key->tree = bid_file_tree(inode);
}

/*
 * Nothing here is locked: a version read while it moves matches none, and the
 * content is read again.
 */
void bid_file_version(struct inode *inode, struct bid_version *version)
{
	version->ctime = bid_time_ns(inode_get_ctime(inode));
	version->mtime = bid_time_ns(inode_get_mtime(inode));
	version->size = i_size_read(inode);
	version->change = bid_file_change(inode);
	version->epoch_index = bid_file_epoch_index(inode->i_sb->s_dev);
	version->epoch = atomic_read(&bid_file_epochs[version->epoch_index]);
}

/**
 * bid_file_arm_version() - make the next change move the change counter
 * @inode: about to be read
 *
 * Filesystems skip the counter while nobody has asked for it.
 */
void bid_file_arm_version(struct inode *inode)
{
	if (IS_I_VERSION(inode))
		inode_query_iversion(inode);
}

/*
 * Writers move time stamps before the data, and stores move none for long. A memfd
 * does not count who has it open for writing.
 */
bool bid_file_unstable(struct inode *inode)
{
	return inode_is_open_for_write(inode) || mapping_writably_mapped(inode->i_mapping) ||
	       (inode->i_sb->s_magic == TMPFS_MAGIC && inode_is_locked(inode));
}

/*
 * Filesystems whose pages can be had from the inode alone. The others may want
 * an open file to read with, which keeps its mount busy.
 */
static bool reads_by_inode(const struct inode *inode)
{
	if (IS_DAX(inode))
		return false;
	switch (inode->i_sb->s_magic) {
	case EXT4_SUPER_MAGIC:
	case XFS_SUPER_MAGIC:
	case BTRFS_SUPER_MAGIC:
	case F2FS_SUPER_MAGIC:
	case TMPFS_MAGIC:
	case RAMFS_MAGIC:
	case SQUASHFS_MAGIC:
	case EROFS_SUPER_MAGIC_V1:
	case MSDOS_SUPER_MAGIC:
		return true;
	default:
		return false;
	}
}

/* Nobody else's machine can hold up what is read from these. */
static bool is_local(const struct inode *inode)
{
	if (IS_DAX(inode))
		return true;
	switch (inode->i_sb->s_magic) {
	case EXFAT_SUPER_MAGIC:
	case ISOFS_SUPER_MAGIC:
	case JFFS2_SUPER_MAGIC:
	case JFS_SUPER_MAGIC:
	case MINIX_SUPER_MAGIC:
	case MINIX_SUPER_MAGIC2:
	case MINIX2_SUPER_MAGIC:
	case MINIX2_SUPER_MAGIC2:
	case MINIX3_SUPER_MAGIC:
	case NILFS_SUPER_MAGIC:
	case NTFS3_SUPER_MAGIC:
	case UBIFS_SUPER_MAGIC:
	case UDF_SUPER_MAGIC:
		return true;
	default:
		return false;
	}
}

/**
 * bid_file_racy() - may the content change again and leave the version alone?
 * @inode: whose version
 * @version: sampled before this call
 * @access: how it is read
 *
 * Time stamps move once a tick, and are kept as finely as the filesystem can. A
 * server's clock is not ours at all, and FAT's seconds are even.
 */
bool bid_file_racy(struct inode *inode, const struct bid_version *version, enum bid_access access)
{
	const struct super_block *sb = inode->i_sb;
	s64 settle = max_t(s64, TICK_NSEC, sb->s_time_gran) + TICK_NSEC;
	struct timespec64 now;

	if (IS_I_VERSION(inode))
		return false;
	if (sb->s_magic == MSDOS_SUPER_MAGIC || sb->s_magic == EXFAT_SUPER_MAGIC ||
	    access > BID_ACCESS_FILE)
		settle = 2 * (s64)NSEC_PER_SEC + TICK_NSEC;
	ktime_get_coarse_real_ts64(&now);
	return version->ctime > bid_time_ns(now) - settle;
}

/**
 * bid_file_access() - who may read this file
 * @file: it
 * @inode: its bid_file_inode()
 * @reason: set to why not, for BID_ACCESS_NEVER
 */
enum bid_access bid_file_access(const struct file *file, struct inode *inode, u8 *reason)
{
	struct super_block *sb = inode->i_sb;

	if (!S_ISREG(inode->i_mode)) {
		*reason = BUILDID_REASON_NOT_REGULAR;
		return BID_ACCESS_NEVER;
	}
	if (sb->s_magic == SECRETMEM_MAGIC) {
		*reason = BUILDID_REASON_SECRET;
		return BID_ACCESS_NEVER;
	}
	if (sb->s_magic == HUGETLBFS_MAGIC) {
		*reason = BUILDID_REASON_HUGETLB;
		return BID_ACCESS_NEVER;
	}
	/* what such a file says is made when it is read, by whoever made the file */
	if (!(file->f_mode & FMODE_READ) || sb->s_iflags & SB_I_NOEXEC) {
		*reason = BUILDID_REASON_UNREADABLE;
		return BID_ACCESS_NEVER;
	}
	if (reads_by_inode(inode))
		return BID_ACCESS_INODE;
	if (sb->s_magic == FUSE_SUPER_MAGIC || sb->s_user_ns != &init_user_ns)
		return BID_ACCESS_CALLER;
	if (!(file->f_mode & FMODE_CAN_READ) || !file->f_op->read_iter) {
		*reason = BUILDID_REASON_UNREADABLE;
		return BID_ACCESS_NEVER;
	}
	/* to hold it would keep others from running what it writes */
	if (file->f_mode & FMODE_WRITE)
		return BID_ACCESS_CALLER;
	return is_local(inode) ? BID_ACCESS_FILE : BID_ACCESS_REMOTE;
}

static u32 name_flags(const struct file *file, const struct dentry *dentry)
{
	const struct inode *inode = file_inode(file);
	u32 flags = 0;

	if (!inode->i_nlink || d_unlinked(dentry))
		flags |= BUILDID_FILE_DELETED;
	/* the kernel's own mount of shmem or hugetlbfs: no user chose the name */
	if ((inode->i_sb->s_magic == TMPFS_MAGIC || inode->i_sb->s_magic == HUGETLBFS_MAGIC) &&
	    inode->i_sb->s_flags & SB_KERNMOUNT && str_has_prefix(dentry->d_name.name, "memfd:"))
		flags |= BUILDID_FILE_MEMFD;
	return flags;
}

/**
 * bid_file_path() - a file's path as the current process sees it
 * @file: it
 * @buf: room for the path
 * @size: of @buf
 * @path: where in @buf it is, and what to know of it
 */
void bid_file_path(const struct file *file, char *buf, size_t size, struct bid_path *path)
{
	static const char deleted[] = " (deleted)";
	const struct path *user = file_user_path(file);
	char *name;
	size_t len;

	path->flags = name_flags(file, user->dentry);
	name = d_path(user, buf, size);
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

/* Any user may nest directories as deep as he likes: what d_path() is good for. */
#define DEPTH_MAX 128

static bool is_deep(const struct dentry *dentry)
{
	u32 depth;

	for (depth = 0; depth < DEPTH_MAX && !IS_ROOT(dentry); depth++)
		dentry = READ_ONCE(dentry->d_parent);
	return depth == DEPTH_MAX;
}

/**
 * bid_file_path_atomic() - bid_file_path() with preemption off
 * @file: it
 * @buf: room for the path
 * @size: of @buf
 * @path: where in @buf it is, and what to know of it
 *
 * No more than the last components where the whole path would take too long, and
 * on PREEMPT_RT, where d_path() takes locks that sleep.
 */
void bid_file_path_atomic(const struct file *file, char *buf, size_t size, struct bid_path *path)
{
	const struct dentry *dentry = file_user_path(file)->dentry;

	if (!IS_ENABLED(CONFIG_PREEMPT_RT) && !is_deep(dentry)) {
		bid_file_path(file, buf, size, path);
		return;
	}
	path->len = scnprintf(buf, size, "%pd4", dentry);
	path->name = buf;
	path->flags = name_flags(file, dentry) | BUILDID_FILE_PATH_PART;
}

/* Different pages looked at in turn, which is what a hostile file costs most. */
#define RESIDENT_PAGES 8

static noinline int get_page_at(struct bid_resident *resident, pgoff_t index)
{
	struct page *page;

	bid_resident_done(resident);
	if (!resident->pages)
		return -EAGAIN;
	resident->pages--;
	page = pagecache_get_page(resident->mapping, index, 0, 0);
	if (!page)
		return -EAGAIN;
	if (!bid_page_is_good(page)) {
		put_page(page);
		return -EAGAIN;
	}
	resident->page = page;
	resident->index = index;
	return 0;
}

static __always_inline int hold_page(struct bid_resident *resident, pgoff_t index)
{
	return likely(resident->index == index) ? 0 : get_page_at(resident, index);
}

/* The page stays until the next read or look; its bytes may change. */
static const void *resident_look(struct bid_reader *reader, u64 off, size_t len)
{
	struct bid_resident *resident = container_of(reader, struct bid_resident, reader);

	if (offset_in_page(off) + len > PAGE_SIZE || hold_page(resident, off >> PAGE_SHIFT))
		return NULL;
	/* no page of a 64-bit kernel has to be mapped first */
	return page_address(resident->page) + offset_in_page(off);
}

static int resident_read(struct bid_reader *reader, u64 off, void *buf, size_t len)
{
	struct bid_resident *resident = container_of(reader, struct bid_resident, reader);

	while (len) {
		size_t in_page = offset_in_page(off);
		size_t n = min_t(size_t, len, PAGE_SIZE - in_page);

		if (hold_page(resident, off >> PAGE_SHIFT))
			return -EAGAIN;
		memcpy(buf, page_address(resident->page) + in_page, n);
		buf += n;
		off += n;
		len -= n;
	}
	return 0;
}

void bid_resident_init(struct bid_resident *resident, struct inode *inode)
{
	resident->reader.read = resident_read;
	resident->reader.look = resident_look;
	resident->reader.size = i_size_read(inode);
	resident->mapping = inode->i_mapping;
	resident->page = NULL;
	resident->index = BID_NO_PAGE;
	resident->pages = RESIDENT_PAGES;
}

void bid_resident_done(struct bid_resident *resident)
{
	if (resident->page)
		put_page(resident->page);
	resident->page = NULL;
	resident->index = BID_NO_PAGE;
}
