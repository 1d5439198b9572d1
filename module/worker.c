// SPDX-License-Identifier: GPL-2.0
/*
 * Reads files where one may sleep: in a workqueue, on behalf of mappings that are
 * PENDING, and for ioctl callers in their own context (bid_worker_identify()).
 *
 * How: through the page cache, as a fault in the mapping would read the file: under
 * invalidate_lock, which keeps truncation and hole punching away, without readahead,
 * and with no effect on the file or those that have it open. What has no page in a file
 * that is nothing but memory is zeros, and is read as such without allocating a page.
 * Files whose pages may be read only by their filesystem's own read_iter are read by that,
 * unless somebody has them locked: he may wait for memory that some user serves.
 *
 * The rules:
 * - No lock of this module is held while a file is read or released. The cache lock is
 *   taken before, to get the request, and after, to store the result.
 * - What one file may cost is bounded: notes, bytes, pages, attempts.
 * - A device gets at most a quarter of the requests, and of those that the workqueue runs
 *   at a time: its disk or server may be slow, or never answer. A user other than root gets
 *   half of that. All servers count as one device. Files of servers have a workqueue of
 *   their own, too.
 * - A file that only a process should read (BID_ACCESS_CALLER) is never read here: its
 *   server may be any user, who could make the worker wait for ever.
 * - A request does not keep its mount busy where the inode is enough to read. It holds
 *   the superblock's s_umount, for which umount(2) waits: the device below is free when
 *   that returns. When nothing is mounted any more, the request gives up. Whoever else
 *   waits for s_umount, to remount or to freeze, goes first: nobody waits for more than a
 *   page. A request that may have to wait for others to be read does not hold it.
 * - The result counts for the version that the hook saw. When the version moved
 *   meanwhile it may be of another content: see identify().
 */
#include <linux/delay.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/magic.h>
#include <linux/pagemap.h>
#include <linux/random.h>
#include <linux/sched/signal.h>
#include <linux/shmem_fs.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>
#include <linux/uio.h>
#include <crypto/sha2.h>

#include "compat.h"
#include "cookie.h"
#include "event.h"
#include "stats.h"
#include "user.h"
#include "worker.h"

/* How often to read when the version moves meanwhile. */
#define ATTEMPTS 4

/* Enough for any real file, and a bound on what a hostile one can cost. */
static const struct bid_elf_limits limits = {
	.notes = 65536,
	.bytes = 16 << 20,
};

/* Pages read for one file, all attempts together. */
#define PAGES_MAX 4096

/* How long one file may wait for others to have its superblock, all pages together. */
#define WAIT_MAX (5 * NSEC_PER_SEC)

/* Bytes of a file that is removed at once, while umount(2), remount or freeze may wait for it. */
#define LARGE (16 << 20)

#define HASH_PART  4096
#define HASH_PAGES 4U /* two for each part, where it is not aligned */
#define HASH_LEN   16

/* Requests that run at a time, in each workqueue: what the oldest kernel allows. */
#define RUNNING 512
/* With several nodes they are shared out by processors; this many run on any of them. */
#define RUNNING_ON_NODE 8

#define USAGE_BITS 8

static struct {
	struct bid_request *requests;
	u32 count;
	u32 share;	/* of a device */
	u32 user_share; /* of a user, so that the device of one user's files serves others */
	u32 busy;
	u32 sure;		      /* to run, however many are in use */
	u32 devices[1 << USAGE_BITS]; /* requests in use by device, hashed */
	u32 users[1 << USAGE_BITS];   /* likewise by user */
	u32 key;		      /* of the hash; odd */
	struct list_head free;
	struct workqueue_struct *local;
	struct workqueue_struct *remote;
	struct workqueue_struct *puts;
} worker;

/**
 * struct slow_reader - reads a file where one may sleep
 * @reader: the parser's interface to it
 * @held: the file
 * @by_file: use read_iter and not @inode's pages
 * @pages: how many more pages may be read
 * @index: of the page read last
 * @copy: of that page, as notes may be a few bytes each
 * @waited: for the superblock, or for others who read or write the file, in nanoseconds
 */
