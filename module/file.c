// SPDX-License-Identifier: GPL-2.0
/*
 * All that depends on which filesystem a file is on is here.
 *
 * No inode, file or mount is pinned to know what became of it. An inode is recognized
 * by its key (device, inode number, generation), and a change of its content by the
 * version (ctime, mtime, size, change counter). That can go wrong in three ways, and
 * each has its own answer:
 *
 * - The version does not move although the content does: right after a change, as time
 *   stamps are coarse (bid_file_racy()), and by stores to a mapping or by writers that
 *   have it open (bid_file_unstable()). Such content is read again at the next mapping.
 * - The device number is used again by another filesystem: see bid_file_epochs.
 * - The version moves while it is sampled, as nothing is locked: it then matches none,
 *   and the content is read again.
 *
 * Most of it is called with preemption off, in the hook: it neither sleeps nor
 * allocates, and takes no lock but those of d_path() and of btrfs' getattr().
 */
#include <linux/dcache.h>
#include <linux/exportfs.h>
#include <linux/fs_struct.h>
#include <linux/jiffies.h>
#include <linux/magic.h>
#include <linux/nfs_fs.h>
#include <linux/pagemap.h>
#include <linux/seqlock.h>
#include <linux/stat.h>
#include <linux/timekeeping.h>
#include <linux/user_namespace.h>

#include "compat.h"
#include "file.h"

/* These are not in <linux/magic.h>, or not on all kernels. */
#define BCACHEFS_SUPER_MAGIC 0xca451a4e
#define HFS_SUPER_MAGIC	     0x4244
#define JFS_SUPER_MAGIC	     0x3153464a
#define NTFS3_SUPER_MAGIC    0x7366746e
#define UBIFS_SUPER_MAGIC    0x24051905

/*
 * Device numbers are used again, and reproducible filesystem images have the same inode
 * numbers and time stamps with other content. So each number has an epoch, a part of
 * every version, that ends when a superblock with that number is shut down: then no
 * entry of that device matches any more.
 */
atomic_t bid_file_epochs[2 << BID_EPOCH_BITS];

/**
 * bid_file_end_epoch() - make all that is known of a filesystem out of date
 * @sb: its superblock, which is being shut down
 *
 * Called by the hook on generic_shutdown_super(), before the number is free again.
 */
void bid_file_end_epoch(const struct super_block *sb)
{
	/* no file of it was ever identified */
	if (!(sb->s_iflags & SB_I_NOEXEC))
		atomic_inc(&bid_file_epochs[bid_file_epoch_index(sb->s_dev)]);
}

/**
 * bid_file_inode() - the inode whose pages are mapped when a file is
 * @file: from a mapping, or from a file descriptor
 *
 * On overlayfs a descriptor has overlayfs's own inode, a mapping the real one already. With
 * O_PATH nothing may have looked for the data yet, which may be gone: it is that of the
 * metadata then.
 */
struct inode *bid_file_inode(const struct file *file)
{
	struct inode *inode = file_inode(file);

	if (inode->i_sb->s_magic != OVERLAYFS_SUPER_MAGIC)
		return inode;
	return file->f_mode & FMODE_PATH ? BID_METADATA_INODE(file->f_path.dentry) :
					   d_real_inode(file->f_path.dentry);
}

/*
 * On btrfs each subvolume has its own inode numbers, and on bcachefs a snapshot the same ones;
 * on FUSE the server chooses them, and files of one number differ in the node. The file handle
 * says which it is.
 */
static noinline u64 handle_tree(struct inode *inode)
{
	const struct export_operations *ops = inode->i_sb->s_export_op;
	u32 handle[16];
	int words = ARRAY_SIZE(handle);

	if (!ops || !ops->encode_fh)
		return 0;
	if (ops->encode_fh(inode, handle, &words, NULL) == FILEID_INVALID || words < 3)
		return 0;
	if (inode->i_sb->s_magic == FUSE_SUPER_MAGIC)
		return (u64)handle[0] << 32 | handle[1];
	return words < 4 ? 0 : handle[2] | (u64)handle[3] << 32;
}

/* What bid_key.tree is for @inode. */
u64 bid_file_tree(struct inode *inode)
{
	unsigned long magic = inode->i_sb->s_magic;

	if (unlikely(magic == BTRFS_SUPER_MAGIC || magic == BCACHEFS_SUPER_MAGIC ||
		     magic == FUSE_SUPER_MAGIC))
		return handle_tree(inode);
	return 0;
}

