// SPDX-License-Identifier: GPL-2.0
/*
 * Files are read through the page cache, as a fault in the mapping would read
 * them: under the lock that keeps truncation and hole punching away, without
 * readahead, and with no trace in the file or in whoever has it open. What has no
 * page in a file that is nothing but memory is zeros, and stays without one.
 *
 * What reading one file may cost is bounded, and so is the share of the requests
 * that one device's files may have: its disk, server or user may be slow.
 */
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
#include <crypto/sha2.h>

#include "compat.h"
#include "cookie.h"
#include "event.h"
#include "stats.h"
#include "worker.h"

/* Tried again when the version moved under a read. */
#define ATTEMPTS 4

/* Generous for any real file, and a bound on what a hostile one can cost. */
static const struct bid_elf_limits limits = {
	.notes = 65536,
	.bytes = 16 << 20,
};

/* Pages for it, all attempts together. */
#define PAGES_MAX 4096

#define HASH_PART  4096
#define HASH_PAGES 4U /* at most two for each part */
#define HASH_LEN   16

#define USAGE_BITS 8

static struct {
	struct bid_request *requests;
	u32 count;
	u32 busy;
	u32 devices[1 << USAGE_BITS]; /* requests of each, by hash */
	u32 users[1 << USAGE_BITS];
	u32 key; /* of the hash, odd */
	struct list_head free;
	struct workqueue_struct *local;
	struct workqueue_struct *remote;
} worker;

/**
 * struct slow_reader - reads where one may sleep
 * @reader: to hand to the parser
 * @inode: what to read
 * @file: to read its pages with; may be NULL for BID_ACCESS_INODE
 * @by_file: read(2) in the kernel in place of @inode's pages
 * @pages: how many more may be read
 * @index: of the page read last
 */
struct slow_reader {
	struct bid_reader reader;
	struct inode *inode;
	struct file *file;
	bool by_file;
	u32 pages;
	pgoff_t index;
};

static int read_file(struct file *file, u64 off, void *buf, size_t len)
{
	loff_t pos = off;
	ssize_t n;

	while (len) {
		n = kernel_read(file, buf, len, &pos);
		if (n < 0)
			return n;
		if (!n)
			return -ESTALE; /* shorter than it was a moment ago */
		buf += n;
		len -= n;
	}
	return 0;
}

/* All of such a file is in the page cache, or swapped out. */
static bool is_memory(const struct inode *inode)
{
	return inode->i_sb->s_magic == TMPFS_MAGIC || inode->i_sb->s_magic == RAMFS_MAGIC;
}

static bool is_swapped(struct address_space *mapping, pgoff_t index)
{
	return xa_is_value(xa_load(&mapping->i_pages, index));
}

/*
 * A hole would be filled, so none may be punched meanwhile. Whoever holds the
 * inode's lock may be waiting for a user: one must not wait for it.
 */
static struct page *swap_in(struct address_space *mapping, pgoff_t index)
{
	struct page *page = NULL;

	if (!down_read_trylock(&mapping->host->i_rwsem))
		return ERR_PTR(-ESTALE);
	if (is_swapped(mapping, index))
		page = shmem_read_mapping_page(mapping, index);
	up_read(&mapping->host->i_rwsem);
	return page;
}

/* NULL for zeros. */
static struct page *memory_page(struct address_space *mapping, pgoff_t index)
{
	struct page *page = pagecache_get_page(mapping, index, 0, 0);

	if (!page)
		return is_swapped(mapping, index) ? swap_in(mapping, index) : NULL;
	if (PageUptodate(page))
		return page;
	put_page(page);
	return NULL;
}

/* The lock is not held any longer than that, so that nobody's write waits. */
static struct page *disk_page(struct address_space *mapping, pgoff_t index, struct file *file)
{
	struct page *page = ERR_PTR(-ESTALE);

	filemap_invalidate_lock_shared(mapping);
	if (index < DIV_ROUND_UP(i_size_read(mapping->host), PAGE_SIZE))
		page = read_mapping_page(mapping, index, file);
	filemap_invalidate_unlock_shared(mapping);
	return page;
}

static int copy_from_page(struct page *page, size_t at, void *buf, size_t len)
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
	memcpy(buf, addr + at, len);
	kunmap_local(addr);
	put_page(page);
	return 0;
}

static int read_pages(struct slow_reader *slow, u64 off, void *buf, size_t len)
{
	struct address_space *mapping = slow->inode->i_mapping;
	struct page *page;
	size_t at, n;
	int err;

	for (; len; buf += n, off += n, len -= n) {
		at = offset_in_page(off);
		n = min_t(size_t, len, PAGE_SIZE - at);
		if (off + n > i_size_read(slow->inode))
			return -ESTALE;
		page = is_memory(slow->inode) ? memory_page(mapping, off >> PAGE_SHIFT) :
						disk_page(mapping, off >> PAGE_SHIFT, slow->file);
		if (IS_ERR(page))
			return PTR_ERR(page);
		err = copy_from_page(page, at, buf, n);
		if (err)
			return err;
	}
	return 0;
}