struct slow_reader {
	struct bid_reader reader;
	struct bid_held *held;
	bool by_file;
	u32 pages;
	pgoff_t index;
	u8 *copy;
	u64 waited;
};

/*
 * What a filesystem, or the server behind it, says of a read. It may be any number, and is
 * not to be taken for one that has a meaning here.
 */
static int read_error(int err)
{
	if ((err == -EINTR || err == -ERESTARTSYS) && signal_pending(current))
		return -EINTR;
	return -EIO;
}

/* Whether a read would get i_rwsem now. */
static bool is_unlocked(struct inode *inode)
{
	bool alone;

	if (!inode_trylock_shared(inode))
		return false;
	alone = bid_file_read_alone(inode);
	inode_unlock_shared(inode);
	if (!alone)
		return true;
	if (!inode_trylock(inode))
		return false;
	inode_unlock(inode);
	return true;
}

/*
 * read_iter may wait for i_rwsem. Who writes has that while he faults in memory that some user may
 * be serving (FUSE, userfaultfd), and so has who reads directly, or at all where it is read alone.
 * So it is waited for here, and not for ever; who takes it just after this has to be lucky, once
 * for each page.
 */
static bool wait_for_others(struct slow_reader *slow)
{
	struct inode *inode = slow->held->inode;
	u64 start = ktime_get_mono_fast_ns();
	bool free;
	u32 us;

	for (us = 50; !(free = is_unlocked(inode)) && us < 50 * USEC_PER_MSEC; us *= 2) {
		if (slow->waited + ktime_get_mono_fast_ns() - start >= WAIT_MAX)
			break;
		usleep_range(us, 2 * us);
	}
	slow->waited += ktime_get_mono_fast_ns() - start;
	return free;
}

/* kernel_read() would take over O_DIRECT, which filesystems need not do to kernel memory. */
static ssize_t read_some(struct file *file, loff_t pos, void *buf, size_t len)
{
	struct kvec vec = { .iov_base = buf, .iov_len = len };
	struct iov_iter to;
	struct kiocb iocb;

	init_sync_kiocb(&iocb, file);
	iocb.ki_flags &= ~IOCB_DIRECT;
	iocb.ki_pos = pos;
	iov_iter_kvec(&to, ITER_DEST, &vec, 1, len);
	return file->f_op->read_iter(&iocb, &to);
}

static int read_file(struct slow_reader *slow, u64 off, void *buf, size_t len)
{
	ssize_t n;

	/* a server may say that it is so large */
	if (off > LLONG_MAX - len)
		return -EIO;
	for (; len; buf += n, off += n, len -= n) {
		if (!wait_for_others(slow))
			return -ESTALE;
		n = read_some(slow->held->file, off, buf, len);
		if (n < 0)
			return read_error(n);
		if (!n)
			return -ESTALE; /* shorter than it was a moment ago */
	}
	return 0;
}

/* Every page of such a file is in the page cache or swapped out, or is a hole. */
static bool is_memory(const struct inode *inode)
{
	return inode->i_sb->s_magic == TMPFS_MAGIC || inode->i_sb->s_magic == RAMFS_MAGIC;
}

static bool is_swapped(struct address_space *mapping, pgoff_t index)
{
	return xa_is_value(xa_load(&mapping->i_pages, index));
}

/*
 * shmem_read_mapping_page() would allocate a page in a hole, so none may be punched
 * here meanwhile: take i_rwsem. Only try: a writer holds it while it faults in memory
 * that some user may be serving (FUSE, userfaultfd).
 */
static struct page *swap_in(struct address_space *mapping, pgoff_t index)
{
	struct page *page = ERR_PTR(-ESTALE);

	if (!down_read_trylock(&mapping->host->i_rwsem))
		return page;
	if (is_swapped(mapping, index))
		page = shmem_read_mapping_page(mapping, index);
	up_read(&mapping->host->i_rwsem);
	return page;
}

/*
 * NULL for a page of zeros. That is one which is not up to date under its lock: without, it
 * may be on its way to another page, or from the disk.
 */
