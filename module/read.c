// SPDX-License-Identifier: GPL-2.0
/*
 * Reads files in the context of the task that maps them or asks for them.
 *
 * It reads through the page cache, as a fault in the mapping would: under invalidate_lock, which
 * keeps truncation and hole punching away, no more than is needed, and with no effect on the file
 * or on others that have it open. In a file that lives in memory, a missing page is zeros, and no
 * page is allocated for it. Files whose pages only their filesystem's own read_iter may read are
 * read by that. kernel_read() would not do: it asks security modules and fanotify in the task's
 * name, and generates events; and a task may execute what it may not read.
 *
 * No lock of this module is held. The cost of one file is bounded: notes, bytes, pages, attempts.
 * A fatal signal ends the read wherever it would end a fault.
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/pagemap.h>
#include <linux/sched/signal.h>
#include <linux/shmem_fs.h>
#include <linux/slab.h>
#include <linux/uio.h>
#include <crypto/sha2.h>

#include "compat.h"
#include "cookie.h"
#include "read.h"
#include "stats.h"

/* How often to retry when the version changes during the read. */
#define ATTEMPTS 4

/* Enough for any real file; bounds the cost of a hostile one. */
static const struct bid_elf_limits limits = {
	.notes = 65536,
	.bytes = 16 << 20,
};

/* For a file, all attempts together: both header tables at their largest, and notes. */
#define PAGES_MAX 2304

#define HASH_PART  4096
#define HASH_PAGES 4U /* two for each part, if unaligned */
#define HASH_LEN   16

#define NO_PAGE (~(pgoff_t)0)

/**
 * struct reading - a file while it is read
 * @reader: the parser's interface to it
 * @file: the file
 * @inode: the inode whose content is read
 * @by_pages: look at @inode's pages; else use read_iter
 * @pages: how many more may be read
 * @err: of the read that failed, in case the parser asks again
 * @pinned: a page that was read is pinned: a device or another driver may write to it
 * @index: of the page at @bytes, NO_PAGE if there is none
 * @bytes: the page's content
 * @page: held, if it is in the page cache
 * @copy: a page read by read_iter
 */
struct reading {
	struct bid_reader reader;
	struct file *file;
	struct inode *inode;
	bool by_pages;
	u32 pages;
	int err;
	bool pinned;
	pgoff_t index;
	const u8 *bytes;
	struct page *page;
	void *copy;
};

/*
 * The error of a read, from a filesystem or the server behind it: it may be any number, and must
 * not be mistaken for one that has a meaning here.
 */
static int read_error(int err)
{
	if ((err == -EINTR || err == -ERESTARTSYS) && signal_pending(current))
		return -EINTR;
	return -EIO;
}

/* kernel_read() would pass on O_DIRECT, which filesystems need not support for kernel memory. */
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

static int read_copy(struct reading *reading, pgoff_t index)
{
	u64 off = (u64)index << PAGE_SHIFT;
	size_t done = 0, len;
	ssize_t n;

	/* pages already read may still be looked at */
	if (fatal_signal_pending(current))
		return -EINTR;
	len = min_t(u64, reading->reader.size - off, PAGE_SIZE);
	/* a server may claim any size */
	if (off > LLONG_MAX - len)
		return -EIO;
	if (!reading->copy)
		reading->copy = kmalloc(PAGE_SIZE, GFP_KERNEL);
	if (!reading->copy)
		return -ENOMEM;
	for (; done < len; done += n) {
		n = read_some(reading->file, off + done, reading->copy + done, len - done);
		if (n < 0)
			return read_error(n);
		if (!n)
			return -ESTALE; /* shorter than it was a moment ago */
	}
	reading->bytes = reading->copy;
	return 0;
}

static bool is_swapped(struct address_space *mapping, pgoff_t index)
{
	return xa_is_value(xa_load(&mapping->i_pages, index));
}

/*
 * shmem_read_mapping_page() would allocate a page for a hole, so prevent hole punching by taking
 * i_rwsem. Only try: a writer holds it while faulting in memory that some user may be serving
 * (FUSE, userfaultfd).
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
 * NULL for a page of zeros, which is one that is not uptodate under its lock. Without the lock, the
 * page may be migrating, or on its way from the disk.
 */
static struct page *memory_page(struct address_space *mapping, pgoff_t index)
{
	struct page *page = pagecache_get_page(mapping, index, FGP_LOCK, 0);
	bool written;
	void *entry;

	if (!page) {
		entry = xa_load(&mapping->i_pages, index);
		if (entry && !xa_is_value(entry))
			return ERR_PTR(-ESTALE); /* it appeared meanwhile */
		return entry ? swap_in(mapping, index) : NULL;
	}
	written = PageUptodate(page);
	unlock_page(page);
	if (written)
		return page;
	put_page(page);
	return NULL;
}

