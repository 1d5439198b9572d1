// SPDX-License-Identifier: GPL-2.0
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/highmem.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
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

#define HASH_PART	4096
#define HASH_LEN	16

static struct {
	struct bid_request *requests;
	u32 count;
	u32 busy;
	struct list_head free;
	struct workqueue_struct *local;
	struct workqueue_struct *remote;
} worker;

/**
 * struct slow_reader - reads where one may sleep
 * @reader: to hand to the parser
 * @file: read through it when set
 * @mapping: else read its pages
 */
struct slow_reader {
	struct bid_reader reader;
	struct file *file;
	struct address_space *mapping;
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
			return -ESTALE;	/* shorter than it was a moment ago */
		buf += n;
		len -= n;
	}
	return 0;
}

static struct page *read_page(struct address_space *mapping, pgoff_t index)
{
	if (mapping->a_ops->read_folio)
		return read_mapping_page(mapping, index, NULL);
	return shmem_read_mapping_page(mapping, index);
}

static int read_pages(struct address_space *mapping, u64 off, void *buf, size_t len)
{
	while (len) {
		size_t in_page = offset_in_page(off);
		size_t n = min_t(size_t, len, PAGE_SIZE - in_page);
		struct page *page;
		char *addr;

		if (off + n > i_size_read(mapping->host))
			return -ESTALE;
		page = read_page(mapping, off >> PAGE_SHIFT);
		if (IS_ERR(page))
			return PTR_ERR(page);
		addr = kmap_local_page(page);
		memcpy(buf, addr + in_page, n);
		kunmap_local(addr);
		put_page(page);
		buf += n;
		off += n;
		len -= n;
	}
	return 0;
}

static int slow_read(struct bid_reader *reader, u64 off, void *buf, size_t len)
{
	struct slow_reader *slow = container_of(reader, struct slow_reader, reader);

	if (fatal_signal_pending(current))
		return -EINTR;
	cond_resched();
	return slow->file ? read_file(slow->file, off, buf, len) :
			    read_pages(slow->mapping, off, buf, len);
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

/**
 * bid_worker_identify() - identify a file, reading as much as it takes
 * @file: read through it, or NULL to read the inode's pages
 * @inode: the bid_file_inode()
 * @version: set to the version the answer is for
 * @id: the answer
 * @racy: set when the content may yet change and leave the version alone
 *
 * Return: 0, -EINTR when the task is being killed; all else is a reason in @id.
 */
int bid_worker_identify(struct file *file, struct inode *inode,
			struct bid_version *version, struct bid_identity *id,
			bool *racy)
{
	struct slow_reader slow = {
		.reader.read = slow_read,
		.file = file,
		.mapping = inode->i_mapping,
	};
	struct bid_version after;
	int err, i;

	for (i = 0; i < ATTEMPTS; i++) {
		bid_file_hold_version(inode);
		bid_file_version(inode, version);
		*racy = bid_file_racy(inode, version) || bid_file_unstable(inode);
		slow.reader.size = version->size;
		err = bid_elf_identify(&slow.reader, &limits, id);
		if (!err && id->kind == BUILDID_KIND_NONE)
			err = fall_back(inode, version, &slow.reader, id);
		if (err == -EINTR || err == -ERESTARTSYS)
			return -EINTR;
		bid_file_version(inode, &after);
		if (!bid_version_equal(version, &after) || err == -ESTALE)
			continue;
		if (err) {
			bid_stats_inc(BID_STAT_IO_ERRORS);
			*id = (struct bid_identity){ .reason = BUILDID_REASON_IO };
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
 * bid_worker_take() - a free request
 *
 * Return: it, or NULL when all are in use.
 */
struct bid_request *bid_worker_take(void)
{
	struct bid_request *request;

	bid_cache_assert_locked();
	request = list_first_entry_or_null(&worker.free, struct bid_request, free);
	if (!request)
		return NULL;
	list_del(&request->free);
	worker.busy++;
	request->entry = NULL;
	request->read = false;
	request->inode = NULL;
	request->file = NULL;
	request->waiting = 0;
	return request;
}

void bid_worker_give_back(struct bid_request *request)
{
	bid_cache_assert_locked();
	list_add(&request->free, &worker.free);
	worker.busy--;
}

/**
 * bid_worker_read() - have the file read, not only its path kept
 * @request: from bid_worker_take()
 * @file: mapped, so that its inode and superblock are there to be held
 * @inode: its bid_file_inode()
 * @access: not CALLER, not NEVER
 */
void bid_worker_read(struct bid_request *request, struct file *file,
		     struct inode *inode, enum bid_access access)
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

static void identify(struct bid_request *request, struct bid_identity *id,
		     bool *recheck, bool *doubt)
{
	const struct bid_version *expected = &request->entry->version;
	struct bid_version version;

	*doubt = false;
	/* kernel threads are not killed */
	bid_worker_identify(request->file, request->inode, &version, id, recheck);
	bid_stats_inc(BID_STAT_PARSED_WORKER);
	if (bid_version_equal(&version, expected))
		return;
	*doubt = true;
	if (!same_content(&version, expected)) {
		bid_stats_inc(BID_STAT_CHANGING);
		*id = (struct bid_identity){ .reason = BUILDID_REASON_CHANGING };
	}
}

static void request_work(struct work_struct *work)
{
	struct bid_request *request = container_of(work, struct bid_request, work);
	struct bid_entry *entry = request->entry;
	struct bid_path path = {
		.name = request->path_len ? request->path : NULL,
		.len = request->path_len,
		.flags = request->path_flags,
	};
	u32 suspects = bid_cache_suspects();
	bool recheck = false, doubt = false;
	struct bid_identity id = { };
	struct bid_text *text;

	if (request->read)
		identify(request, &id, &recheck, &doubt);
	text = bid_text_alloc(&id, &path);
	if (!text && id.len > BID_ID_INLINE) {
		bid_stats_inc(BID_STAT_IO_ERRORS);
		id = (struct bid_identity){ .reason = BUILDID_REASON_IO };
	}

	rcu_read_lock();
	bid_cache_lock();
	/* a caller may have brought the path, and an identity with it */
	if (text && (request->read || entry->flags & BID_ENTRY_NO_PATH))
		text = bid_cache_set_text(entry, text);
	if (request->read) {
		if (recheck || suspects != bid_cache_suspects())
			entry->flags |= BID_ENTRY_RECHECK;
		if (doubt || bid_file_unstable(request->inode))
			entry->flags |= BID_ENTRY_UNSTABLE | BID_ENTRY_RECHECK;
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
	bid_worker_give_back(request);
	bid_cache_unlock();
}

/* From the hook too: workqueues lock raw. */
void bid_worker_queue(struct bid_request *request)
{
	bool remote = request->read && request->access == BID_ACCESS_REMOTE;

	queue_work(remote ? worker.remote : worker.local, &request->work);
}

/**
 * bid_worker_forget() - subscribers that wait no longer
 * @slots: theirs
 */
void bid_worker_forget(u64 slots)
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
	INIT_LIST_HEAD(&worker.free);
	worker.requests = kvcalloc(requests, sizeof(*worker.requests), GFP_KERNEL);
	if (!worker.requests)
		return -ENOMEM;
	for (i = 0; i < requests; i++) {
		INIT_WORK(&worker.requests[i].work, request_work);
		list_add_tail(&worker.requests[i].free, &worker.free);
	}
	worker.local = alloc_workqueue("buildid", WQ_UNBOUND, 0);
	if (!worker.local)
		goto err_free_requests;
	worker.remote = alloc_workqueue("buildid_remote", WQ_UNBOUND, 0);
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
}