static struct page *memory_page(struct address_space *mapping, pgoff_t index)
{
	struct page *page = pagecache_get_page(mapping, index, FGP_LOCK, 0);
	bool written;
	void *entry;

	if (!page) {
		entry = xa_load(&mapping->i_pages, index);
		if (entry && !xa_is_value(entry))
			return ERR_PTR(-ESTALE); /* it came meanwhile */
		return entry ? swap_in(mapping, index) : NULL;
	}
	written = PageUptodate(page);
	unlock_page(page);
	if (written)
		return page;
	put_page(page);
	return NULL;
}

/* Undone by unlock_superblock(), in another task. Any context. */
static bool lock_superblock(struct super_block *sb)
{
	if (!down_read_trylock(&sb->s_umount))
		return false;
	/* for lockdep a task that has a lock gives it back */
	rwsem_release(&sb->s_umount.dep_map, _THIS_IP_);
	return true;
}

static void unlock_superblock(struct super_block *sb)
{
	/* whoever waits for it may free the superblock, by RCU, before up_read() is through */
	rcu_read_lock();
	up_read_non_owner(&sb->s_umount);
	rcu_read_unlock();
}

/* Where s_umount is held. The superblock has been active as long as that. */
static void keep_active(struct bid_held *held)
{
	struct super_block *sb = held->inode->i_sb;

	atomic_inc(&sb->s_active);
	unlock_superblock(sb);
	held->locked = false;
}

/*
 * invalidate_lock is held for one page at a time, so that truncation need not wait. Where that
 * has it for long, whoever waits for s_umount does not.
 */
static struct page *disk_page(struct bid_held *held, struct address_space *mapping, pgoff_t index)
{
	struct page *page = ERR_PTR(-ESTALE);

	if (!filemap_invalidate_trylock_shared(mapping)) {
		if (held->locked)
			keep_active(held);
		filemap_invalidate_lock_shared(mapping);
	}
	if (index < DIV_ROUND_UP(i_size_read(mapping->host), PAGE_SIZE)) {
		page = read_mapping_page(mapping, index, held->file);
		if (IS_ERR(page))
			page = ERR_PTR(read_error(PTR_ERR(page)));
	}
	filemap_invalidate_unlock_shared(mapping);
	return page;
}

static int copy_page_part(struct page *page, void *buf, size_t len)
{
	char *addr;

	if (!page) {
		memset(buf, 0, len);
		return 0;
	}
	if (!bid_page_is_good(page)) {
		put_page(page);
		return -EIO;
	}
	addr = kmap_local_page(page);
	memcpy(buf, addr, len);
	kunmap_local(addr);
	put_page(page);
	return 0;
}

static int read_page(struct bid_held *held, pgoff_t index, void *buf, size_t len)
{
	struct address_space *mapping = held->inode->i_mapping;
	struct page *page;

	if (((u64)index << PAGE_SHIFT) + len > i_size_read(held->inode))
		return -ESTALE;
	page = is_memory(held->inode) ? memory_page(mapping, index) :
					disk_page(held, mapping, index);
	return IS_ERR(page) ? PTR_ERR(page) : copy_page_part(page, buf, len);
}

/* The reverse, with s_umount just taken. Fails when nobody else needs the superblock. */
static bool drop_active(struct bid_held *held)
{
	struct super_block *sb = held->inode->i_sb;

	held->locked = atomic_add_unless(&sb->s_active, -1, 1);
	if (!held->locked)
		unlock_superblock(sb);
	return held->locked;
}

/* s_umount in place of the active reference, unless somebody has or awaits it. */
static void lock_in_place(struct bid_held *held)
{
	if (lock_superblock(held->inode->i_sb))
		drop_active(held);
}

/*
 * Gets s_umount after those who wait for it, whom down_read() alone would overtake. Fails
 * when nobody else needs the superblock.
 */