/*
 * The page, if it is cached and uptodate. Its lock may be held by a task waiting for a server that
 * does not reply; a fault would wait the same way, until a fatal signal.
 */
static struct page *cached_page(struct address_space *mapping, pgoff_t index)
{
	struct page *page = pagecache_get_page(mapping, index, 0, 0);
	int err;

	if (!page || PageUptodate(page))
		return page;
	err = folio_lock_killable(page_folio(page));
	if (!err)
		unlock_page(page);
	put_page(page);
	return err ? ERR_PTR(-EINTR) : NULL;
}

/*
 * As a fault does: the wait for a page that is read ahead can be interrupted by a fatal signal,
 * while read_folio() may not be: FUSE waits once its server has the request.
 *
 * A file's tail is read in one go, as the section headers are needed, and then all of it for the
 * hash; page by page that would take two or three reads.
 */
static struct page *read_ahead(struct reading *reading, struct address_space *mapping,
			       pgoff_t index)
{
	const u64 size = i_size_read(mapping->host);
	const pgoff_t tail = (size - min_t(u64, size, HASH_PART)) >> PAGE_SHIFT;
	const pgoff_t end = DIV_ROUND_UP(size, PAGE_SIZE);
	const pgoff_t first = min(index, tail);
	struct file_ra_state none = {};
	DEFINE_READAHEAD(ahead, reading->file, &none, mapping, first);

	if (index >= end)
		return NULL;
	page_cache_ra_unbounded(&ahead, first == tail ? end - tail : 1, 0);
	return cached_page(mapping, index);
}

static bool has_page(const struct address_space *mapping, pgoff_t index)
{
	return index < DIV_ROUND_UP(i_size_read(mapping->host), PAGE_SIZE);
}

/* Holds invalidate_lock for one page at a time, so that truncation need not wait. */
static struct page *disk_page(struct reading *reading, struct address_space *mapping, pgoff_t index)
{
	/* an overlay's file is not the filesystem's own, which does without one then */
	struct file *file = file_inode(reading->file) == reading->inode ? reading->file : NULL;
	struct page *page;

	if (!has_page(mapping, index))
		return ERR_PTR(-ESTALE);
	page = cached_page(mapping, index);
	if (!page && file)
		page = read_ahead(reading, mapping, index);
	if (page)
		return page;
	page = ERR_PTR(-ESTALE);
	filemap_invalidate_lock_shared(mapping);
	if (has_page(mapping, index)) {
		page = read_mapping_page(mapping, index, file);
		if (IS_ERR(page))
			page = ERR_PTR(read_error(PTR_ERR(page)));
	}
	filemap_invalidate_unlock_shared(mapping);
	return page;
}

static void drop_page(struct reading *reading)
{
	if (reading->page)
		put_page(reading->page);
	reading->page = NULL;
	reading->index = NO_PAGE;
}

static int hold_page(struct reading *reading, pgoff_t index)
{
	struct address_space *mapping = reading->inode->i_mapping;
	struct page *page;

	page = bid_file_is_memory(reading->inode) ? memory_page(mapping, index) :
						    disk_page(reading, mapping, index);
	if (IS_ERR(page))
		return PTR_ERR(page);
	reading->page = page;
	/* reading a poisoned page is a machine check */
	if (page && (!PageUptodate(page) || PageHWPoison(page)))
		return -EIO;
	reading->pinned |= page && folio_maybe_dma_pinned(page_folio(page));
	/* a 64-bit kernel has no highmem */
	reading->bytes = page_address(page ?: ZERO_PAGE(0));
	return 0;
}

/* -EDQUOT, which read_error() never returns, if the file has too many pages. */
static int next_page(struct reading *reading, pgoff_t index)
{
	drop_page(reading);
	if (!reading->pages)
		return -EDQUOT;
	reading->pages--;
	cond_resched();
	return reading->by_pages ? hold_page(reading, index) : read_copy(reading, index);
}

static int go_to(struct reading *reading, pgoff_t index)
{
	if (likely(reading->index == index) || reading->err)
		return reading->err;
	reading->err = next_page(reading, index);
	if (!reading->err)
		reading->index = index;
	return reading->err;
}

/* The page is held until the next call. Its bytes may change at any time. */
static const void *reader_look(struct bid_reader *reader, u64 off, size_t len)
{
	struct reading *reading = container_of(reader, struct reading, reader);

	if (offset_in_page(off) + len > PAGE_SIZE || go_to(reading, off >> PAGE_SHIFT))
		return NULL;
	return reading->bytes + offset_in_page(off);
}