/* -EDQUOT, which no read returns, when @slow has had its pages. */
static int charge_pages(struct slow_reader *slow, u64 off, size_t len)
{
	pgoff_t first = off >> PAGE_SHIFT, last = (off + len - 1) >> PAGE_SHIFT;
	u32 pages = last - first + (first != slow->index);

	if (pages > slow->pages)
		return -EDQUOT;
	slow->pages -= pages;
	slow->index = last;
	return 0;
}

/*
 * Only requests hold the filesystem any more: umount(2) has returned, and whoever
 * called it waits for the device.
 */
static bool is_unmounted(const struct slow_reader *slow)
{
	return !slow->file && list_empty(&slow->inode->i_sb->s_mounts);
}

static int slow_read(struct bid_reader *reader, u64 off, void *buf, size_t len)
{
	struct slow_reader *slow = container_of(reader, struct slow_reader, reader);
	int err;

	if (!len)
		return 0;
	if (fatal_signal_pending(current))
		return -EINTR;
	if (is_unmounted(slow))
		return -ESHUTDOWN;
	cond_resched();
	err = charge_pages(slow, off, len);
	if (err)
		return err;
	return slow->by_file ? read_file(slow->file, off, buf, len) :
			       read_pages(slow, off, buf, len);
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

/* An identity of the content for a file that brings none. */
static int fall_back(struct inode *inode, const struct bid_version *version,
		     struct bid_reader *reader, struct bid_identity *id)
{
	u8 digest[FS_VERITY_MAX_DIGEST_SIZE];
	int len = BID_FSVERITY_DIGEST(inode, digest);

	BUILD_BUG_ON(FS_VERITY_MAX_DIGEST_SIZE > BUILDID_ID_MAX);
	if (len <= 0)
		return bid_cookie_of_file(inode, version, id) ? 0 : hash(reader, id);
	id->kind = BUILDID_KIND_FSVERITY;
	id->len = len;
	memcpy(id->bytes, digest, len);
	return 0;
}

/*
 * Only where a fault does no more than that. Servers have locks of their own, and
 * may never answer: read(2) takes the ones, and can be killed.
 */
static bool reads_pages(const struct file *file, const struct inode *inode, enum bid_access access)
{
	if (access == BID_ACCESS_INODE)
		return true;
	return access == BID_ACCESS_FILE && file_inode(file) == inode &&
	       inode->i_mapping->a_ops->read_folio;
}

/* One attempt: 0, or what the reader returned. */
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
		err = fall_back(slow->inode, version, &slow->reader, id);
	return err;
}

/**
 * bid_worker_identify() - identify a file, reading as much as it takes
 * @file: read with it; may be NULL for BID_ACCESS_INODE
 * @inode: the bid_file_inode()
 * @access: how to read it, not BID_ACCESS_NEVER
 * @version: set to the version the answer is for
 * @id: the answer
 * @racy: set when the content may yet change and leave the version alone, or
 *	could not be read and may another time
 *
 * Return: 0, -EINTR when the task is being killed; all else is a reason in @id.
 */
int bid_worker_identify(struct file *file, struct inode *inode, enum bid_access access,
			struct bid_version *version, struct bid_identity *id, bool *racy)
{
	struct slow_reader slow = {
		.reader.read = slow_read,
		.inode = inode,
		.file = file,
		.by_file = !reads_pages(file, inode, access),
		.pages = PAGES_MAX,
	};
	struct bid_version after;
	int err, i;