static bool queue_for_superblock(struct bid_held *held)
{
	struct super_block *sb = held->inode->i_sb;
	u32 us;

	if (held->locked)
		keep_active(held);
	/* soon, as they may be done soon; but any user can have somebody wait all the time */
	for (us = 50; us < 50 * USEC_PER_MSEC && rwsem_is_contended(&sb->s_umount); us *= 2) {
		if (!BID_IS_MOUNTED(sb))
			return false;
		usleep_range(us, 2 * us);
	}
	/* to be woken by whoever has it now: until then the superblock is active */
	down_read(&sb->s_umount);
	rwsem_release(&sb->s_umount.dep_map, _THIS_IP_);
	return drop_active(held);
}

/* Whether to read on. Nobody waits for more of this than a page, nor does this wait for ever. */
static bool is_wanted(struct slow_reader *slow)
{
	struct bid_held *held = slow->held;
	struct super_block *sb = held->inode->i_sb;
	bool awaited = !held->locked || rwsem_is_contended(&sb->s_umount), wanted;
	u64 start;

	/* umount(2) takes the mount away, and then waits */
	smp_rmb();
	if (!BID_IS_MOUNTED(sb))
		return false;
	if (!awaited)
		return true;
	/* nobody unmounts or remounts it, and any user can want it: let him have it */
	if (sb->s_flags & SB_KERNMOUNT) {
		if (held->locked)
			keep_active(held);
		return true;
	}
	/* no remount is read-only as long as there is a file to be removed */
	if (!data_race(held->inode->i_nlink) || slow->waited >= WAIT_MAX)
		return false;
	start = ktime_get_mono_fast_ns();
	wanted = queue_for_superblock(held);
	slow->waited += ktime_get_mono_fast_ns() - start;
	return wanted;
}

/* -EDQUOT, which read_error() does not return, when the file has too many pages. */
static int get_copy(struct slow_reader *slow, pgoff_t index)
{
	u64 off = (u64)index << PAGE_SHIFT;
	size_t len = min_t(u64, slow->reader.size - off, PAGE_SIZE);
	int err;

	if (slow->index == index)
		return 0;
	if (fatal_signal_pending(current))
		return -EINTR;
	if (!slow->pages)
		return -EDQUOT;
	slow->pages--;
	slow->index = BID_NO_PAGE;
	if (!slow->held->file && !is_wanted(slow))
		return -ESHUTDOWN;
	cond_resched();
	err = slow->by_file ? read_file(slow, off, slow->copy, len) :
			      read_page(slow->held, index, slow->copy, len);
	if (!err)
		slow->index = index;
	return err;
}

static int slow_read(struct bid_reader *reader, u64 off, void *buf, size_t len)
{
	struct slow_reader *slow = container_of(reader, struct slow_reader, reader);
	size_t at, n;
	int err;

	for (; len; buf += n, off += n, len -= n) {
		err = get_copy(slow, off >> PAGE_SHIFT);
		if (err)
			return err;
		at = offset_in_page(off);
		n = min_t(size_t, len, PAGE_SIZE - at);
		memcpy(buf, slow->copy + at, n);
	}
	return 0;
}

/* OpenTelemetry's htlhash: head, tail, length. */
static int hash(struct bid_reader *reader, struct bid_identity *id)
{
	u32 part = min_t(u64, reader->size, HASH_PART);
	u8 digest[SHA256_DIGEST_SIZE];
	__be64 size = cpu_to_be64(reader->size);
	u8 *buf;
	int err;

	buf = kmalloc(2 * part + sizeof(size), GFP_KERNEL);
	if (!buf)
		return -ENOMEM;
	err = reader->read(reader, 0, buf, part);
	if (!err)
		err = reader->read(reader, reader->size - part, buf + part, part);
	if (!err) {
		memcpy(buf + 2 * part, &size, sizeof(size));
		sha256(buf, 2 * part + sizeof(size), digest);
		id->kind = BUILDID_KIND_HTLHASH;
		id->len = HASH_LEN;
		memcpy(id->bytes, digest, HASH_LEN);
	}
	kfree(buf);
	return err;
}

/* The identity of a file without a build-id: fs-verity, a cookie, or a hash. */
static int fall_back(struct inode *inode, const struct bid_version *version,
		     struct bid_reader *reader, struct bid_identity *id)
{
	u8 digest[FS_VERITY_MAX_DIGEST_SIZE];
	int len = fsverity_get_digest(inode, digest, NULL, NULL);