static noinline void subvolume_dev(const struct path *path, dev_t *dev)
{
	struct kstat stat;

	if (!vfs_getattr_nosec(path, &stat, STATX_INO, AT_STATX_DONT_SYNC))
		*dev = stat.dev;
}

/**
 * bid_file_user_ids() - inode number and device of a file as users see them
 * @file: from a mapping, or from a file descriptor
 * @ino: set to the inode number
 * @dev: set to the device
 *
 * What /proc/PID/maps shows, except on btrfs: there the device is the subvolume's, as
 * from stat(2), as the superblock's does not tell whose inode number it is. With
 * preemption off on PREEMPT_RT it is the superblock's on btrfs, too, as
 * vfs_getattr_nosec() takes locks that sleep there.
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
 * Nothing is locked: one that is sampled while it moves matches none, and the content is
 * read again. Any context.
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
 * bid_file_arm_version() - make the next change of an inode move its change counter
 * @inode: the inode, which is about to be read
 *
 * A filesystem need not move the counter as long as nobody has queried it.
 */
void bid_file_arm_version(struct inode *inode)
{
	if (IS_I_VERSION(inode))
		inode_query_iversion(inode);
}

/**
 * bid_file_unstable() - may the content change while the version stays as it is?
 * @inode: the inode
 *
 * A writer moves the time stamps before it copies the data, and stores to a shared
 * mapping move them only when the page is cleaned. A memfd does not count those that
 * have it open for writing; they hold its lock while they write. Any context.
 */
bool bid_file_unstable(struct inode *inode)
{
	return inode_is_open_for_write(inode) || mapping_writably_mapped(inode->i_mapping) ||
	       (inode->i_sb->s_magic == TMPFS_MAGIC && inode_is_locked(inode));
}