static int reader_read(struct bid_reader *reader, u64 off, void *buf, size_t len)
{
	struct reading *reading = container_of(reader, struct reading, reader);
	size_t n;
	int err;

	for (; len; buf += n, off += n, len -= n) {
		err = go_to(reading, off >> PAGE_SHIFT);
		if (err)
			return err;
		n = min_t(size_t, len, PAGE_SIZE - offset_in_page(off));
		memcpy(buf, reading->bytes + offset_in_page(off), n);
	}
	return 0;
}

/*
 * OpenTelemetry's file hash: the first and the last 4096 bytes, which overlap in a small file, and
 * the size as 64 bits, big endian.
 */
static int read_hash(struct bid_reader *reader, struct bid_identity *id)
{
	size_t part = min_t(u64, reader->size, HASH_PART);
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

/* The identity of a file without a build-id: fs-verity digest, cookie, or hash. */
static int fall_back(struct reading *reading, const struct bid_version *version,
		     struct bid_identity *id)
{
	u8 digest[FS_VERITY_MAX_DIGEST_SIZE];
	int len = fsverity_get_digest(reading->inode, digest, NULL, NULL);

	BUILD_BUG_ON(FS_VERITY_MAX_DIGEST_SIZE > BUILDID_ID_MAX);
	if (len <= 0) {
		if (bid_cookie_of_file(reading->inode, version, id))
			return 0;
		return read_hash(&reading->reader, id);
	}
	id->kind = BUILDID_KIND_FSVERITY;
	id->len = len;
	memcpy(id->bytes, digest, len);
	return 0;
}

/* Returns 0, or the reader's error. */
static int read_attempt(struct reading *reading, const struct bid_version *version,
			struct bid_identity *id)
{
	int err;

	reading->reader.size = version->size;
	reading->err = 0;
	drop_page(reading);
	err = bid_elf_identify(&reading->reader, &limits, id);
	if (err == -EDQUOT) {
		*id = (struct bid_identity){ .reason = BUILDID_REASON_LIMIT };
		reading->err = 0;
		err = 0;
	}
	reading->pages = max(reading->pages, HASH_PAGES);
	if (!err && id->kind == BUILDID_KIND_NONE)
		err = fall_back(reading, version, id);
	return err;
}

/* Some filesystems bump the counter only if it was queried since the last change: query it. */
static void read_sample(struct inode *inode, struct bid_version *version)
{
	if (bid_file_counts(inode))
		inode_query_iversion(inode);
	bid_file_version(inode, version);
}

static int read_attempts(struct reading *reading, struct bid_version *version,
			 struct bid_identity *id, bool *unsure)
{
	struct inode *inode = reading->inode;
	struct bid_version after __uninitialized;
	int err, i;

	for (i = 0; i < ATTEMPTS; i++) {
		read_sample(inode, version);
		*unsure = bid_file_unstable(inode);
		err = read_attempt(reading, version, id);
		if (err == -EINTR)
			return err;
		bid_file_version(inode, &after);
		if (!bid_version_equal(version, &after) || err == -ESTALE)
			continue;
		if (err) {
			bid_stats_inc(BID_STAT_IO_ERRORS);
			*id = (struct bid_identity){ .reason = BUILDID_REASON_IO };
		}
		if (id->kind != BUILDID_KIND_GNU && id->kind != BUILDID_KIND_GO)
			bid_stats_inc(BID_STAT_NO_ID);
		*unsure |= reading->pinned || bid_file_unstable(inode);
		return 0;
	}
	bid_stats_inc(BID_STAT_CHANGING);
	*id = (struct bid_identity){ .reason = BUILDID_REASON_CHANGING };
	return 0;
}

/**
 * bid_read_file() - identify a file by reading it
 * @file: the file, held by the caller
 * @inode: bid_file_inode() of it
 * @access: from bid_file_access(), not BID_ACCESS_NEVER
 * @version: set to the version that was read
 * @id: set to the identity, or the reason why there is none
 * @unsure: set if the content may change, or have changed, without a change of version
 *
 * No lock is held. May sleep, for long if a server is slow.
 *
 * Return: 0, or -EINTR if the task is being killed or a signal has ended a read. Any other failure
 * is a reason in @id.
 */
int bid_read_file(struct file *file, struct inode *inode, enum bid_access access,
		  struct bid_version *version, struct bid_identity *id, bool *unsure)
{
	struct reading reading = {
		.reader = { .read = reader_read, .look = reader_look },
		.file = file,
		.inode = inode,
		.by_pages = access == BID_ACCESS_PAGES,
		.pages = PAGES_MAX,
		.index = NO_PAGE,
	};
	int err;

	err = read_attempts(&reading, version, id, unsure);
	drop_page(&reading);
	kfree(reading.copy);
	if (err)
		bid_stats_inc(BID_STAT_INTERRUPTED);
	return err;
}