	BUILD_BUG_ON(FS_VERITY_MAX_DIGEST_SIZE > BUILDID_ID_MAX);
	if (len <= 0)
		return bid_cookie_of_file(inode, version, id) ? 0 : hash(reader, id);
	id->kind = BUILDID_KIND_FSVERITY;
	id->len = len;
	memcpy(id->bytes, digest, len);
	return 0;
}

/*
 * Only where a fault in the mapping would do no more than that. Remote filesystems have
 * locks of their own around a read, and wait for a server: read_iter takes these locks,
 * and a signal can end it.
 */
static bool reads_pages(const struct bid_held *held)
{
	const struct inode *inode = held->inode;

	if (held->access == BID_ACCESS_INODE)
		return true;
	/* a page in the cache of a DAX file would be in the way of its faults */
	return held->access == BID_ACCESS_FILE && file_inode(held->file) == inode &&
	       !IS_DAX(inode) && inode->i_mapping->a_ops->read_folio;
}

/* Returns 0, or the error that the reader returned. */
static int read_attempt(struct slow_reader *slow, const struct bid_version *version,
			struct bid_identity *id)
{
	int err;

	slow->reader.size = version->size;
	slow->index = BID_NO_PAGE;
	err = bid_elf_identify(&slow->reader, &limits, id);
	if (err == -EDQUOT) {
		*id = (struct bid_identity){ .reason = BUILDID_REASON_LIMIT };
		err = 0;
	}
	slow->pages = max(slow->pages, HASH_PAGES);
	if (!err && id->kind == BUILDID_KIND_NONE)
		err = fall_back(slow->held->inode, version, &slow->reader, id);
	return err;
}

static int read_attempts(struct slow_reader *slow, struct bid_version *version,
			 struct bid_identity *id, bool *racy)
{
	struct inode *inode = slow->held->inode;
	struct bid_version after;
	int err, i;

	for (i = 0; i < ATTEMPTS; i++) {
		bid_file_arm_version(inode);
		bid_file_version(inode, version);
		*racy = bid_file_racy(inode, version, slow->held->access) ||
			bid_file_unstable(inode);
		err = slow->copy ? read_attempt(slow, version, id) : -ENOMEM;
		if (err == -EINTR)
			return err;
		bid_file_version(inode, &after);
		if (!bid_version_equal(version, &after) || err == -ESTALE)
			continue;
		if (err) {
			bid_stats_inc(BID_STAT_IO_ERRORS);
			*id = (struct bid_identity){ .reason = BUILDID_REASON_IO };
			*racy = true;
		}
		if (id->kind != BUILDID_KIND_GNU && id->kind != BUILDID_KIND_GO)
			bid_stats_inc(BID_STAT_NO_ID);
		return 0;
	}
	bid_stats_inc(BID_STAT_CHANGING);
	*id = (struct bid_identity){ .reason = BUILDID_REASON_CHANGING };
	*racy = true;
	return 0;
}

/**
 * bid_worker_identify() - identify a file by reading it
 * @held: the file; the caller has it held, by whatever
 * @version: set to the version that @id is for
 * @id: the identity, or the reason why there is none
 * @racy: set when the content may change without a change of version, or could not be
 *	read now but perhaps later
 *
 * With no lock held: may sleep, for long when a server is slow.
 *
 * Return: 0, or -EINTR when the task is being killed, or a signal has ended a read. Any
 * other failure is a reason in @id.
 */
int bid_worker_identify(struct bid_held *held, struct bid_version *version, struct bid_identity *id,
			bool *racy)
{
	struct slow_reader slow = {
		.reader.read = slow_read,
		.held = held,
		.by_file = !reads_pages(held),
		.pages = PAGES_MAX,
		.copy = kmalloc(PAGE_SIZE, GFP_KERNEL),
	};
	int err;

	if (!held->file && !held->locked)
		lock_in_place(held);
	err = read_attempts(&slow, version, id, racy);
	kfree(slow.copy);
	return err;
}