/*
 * Filesystems that read a page given nothing but the inode. Others may need an open file,
 * which keeps its mount busy.
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
	case EXFAT_SUPER_MAGIC:
		return true;
	default:
		return false;
	}
}

/* Filesystems that read from a disk of this machine, and so in bounded time. */
static bool is_local(const struct inode *inode)
{
	if (IS_DAX(inode))
		return true;
	switch (inode->i_sb->s_magic) {
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

/*
 * A filesystem that is stacked on another one, as eCryptfs is, may be so on a user's FUSE. A
 * regular file of overlayfs is that of a layer here, see bid_file_inode().
 */
static bool may_be_fuse(const struct super_block *sb)
{
	return sb->s_magic == FUSE_SUPER_MAGIC ||
	       (sb->s_stack_depth && sb->s_magic != OVERLAYFS_SUPER_MAGIC);
}

/* ctime is mtime there, at the latest when the inode is read again, and who may write sets that. */
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
 * bid_file_racy() - may the content change again without moving the version?
 * @inode: the inode
 * @version: its version, sampled before this call
 * @access: how the file is read
 *
 * It may while ctime is so young that the next change would get the same one. Time
 * stamps move once a tick and are stored as precisely as the filesystem can: exFAT has
 * units of two seconds. A server may be ahead of our clock or behind it. Who mounts in a user
 * namespace of his own may turn the change counter off, and on again. Any context.
 */
bool bid_file_racy(struct inode *inode, const struct bid_version *version, enum bid_access access)
{
	const struct super_block *sb = inode->i_sb;
	s64 settle = max_t(s64, TICK_NSEC, sb->s_time_gran) + TICK_NSEC;
	struct timespec64 now;

	if (IS_I_VERSION(inode) && sb->s_user_ns == &init_user_ns)
		return false;
	if (has_no_ctime(sb))
		return true;
	if (sb->s_magic == EXFAT_SUPER_MAGIC || access > BID_ACCESS_FILE)
		settle = 2 * (s64)NSEC_PER_SEC + TICK_NSEC;
	ktime_get_coarse_real_ts64(&now);
	return version->ctime > bid_time_ns(now) - settle;
}

/**
 * bid_file_may_read() - would read(2) of this open file be allowed to the caller now?
 * @file: the file
 *
 * LSMs and fanotify listeners are asked, as they are for each read(2): what was allowed when
 * it was opened need not be any more. Process context; waits for such a listener.
 *
 * Return: 0; -EBADF when it is not open for reading; or what read(2) would fail with.
 */
int bid_file_may_read(struct file *file)
{
	loff_t pos = 0;

	return file->f_mode & FMODE_READ ? rw_verify_area(READ, file, &pos, 1) : -EBADF;
}

/**
 * bid_file_read_alone() - may a read of this file take i_rwsem exclusively?
 * @inode: the inode, with i_rwsem held
 *
 * Through the page cache where somebody reads it past that, and the other way round. Netfs does
 * not tell which way a read would go, and ceph not which way others do. Any context.
 */
bool bid_file_read_alone(struct inode *inode)
{
	switch (inode->i_sb->s_magic) {
	case NFS_SUPER_MAGIC:
		return test_bit(NFS_INO_ODIRECT, &NFS_I(inode)->flags);
	case CEPH_SUPER_MAGIC:
		return true;
	case AFS_FS_MAGIC:
	case CIFS_SUPER_MAGIC:
	case SMB2_SUPER_MAGIC:
	case V9FS_MAGIC:
		return BID_NETFS_LOCKS;
	default:
		return false;
	}
}

/**
 * bid_file_access() - who may read this file?
 * @file: the file
 * @inode: bid_file_inode() of it
 * @reason: set to enum buildid_reason with BID_ACCESS_NEVER
 *
 * Any context.
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
	/* shared anonymous memory, and that of shmget(2): memfds are not private */
	if (sb->s_magic == TMPFS_MAGIC && IS_PRIVATE(inode)) {
		*reason = BUILDID_REASON_UNREADABLE;
		return BID_ACCESS_NEVER;
	}
	/* in sysfs, proc and the like the content is generated by each read */
	if (!(file->f_mode & FMODE_READ) || sb->s_iflags & SB_I_NOEXEC) {
		*reason = BUILDID_REASON_UNREADABLE;
		return BID_ACCESS_NEVER;
	}
	if (reads_by_inode(inode))
		return BID_ACCESS_INODE;
	if (!(file->f_mode & FMODE_CAN_READ) || !file->f_op->read_iter) {
		*reason = BUILDID_REASON_UNREADABLE;
		return BID_ACCESS_NEVER;
	}
	if (may_be_fuse(sb) || sb->s_user_ns != &init_user_ns)
		return BID_ACCESS_CALLER;
	/* there read(2) waits for who writes from his own memory, and no lock tells */
	if (sb->s_magic == BCACHEFS_SUPER_MAGIC)
		return BID_ACCESS_CALLER;
	/* while it is held, exec of what is being written here fails with ETXTBSY */
	if (file->f_mode & FMODE_WRITE)
		return BID_ACCESS_CALLER;
	return is_local(inode) ? BID_ACCESS_FILE : BID_ACCESS_REMOTE;
}

/**
 * bid_file_user_overlay() - is this on an overlayfs that a user has mounted?
 * @path: file_user_path() of the file
 *
 * Its layers may be on FUSE, and any of its files, once it is written to. Any context.
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

	/* what a server passes through is another filesystem's, and only the path is its own */
	if (may_be_fuse(bid_file_inode(file)->i_sb) || may_be_fuse(dentry->d_sb) ||
	    bid_file_user_overlay(user))
		flags |= BUILDID_FILE_FUSE;
	/* it may get its last name, or lose it, at any time */
	if (!data_race(inode->i_nlink) || d_unlinked(dentry))
		flags |= BUILDID_FILE_DELETED;
	/* on the kernel's own mount of shmem or hugetlbfs no user chooses a name */
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
 * Takes the locks of d_path(). " (deleted)" is a flag and not a part of the path.
 */
void bid_file_path(const struct file *file, char *buf, size_t size, struct bid_path *path)
{
	static const char deleted[] = " (deleted)";
	const struct path *user = file_user_path(file);
	char *name;
	size_t len;

	path->flags = name_flags(file, user);
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

/*
 * Any user may nest directories as deep as he likes, and d_path() walks them all: each takes it
 * more than 100 instructions, and each byte of a name two, with what is done with it afterwards;
 * and as often as four times, while others rename and mount.
 */
#define DEPTH_MAX 32
#define BYTES_MAX 2048

/* As many, where the file is read as well. */
#define DEPTH_TO_READ 12
#define BYTES_TO_READ 512

/* Bytes of the path of the mount point, and of " (deleted)". He may stack mounts, too. */
#define ABOVE_MAX 200

/* How far a name is below its mount point, up to DEPTH_MAX + 1, and how long that path is. */
static u32 depth_of(const struct dentry *dentry, size_t *bytes)
{
	u32 depth;

	*bytes = 0;
	for (depth = 0; depth <= DEPTH_MAX; depth++) {
		/* it may be being renamed: then the path takes more room, or less */
		*bytes += data_race(dentry->d_name.len) + 1;
		if (IS_ROOT(dentry))
			break;
		dentry = READ_ONCE(dentry->d_parent);
	}
	return depth;
}

/*
 * What d_path() finds, without a lock: on the mount that is current's root. On another one the
 * part below the mount point. False where there is neither, where it is deep, and while a
 * directory is being renamed.
 */
static bool lockless_path(const struct path *user, char *buf, size_t size, struct bid_path *path)
{
	/* reading that of the lock, rename_lock.seqcount, may take the lock on PREEMPT_RT */
	const seqcount_t *renames = &rename_lock.seqcount.seqcount;
	unsigned int seq = raw_read_seqcount(renames);
	/* if another thread calls chroot() meanwhile, either answer is right */
	const struct path *root = &current->fs->root;
	bool whole = READ_ONCE(root->mnt) == user->mnt;
	const struct dentry *top = whole ? READ_ONCE(root->dentry) : user->mnt->mnt_root;
	const struct dentry *dentry = user->dentry;
	char name[NAME_MAX + 1], *at = buf + size;
	u32 depth = 0;
	ssize_t len;

	if (seq & 1)
		return false;
	for (; dentry != top; dentry = READ_ONCE(dentry->d_parent)) {
		/* a rename may change it meanwhile, but not take its NUL away */
		len = strscpy(name, READ_ONCE(dentry->d_name.name), sizeof(name));
		/* counted here, as a directory may be moved to where it is deep meanwhile */
		if (depth++ == DEPTH_MAX || IS_ROOT(dentry) || len < 0 || len >= at - buf)
			return false;
		at -= len;
		memcpy(at, name, len);
		*--at = '/';
	}
	if (read_seqcount_retry(renames, seq) || at == buf + size)
		return false;
	if (!whole) {
		path->flags |= BUILDID_FILE_PATH_PART;
		at++;
	}
	path->name = at;
	path->len = buf + size - at;
	return true;
}

/**
 * bid_file_path_atomic() - bid_file_path() with preemption off
 * @file: the file
 * @buf: room for the path
 * @size: of @buf
 * @path: filled in; points into @buf
 *
 * With BUILDID_FILE_PATH_PART it is the last four components, where the whole path would, or
 * may, take too long; or on PREEMPT_RT, where d_path() takes locks that sleep, those below the
 * mount point, unless that is the process's root directory.
 *
 * Return: whether that took so little that there is time to read the file as well.
 */
bool bid_file_path_atomic(const struct file *file, char *buf, size_t size, struct bid_path *path)
{
	const struct path *user = file_user_path(file);
	const struct dentry *dentry = user->dentry;
	size_t bytes;
	u32 depth;

	if (!IS_ENABLED(CONFIG_PREEMPT_RT)) {
		depth = depth_of(dentry, &bytes);
		if (depth <= DEPTH_MAX && bytes <= BYTES_MAX) {
			/* which it walks until that is full */
			bid_file_path(file, buf, min(size, bytes + ABOVE_MAX), path);
			if (path->name)
				return depth <= DEPTH_TO_READ && bytes <= BYTES_TO_READ;
		}
	}
	path->flags = name_flags(file, user);
	if (IS_ENABLED(CONFIG_PREEMPT_RT) && lockless_path(user, buf, size, path))
		return false;
	path->name = buf;
	if (IS_ROOT(dentry)) {
		/* of memory, a memfd for one */
		path->len = scnprintf(buf, size, "/%pd", dentry);
	} else {
		path->len = scnprintf(buf, size, "%pd4", dentry);
		/* that has fewer, and begins with the mount point */
		if (buf[0] == '/') {
			path->name++;
			path->len--;
		}
		path->flags |= BUILDID_FILE_PATH_PART;
	}
	return false;
}

/* A hostile file makes the parser go to another page for each header. */
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

/* The page is held until the next read or look. Its bytes may change meanwhile. */
static const void *resident_look(struct bid_reader *reader, u64 off, size_t len)
{
	struct bid_resident *resident = container_of(reader, struct bid_resident, reader);

	if (offset_in_page(off) + len > PAGE_SIZE || hold_page(resident, off >> PAGE_SHIFT))
		return NULL;
	/* a 64-bit kernel has no highmem */
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

/* Any context. Undone by bid_resident_done(). */
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

/* Drops the page that is held; it can be read from again. Not atomic on PREEMPT_RT. */
void bid_resident_done(struct bid_resident *resident)
{
	if (resident->page)
		put_page(resident->page);
	resident->page = NULL;
	resident->index = BID_NO_PAGE;
}