	for (i = 0; i < ATTEMPTS; i++) {
		bid_file_arm_version(inode);
		bid_file_version(inode, version);
		*racy = bid_file_racy(inode, version, access) || bid_file_unstable(inode);
		err = read_attempt(&slow, version, id);
		if (err == -EINTR || err == -ERESTARTSYS)
			return -EINTR;
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

/* Some share a count; the key keeps anybody from choosing which. */
static u32 *usage_of(u32 *counts, u32 id)
{
	return &counts[(id * worker.key) >> (32 - USAGE_BITS)];
}

/**
 * bid_worker_get_request() - a free request, on behalf of current
 * @dev: of the file it is for
 *
 * Return: it, or NULL when all are in use, or a quarter of them for this device, or
 * for this user, who may well have several.
 */
struct bid_request *bid_worker_get_request(dev_t dev)
{
	u32 *device = usage_of(worker.devices, dev), share = DIV_ROUND_UP(worker.count, 4);
	u32 *user = usage_of(worker.users, __kuid_val(current_uid()));
	struct bid_request *request;

	bid_cache_assert_locked();
	if (*device >= share || (*user >= share && !uid_eq(current_uid(), GLOBAL_ROOT_UID))) {
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
	request->inode = NULL;
	request->file = NULL;
	request->waiting = 0;
	return request;
}

void bid_worker_put_request(struct bid_request *request)
{
	bid_cache_assert_locked();
	list_add(&request->free, &worker.free);
	--*request->device;
	--*request->user;
	worker.busy--;
}

/**
 * bid_worker_set_file() - have the file read, not only its path kept
 * @request: from bid_worker_get_request()
 * @file: mapped, so that its inode and superblock are there to be held
 * @inode: its bid_file_inode()
 * @access: not CALLER, not NEVER
 */
void bid_worker_set_file(struct bid_request *request, struct file *file, struct inode *inode,
			 enum bid_access access)
{
	request->read = true;
	request->access = access;
	request->inode = inode;
	if (access == BID_ACCESS_INODE) {
		ihold(inode);
		atomic_inc(&inode->i_sb->s_active);
	} else {
		request->file = get_file(file);
	}
}

static void release(struct bid_request *request)
{
	struct super_block *sb;

	if (request->file) {
		/* fput() in a kernel thread leaves the mount busy for a while */
		__fput_sync(request->file);
	} else if (request->inode) {
		sb = request->inode->i_sb;
		iput(request->inode);
		deactivate_super(sb);
	}
}

/* An unlink or chmod moves the version too and leaves the content alone. */
static bool same_content(const struct bid_version *a, const struct bid_version *b)
{
	return a->mtime == b->mtime && a->size == b->size && a->epoch == b->epoch;
}

static void identify(struct bid_request *request, struct bid_identity *id, bool *recheck,
		     bool *moved)
{
	const struct bid_version *expected = &request->entry->version;
	struct bid_version version;

	*moved = false;
	/* kernel threads are not killed */
	bid_worker_identify(request->file, request->inode, request->access, &version, id, recheck);
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
	/* a caller may have brought the path, and an identity with it */
	if (text && (request->read || entry->flags & BID_ENTRY_NO_PATH))
		text = bid_cache_set_text(entry, text);
	if (request->read) {
		flags = entry->flags;
		if (recheck || recheck_seq != bid_cache_recheck_seq(&entry->key))
			flags |= BID_ENTRY_RECHECK;
		if (moved || bid_file_unstable(request->inode))
			flags |= BID_ENTRY_UNSTABLE | BID_ENTRY_RECHECK;
		WRITE_ONCE(entry->flags, flags);
		bid_entry_publish(entry, &id, BUILDID_STATE_KNOWN);
	}
	bid_cache_unlock();
	/* nobody adds itself to waiting once the entry is KNOWN */
	if (request->waiting)
		bid_event_file(entry, READ_ONCE(request->waiting));
	rcu_read_unlock();

	bid_text_free(text);
	release(request);
	bid_cache_lock();
	bid_cache_request_done(entry);
	bid_worker_put_request(request);
	bid_cache_unlock();
}

/* From the hook too: workqueues lock raw. */
void bid_worker_queue(struct bid_request *request)
{
	bool remote = request->read && request->access == BID_ACCESS_REMOTE;

	queue_work(remote ? worker.remote : worker.local, &request->work);
}

/**
 * bid_worker_forget_waiting() - subscribers that wait no longer
 * @slots: theirs
 */
void bid_worker_forget_waiting(u64 slots)
{
	u32 i;

	bid_cache_lock();
	for (i = 0; i < worker.count; i++)
		worker.requests[i].waiting &= ~slots;
	bid_cache_unlock();
}

u32 bid_worker_busy(void)
{
	return READ_ONCE(worker.busy);
}

/**
 * bid_worker_init() - make requests, and queues for them
 * @requests: how many
 *
 * Return: 0 or -errno.
 */
int bid_worker_init(u32 requests)
{
	u32 i;

	worker.busy = 0;
	worker.count = requests;
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
	worker.local = alloc_workqueue("buildid", WQ_UNBOUND | WQ_FREEZABLE, 0);
	if (!worker.local)
		goto err_free_requests;
	worker.remote = alloc_workqueue("buildid_remote", WQ_UNBOUND | WQ_FREEZABLE, 0);
	if (!worker.remote)
		goto err_destroy_local;
	return 0;

err_destroy_local:
	destroy_workqueue(worker.local);
err_free_requests:
	kvfree(worker.requests);
	return -ENOMEM;
}

/* Nobody queues any more; what is queued is done. */
void bid_worker_exit(void)
{
	destroy_workqueue(worker.remote);
	destroy_workqueue(worker.local);
	kvfree(worker.requests);
	worker.count = 0;
}