/* Several ids share a count. As the hash has a key, no user can choose with whom. */
static u32 *usage_of(u32 *counts, u32 id)
{
	return &counts[(id * worker.key) >> (32 - USAGE_BITS)];
}

/**
 * bid_worker_get_request() - get a free read request on behalf of current
 * @dev: device whose share it counts in
 *
 * Under bid_cache_lock(), so it does not sleep.
 *
 * Return: the request, or NULL when all are in use, or when this device has its share, or
 * this user (who may have several devices).
 */
struct bid_request *bid_worker_get_request(dev_t dev)
{
	u32 *device = usage_of(worker.devices, dev);
	u32 *user = usage_of(worker.users, __kuid_val(bid_user()));
	struct bid_request *request;

	bid_cache_assert_locked();
	if (*device >= worker.share ||
	    (*user >= worker.user_share && !uid_eq(current_uid(), GLOBAL_ROOT_UID))) {
		bid_stats_inc(BID_STAT_DEVICE_BUSY);
		return NULL;
	}
	request = list_first_entry_or_null(&worker.free, struct bid_request, free);
	if (!request)
		return NULL;
	list_del(&request->free);
	++*device;
	++*user;
	request->device = device;
	request->user = user;
	worker.busy++;
	request->entry = NULL;
	request->read = false;
	request->waiting = 0;
	return request;
}

/* The counterpart of bid_worker_get_request(), under bid_cache_lock() as well. */
void bid_worker_put_request(struct bid_request *request)
{
	bid_cache_assert_locked();
	list_add(&request->free, &worker.free);
	--*request->device;
	--*request->user;
	worker.busy--;
}

/**
 * bid_worker_hold() - hold a file that is going to be read
 * @held: filled in; undone by bid_worker_release()
 * @file: a file that is mapped or open, so that inode and superblock are alive
 * @inode: bid_file_inode() of it
 * @access: neither CALLER nor NEVER
 * @at_once: nothing is waited for before bid_worker_identify(): it may hold s_umount already. What
 *	waits for its turn may do so for ever, and who closes @file first for a thaw, which waits
 *	for s_umount
 *
 * Any context.
 */
void bid_worker_hold(struct bid_held *held, struct file *file, struct inode *inode,
		     enum bid_access access, bool at_once)
{
	held->access = access;
	held->inode = inode;
	held->file = NULL;
	held->locked = false;
	if (access != BID_ACCESS_INODE) {
		held->file = get_file(file);
		return;
	}
	ihold(inode);
	held->locked = at_once && lock_superblock(inode->i_sb);
	if (!held->locked)
		atomic_inc(&inode->i_sb->s_active);
}

/**
 * bid_worker_set_file() - have the request read a file, and not only store a path
 * @request: from bid_worker_get_request()
 * @file: as for bid_worker_hold()
 * @inode: likewise
 * @access: likewise
 *
 * The worker releases it. Any context.
 */
void bid_worker_set_file(struct bid_request *request, struct file *file, struct inode *inode,
			 enum bid_access access)
{
	request->read = true;
	bid_worker_hold(&request->held, file, inode, access, READ_ONCE(worker.busy) <= worker.sure);
}

/* To remove it takes long: its blocks, which XFS does not tell, or its pages. */
static bool is_large(const struct inode *inode)
{
	/* each of these may change at this moment, and any of their values is as good */
	blkcnt_t blocks = data_race(inode->i_blocks);
	/* likewise */
	unsigned long pages = data_race(inode->i_mapping->nrpages);

	/* likewise */
	return !data_race(inode->i_nlink) && (blocks >= LARGE >> 9 || pages >= LARGE >> PAGE_SHIFT);
}

static void release_inode(struct bid_held *held)
{
	struct super_block *sb = held->inode->i_sb;

	/*
	 * To evict the inode may have to wait for the thaw, and that for s_umount; as long as
	 * that is held nobody freezes or thaws. Nor is it held while much is removed.
	 */
	if (held->locked && (sb->s_writers.frozen != SB_UNFROZEN || is_large(held->inode)))
		keep_active(held);
	iput(held->inode);
	if (held->locked)
		unlock_superblock(sb);
	else
		deactivate_super(sb);
}

/**
 * struct put - a file that is to be closed now
 * @work: runs put_in_thread()
 * @file: the file
 */
struct put {
	struct work_struct work;
	struct file *file;
};

static void put_in_thread(struct work_struct *work)
{
	__fput_sync(container_of(work, struct put, work)->file);
}

/*
 * One whose server does not answer is in nobody's way but other servers'. Others have a queue of
 * their own, too: what waits for a thaw must not hold up requests that hold s_umount.
 */
static struct workqueue_struct *queue_for_put(enum bid_access access)
{
	return access == BID_ACCESS_REMOTE ? worker.remote : worker.puts;
}

/**
 * bid_worker_put_file() - what fput() does, done when this returns
 * @file: the file
 * @access: bid_file_access() of it
 *
 * Of the last reference fput() leaves the rest for later: a kernel thread to another one, and a
 * process to its return to user space, which may be far off. Until then the mount is busy. May
 * sleep; processes are frozen before the workqueue is.
 */
void bid_worker_put_file(struct file *file, enum bid_access access)
{
	struct put put = { .file = file };

	if (current->flags & PF_KTHREAD) {
		__fput_sync(file);
		return;
	}
	INIT_WORK_ONSTACK(&put.work, put_in_thread);
	queue_work(queue_for_put(access), &put.work);
	flush_work(&put.work);
	destroy_work_on_stack(&put.work);
}

/* The counterpart of bid_worker_hold(). May sleep. */
void bid_worker_release(struct bid_held *held)
{
	if (held->file)
		bid_worker_put_file(held->file, held->access);
	else
		release_inode(held);
}

/* unlink and chmod move ctime, and so the version, but not the content. */
static bool same_content(const struct bid_version *a, const struct bid_version *b)
{
	return a->mtime == b->mtime && a->size == b->size && a->epoch == b->epoch;
}

/*
 * The mapping was made of the entry's version, but what is read is the file's present
 * content. If mtime, size or epoch moved it may be another one, and does not identify
 * the mapping. @moved: the version did, in whatever respect.
 */
static void identify(struct bid_request *request, struct bid_identity *id, bool *recheck,
		     bool *moved)
{
	const struct bid_version *expected = &request->entry->version;
	struct bid_version version;

	*moved = false;
	/* kernel threads are not killed */
	bid_worker_identify(&request->held, &version, id, recheck);
	bid_stats_inc(BID_STAT_PARSED_WORKER);
	if (bid_version_equal(&version, expected))
		return;
	*moved = true;
	if (!same_content(&version, expected)) {
		bid_stats_inc(BID_STAT_CHANGING);
		*id = (struct bid_identity){ .reason = BUILDID_REASON_CHANGING };
	}
}

static void handle_request(struct work_struct *work)
{
	struct bid_request *request = container_of(work, struct bid_request, work);
	struct bid_entry *entry = request->entry;
	struct bid_path path = {
		.name = request->path_len ? request->path : NULL,
		.len = request->path_len,
		.flags = request->path_flags,
	};
	u32 recheck_seq = bid_cache_recheck_seq(&entry->key), flags;
	bool recheck = false, moved = false;
	struct bid_identity id = {};
	struct bid_text *text;

	if (request->read)
		identify(request, &id, &recheck, &moved);
	text = bid_text_alloc(&id, &path);
	if (!text && id.len > BID_ID_INLINE) {
		bid_stats_inc(BID_STAT_IO_ERRORS);
		id = (struct bid_identity){ .reason = BUILDID_REASON_IO };
		recheck = true;
	}

	rcu_read_lock();
	bid_cache_lock();
	/* an ioctl caller may have stored a text with path and identity meanwhile */
	if (text && (request->read || entry->flags & BID_ENTRY_NO_PATH))
		text = bid_cache_set_text(entry, text);
	if (request->read) {
		flags = entry->flags;
		if (recheck || recheck_seq != bid_cache_recheck_seq(&entry->key))
			flags |= BID_ENTRY_RECHECK;
		if (moved || bid_file_unstable(request->held.inode))
			flags |= BID_ENTRY_UNSTABLE | BID_ENTRY_RECHECK;
		WRITE_ONCE(entry->flags, flags);
		bid_entry_publish(entry, &id, BUILDID_STATE_KNOWN);
	}
	bid_cache_unlock();
	/* no subscriber is added to waiting once the entry is KNOWN */
	if (request->waiting)
		bid_event_file(entry, READ_ONCE(request->waiting));
	rcu_read_unlock();

	bid_text_free(text);
	if (request->read)
		bid_worker_release(&request->held);
	bid_cache_lock();
	bid_cache_request_done(entry);
	bid_worker_put_request(request);
	bid_cache_unlock();
}

/**
 * bid_worker_queue() - hand a request to the worker
 * @request: from bid_worker_get_request(), with its entry and path set
 *
 * Any context but NMI, under bid_cache_lock() too: the workqueue's lock is raw.
 */
void bid_worker_queue(struct bid_request *request)
{
	bool remote = request->read && request->held.access == BID_ACCESS_REMOTE;

	queue_work(remote ? worker.remote : worker.local, &request->work);
}

/**
 * bid_worker_forget_waiting() - send no more FILE records to subscribers that end
 * @slots: a bit for each
 *
 * Takes bid_cache_lock().
 */
void bid_worker_forget_waiting(u64 slots)
{
	u32 i;

	for (i = 0; i < worker.count; i++) {
		/* for each anew, as the hook waits for it */
		bid_cache_lock();
		worker.requests[i].waiting &= ~slots;
		bid_cache_unlock();
	}
}

u32 bid_worker_busy(void)
{
	return READ_ONCE(worker.busy);
}

/**
 * bid_worker_init() - allocate the requests and their workqueues
 * @requests: how many
 *
 * Return: 0 or -ENOMEM. May sleep.
 */
int bid_worker_init(u32 requests)
{
	u32 i;

	worker.busy = 0;
	worker.count = requests;
	worker.sure = num_online_nodes() > 1 ? RUNNING_ON_NODE : RUNNING;
	worker.share =
		clamp_t(u32, RUNNING / (4 * num_online_nodes()), 1, DIV_ROUND_UP(requests, 4));
	worker.user_share = DIV_ROUND_UP(worker.share, 2);
	memset(worker.devices, 0, sizeof(worker.devices));
	memset(worker.users, 0, sizeof(worker.users));
	worker.key = get_random_u32() | 1;
	INIT_LIST_HEAD(&worker.free);
	worker.requests = kvcalloc(requests, sizeof(*worker.requests), GFP_KERNEL);
	if (!worker.requests)
		return -ENOMEM;
	for (i = 0; i < requests; i++) {
		INIT_WORK(&worker.requests[i].work, handle_request);
		list_add_tail(&worker.requests[i].free, &worker.free);
	}
	worker.local = alloc_workqueue("buildid", WQ_UNBOUND | WQ_FREEZABLE, RUNNING);
	if (!worker.local)
		goto err_free_requests;
	/* not freezable: one that waits for its server would not let the machine suspend */
	worker.remote = alloc_workqueue("buildid_remote", WQ_UNBOUND, RUNNING);
	if (!worker.remote)
		goto err_destroy_local;
	worker.puts = alloc_workqueue("buildid_put", WQ_UNBOUND | WQ_FREEZABLE, RUNNING);
	if (!worker.puts)
		goto err_destroy_remote;
	return 0;

err_destroy_remote:
	destroy_workqueue(worker.remote);
err_destroy_local:
	destroy_workqueue(worker.local);
err_free_requests:
	kvfree(worker.requests);
	return -ENOMEM;
}

/* The hook is gone, so that nothing is queued any more. Waits for what is queued. */
void bid_worker_exit(void)
{
	destroy_workqueue(worker.puts);
	destroy_workqueue(worker.remote);
	destroy_workqueue(worker.local);
	kvfree(worker.requests);
	worker.count = 0;
}
