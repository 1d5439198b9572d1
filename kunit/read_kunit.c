// SPDX-License-Identifier: GPL-2.0
/*
 * Reading files, through their pages and by read_iter, with reads that fail and files that
 * change meanwhile.
 */
#include <linux/kthread.h>

#include "images.h"

#include "compat.h"
#include "cookie.h"
#include "read.h"
#include "stats.h"

#include "alloc.h"

/* The ways to read, the first two of them through pages. */
enum way {
	MEMORY,
	DISK,
	READ_ITER,
	WAYS,
};

/* What may happen while a file is read. */
static struct {
	enum way way;
	u32 reads;
	u32 change_at; /* the file changes at each read up to this one */
	u32 fail_at;   /* the read that fails, counting from 1 */
	int fail_with;
	u64 size;    /* the size that the file claims, if not 0 */
	bool direct; /* some read was direct */
	bool poisoned;
	bool killed;
	bool cached;		/* use pages of the page cache; else read everything */
	u32 ahead;		/* how often it was read ahead */
	const u8 *swapped;	/* content of a swapped-out page */
	struct bid_identity id; /* from fs-verity or a cookie */
} trouble;

static void test_file_version(struct inode *inode, struct bid_version *version)
{
	bid_file_version(inode, version);
	version->change += min(trouble.reads, trouble.change_at);
	version->size = trouble.size ?: version->size;
}

static bool test_file_is_memory(const struct inode *inode)
{
	return trouble.way == MEMORY;
}

static bool fails(void)
{
	return ++trouble.reads == trouble.fail_at;
}

static struct page *test_get_page(struct address_space *mapping, pgoff_t index, fgf_t flags,
				  gfp_t gfp)
{
	if (trouble.way == DISK && !trouble.cached)
		return NULL;
	return pagecache_get_page(mapping, index, flags, gfp);
}

static struct page *test_read_mapping_page(struct address_space *mapping, pgoff_t index,
					   struct file *file)
{
	return fails() ? ERR_PTR(trouble.fail_with) : shmem_read_mapping_page(mapping, index);
}

static struct page *test_swapped_page(struct address_space *mapping, pgoff_t index)
{
	struct page *page;

	if (fails())
		return ERR_PTR(trouble.fail_with);
	xa_erase(&mapping->i_pages, index);
	page = shmem_read_mapping_page(mapping, index);
	if (!IS_ERR(page))
		memcpy(page_address(page), trouble.swapped, PAGE_SIZE);
	return page;
}

static const struct file_operations *untroubled;

static ssize_t test_read_iter(struct kiocb *iocb, struct iov_iter *to)
{
	if (fails())
		return trouble.fail_with;
	trouble.direct |= iocb->ki_flags & IOCB_DIRECT;
	/* short reads */
	iov_iter_truncate(to, 3000);
	return untroubled->read_iter(iocb, to);
}

static int test_verity_digest(struct inode *inode, u8 *digest, u8 *alg, const void *hash)
{
	if (trouble.id.kind != BUILDID_KIND_FSVERITY)
		return 0;
	memcpy(digest, trouble.id.bytes, trouble.id.len);
	return trouble.id.len;
}

static bool test_cookie(struct inode *inode, const struct bid_version *version,
			struct bid_identity *id)
{
	if (trouble.id.kind != BUILDID_KIND_COOKIE)
		return false;
	*id = trouble.id;
	return true;
}

static bool test_killed(struct task_struct *task)
{
	return trouble.killed;
}

static int test_lock_killable(struct folio *folio)
{
	return trouble.killed ? -EINTR : folio_lock_killable(folio);
}

static void test_read_ahead(struct readahead_control *ahead, unsigned long nr, unsigned long size)
{
	pgoff_t index = readahead_index(ahead);

	trouble.ahead++;
	while (nr--)
		put_page(shmem_read_mapping_page(ahead->mapping, index++));
}

static bool test_poisoned(const struct page *page)
{
	return trouble.poisoned;
}

#undef fsverity_get_digest
#undef PageHWPoison
#define PageHWPoison		test_poisoned
#define bid_cookie_of_file	test_cookie
#define bid_file_is_memory	test_file_is_memory
#define bid_file_version	test_file_version
#define fatal_signal_pending	test_killed
#define folio_lock_killable	test_lock_killable
#define fsverity_get_digest	test_verity_digest
#define page_cache_ra_unbounded test_read_ahead
#define pagecache_get_page	test_get_page
#define read_mapping_page	test_read_mapping_page
#define shmem_read_mapping_page test_swapped_page

#include "read.c"

#undef pagecache_get_page
#undef shmem_read_mapping_page

static const struct file_operations troubled = { .read_iter = test_read_iter };

/* What bid_read_file() has found. */
struct result {
	struct bid_version version;
	struct bid_identity id;
	bool unsure;
};

static int read_by(struct file *file, enum way way, struct result *result)
{
	int err;

	memset(result, 0xff, sizeof(*result));
	trouble.way = way;
	untroubled = file->f_op;
	file->f_op = &troubled;
	err = bid_read_file(file, file_inode(file),
			    way == READ_ITER ? BID_ACCESS_READ : BID_ACCESS_PAGES, &result->version,
			    &result->id, &result->unsure);
	file->f_op = untroubled;
	return err;
}

static struct file *make_pattern_file(struct kunit *test, u32 size)
{
	u8 *bytes = kunit_kzalloc(test, size + 1, GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, bytes);
	for (i = 0; i < size; i++)
		bytes[i] = i * 7 + 3;
	return make_file(test, "pattern", bytes, size);
}

static void expect_reason(struct kunit *test, const struct result *result, u8 reason)
{
	KUNIT_EXPECT_EQ(test, result->id.kind, BUILDID_KIND_NONE);
	KUNIT_EXPECT_EQ(test, result->id.reason, reason);
	KUNIT_EXPECT_EQ(test, result->id.len, 0);
}

static void expect_gnu(struct kunit *test, const struct result *result)
{
	KUNIT_EXPECT_EQ(test, result->id.kind, BUILDID_KIND_GNU);
	KUNIT_EXPECT_EQ(test, result->id.reason, BUILDID_REASON_NONE);
	KUNIT_ASSERT_EQ(test, result->id.len, 20);
	KUNIT_EXPECT_MEMEQ(test, result->id.bytes, gnu_id, 20);
}

/* ---------------------------------------------------------------- htlhash -- */

/* Computed by other means: head and tail of 4096 bytes at most, and the size. */
static const struct vector {
	const char *name;
	u32 size;
	const char *hash;
} vectors[] = {
	{ "no bytes", 0, "af5570f5a1810b7af78caf4bc70a660f" },
	{ "1 byte", 1, "7a60908fc4d8e26999280e6ae45c3688" },
	{ "4096 bytes", 4096, "4cdb9f62104345f9dbb1263b7f5cce39" },
	{ "4097 bytes", 4097, "91eebf638bd4fd2a3fdd47a4cbb042cf" },
	{ "8193 bytes", 8193, "0bb9ee12da882f8d6677c539ca93a150" },
	{ "100000 bytes", 100000, "4364294c90ac55b51d8bfc5eead630c5" },
};

KUNIT_ARRAY_PARAM_DESC(vectors, vectors, name);

static void hashes_as_others_do(struct kunit *test)
{
	const struct vector *of = test->param_value;
	struct file *file = make_pattern_file(test, of->size);
	char text[2 * HASH_LEN + 1];
	struct result result;
	enum way way;

	for (way = 0; way < WAYS; way++) {
		KUNIT_ASSERT_EQ(test, read_by(file, way, &result), 0);
		KUNIT_EXPECT_EQ(test, result.id.kind, BUILDID_KIND_HTLHASH);
		KUNIT_EXPECT_EQ(test, result.id.reason, BUILDID_REASON_NOT_ELF);
		KUNIT_ASSERT_EQ(test, result.id.len, HASH_LEN);
		*bin2hex(text, result.id.bytes, HASH_LEN) = 0;
		KUNIT_EXPECT_STREQ(test, text, of->hash);
	}
}

/* ---------------------------------------------------------- what is found -- */

static void describe(const struct elf_case *of, char *desc)
{
	strscpy(desc, of->name, KUNIT_PARAM_DESC_SIZE);
}

#define HASH(why) ANSWER(HTLHASH, why, HASH_LEN)

static const struct elf_case images[] = {
	{ "a GNU id of 20 bytes", gnu_of_len, 20, GNU(20) },
	{ "a GNU id of 128 bytes", gnu_of_len, 128, GNU(128) },
	{ "a GNU id across two pages", straddling, 4096, GNU(20) },
	{ "a Go id", go_in_segment, 0, GO },
	{ "no id", notes_without_id, 0, HASH(NO_NOTE) },
	{ "nothing but a header", nothing_in_it, 0, HASH(NO_NOTE) },
	{ "a segment outside", segment_past_image, 1, HASH(TRUNCATED) },
	{ "more headers than can be", huge_numbers, 65536, HASH(LIMIT) },
};

KUNIT_ARRAY_PARAM(images, images, describe);

static void identifies_an_image_with(struct kunit *test)
{
	const struct elf_case *of = test->param_value;
	struct file *file = make_image_file(test, of);
	struct result result;
	enum way way;

	for (way = 0; way < WAYS; way++) {
		KUNIT_ASSERT_EQ(test, read_by(file, way, &result), 0);
		KUNIT_EXPECT_FALSE(test, result.unsure);
		KUNIT_EXPECT_EQ(test, result.version.size, i_size_read(file_inode(file)));
		KUNIT_EXPECT_EQ(test, result.id.kind, of->answer.kind);
		KUNIT_EXPECT_EQ(test, result.id.reason, of->answer.reason);
		KUNIT_EXPECT_EQ(test, result.id.len, of->answer.len);
		if (of->answer.kind == BUILDID_KIND_GNU)
			KUNIT_EXPECT_MEMEQ(test, result.id.bytes, gnu_id, of->answer.len);
		if (of->answer.kind == BUILDID_KIND_GO)
			KUNIT_EXPECT_MEMEQ(test, result.id.bytes, go_id, of->answer.len);
	}
}

/* But not before a build-id. */
static void verity_and_cookies_come_before_a_hash(struct kunit *test)
{
	static const struct elf_case of = { "id", gnu_of_len, 20, GNU(20) };
	static const u8 kinds[] = { BUILDID_KIND_FSVERITY, BUILDID_KIND_COOKIE };
	struct file *file = make_pattern_file(test, 100), *image = make_image_file(test, &of);
	struct result result;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		trouble.id = (struct bid_identity){ kinds[i], BUILDID_REASON_NONE, 32, { 5, 6 } };
		KUNIT_ASSERT_EQ(test, read_by(file, MEMORY, &result), 0);
		KUNIT_EXPECT_EQ(test, result.id.kind, kinds[i]);
		KUNIT_EXPECT_EQ(test, result.id.len, 32);
		KUNIT_EXPECT_MEMEQ(test, result.id.bytes, trouble.id.bytes, 32);
		KUNIT_ASSERT_EQ(test, read_by(image, MEMORY, &result), 0);
		expect_gnu(test, &result);
	}
}

/* --------------------------------------------------------------- trouble -- */

/* What takes two reads, of a page each. */
static const struct elf_case two_pages = { "two pages", straddling, 4096, GNU(20) };

static const struct doubt {
	const char *name;
	bool open;
	bool pinned;
} doubts[] = {
	{ "is open for writing", true },
	{ "has a page that a device may write to", false, true },
};

KUNIT_ARRAY_PARAM_DESC(doubts, doubts, name);

static void is_unsure_of_a_file_that(struct kunit *test)
{
	const struct doubt *of = test->param_value;
	struct file *file = make_image_file(test, &two_pages);
	struct page *page = find_get_page(file->f_mapping, 1);
	struct result result;

	KUNIT_ASSERT_NOT_NULL(test, page);
	if (of->open)
		KUNIT_ASSERT_EQ(test, get_write_access(file_inode(file)), 0);
	page_ref_add(page, of->pinned * GUP_PIN_COUNTING_BIAS);
	KUNIT_EXPECT_EQ(test, read_by(file, MEMORY, &result), 0);
	page_ref_sub(page, of->pinned * GUP_PIN_COUNTING_BIAS);
	put_page(page);
	if (of->open)
		put_write_access(file_inode(file));
	KUNIT_EXPECT_TRUE(test, result.unsure);
	expect_gnu(test, &result);
	KUNIT_EXPECT_EQ(test, read_by(file, MEMORY, &result), 0);
	KUNIT_EXPECT_FALSE(test, result.unsure);
}

static void reads_again_what_changed_meanwhile(struct kunit *test)
{
	struct file *file = make_image_file(test, &two_pages);
	u64 changing = bid_stats_sum(BID_STAT_CHANGING);
	struct result result;

	trouble.change_at = 3;
	KUNIT_ASSERT_EQ(test, read_by(file, DISK, &result), 0);
	expect_gnu(test, &result);
	KUNIT_EXPECT_GT(test, trouble.reads, 3);
	KUNIT_EXPECT_EQ(test, result.version.change, bid_file_change(file_inode(file)) + 3);
	KUNIT_EXPECT_EQ(test, bid_stats_sum(BID_STAT_CHANGING) - changing, 0);

	trouble.change_at = U32_MAX;
	trouble.reads = 0;
	KUNIT_ASSERT_EQ(test, read_by(file, DISK, &result), 0);
	expect_reason(test, &result, BUILDID_REASON_CHANGING);
	KUNIT_EXPECT_EQ(test, trouble.reads, ATTEMPTS * 2);
	KUNIT_EXPECT_EQ(test, bid_stats_sum(BID_STAT_CHANGING) - changing, 1);
}

static const struct error_case {
	const char *name;
	int err;
	int returned;
	bool signalled;
} errors[] = {
	{ "EIO", -EIO },
	{ "EINTR", -EINTR },
	{ "EDQUOT", -EDQUOT },
	{ "ESTALE", -ESTALE },
	{ "EINTR and a signal", -EINTR, -EINTR, true },
	{ "ERESTARTSYS and a signal", -ERESTARTSYS, -EINTR, true },
	{ "EIO and a signal", -EIO, 0, true },
};

KUNIT_ARRAY_PARAM_DESC(errors, errors, name);

/* Each read in turn fails. */
static void finds_no_id_when_reading_fails_with(struct kunit *test)
{
	const struct error_case *of = test->param_value;
	struct file *file = make_image_file(test, &two_pages);
	u64 errors = bid_stats_sum(BID_STAT_IO_ERRORS), ended;
	struct result result;
	enum way way;
	u32 reads, n;

	ended = bid_stats_sum(BID_STAT_INTERRUPTED);
	for (way = DISK; way < WAYS; way++) {
		trouble.fail_at = 0;
		trouble.reads = 0;
		read_by(file, way, &result);
		reads = trouble.reads;
		KUNIT_ASSERT_GT(test, reads, 1);
		for (n = 1; n <= reads; n++) {
			trouble.reads = 0;
			trouble.fail_at = n;
			trouble.fail_with = of->err;
			if (of->signalled)
				set_thread_flag(TIF_SIGPENDING);
			KUNIT_EXPECT_EQ(test, read_by(file, way, &result), of->returned);
			clear_thread_flag(TIF_SIGPENDING);
			errors += !of->returned;
			ended += !!of->returned;
			if (!of->returned)
				expect_reason(test, &result, BUILDID_REASON_IO);
		}
	}
	KUNIT_EXPECT_EQ(test, bid_stats_sum(BID_STAT_IO_ERRORS), errors);
	KUNIT_EXPECT_EQ(test, bid_stats_sum(BID_STAT_INTERRUPTED), ended);
}

/* As a fault would: pages that are cached are still looked at. */
static void ends_when_its_task_is_killed(struct kunit *test)
{
	struct file *file = make_image_file(test, &two_pages);
	struct page *page = find_get_page(file->f_mapping, 0);
	struct result result;

	KUNIT_ASSERT_NOT_NULL(test, page);
	trouble.killed = true;
	KUNIT_EXPECT_EQ(test, read_by(file, READ_ITER, &result), -EINTR);
	KUNIT_EXPECT_EQ(test, trouble.reads, 0);
	trouble.cached = true;
	folio_clear_uptodate(page_folio(page));
	KUNIT_EXPECT_EQ(test, read_by(file, DISK, &result), -EINTR);
	KUNIT_EXPECT_EQ(test, trouble.reads, 0);
	folio_mark_uptodate(page_folio(page));
	KUNIT_EXPECT_EQ(test, read_by(file, DISK, &result), 0);
	expect_gnu(test, &result);
	put_page(page);
}

/* Single pages, and both pages of the tail for the hash. */
static void reads_ahead_what_is_not_there_and_no_more(struct kunit *test)
{
	struct file *file = make_hole(test, "hole", 4 * PAGE_SIZE - 100);
	struct result result;

	trouble.cached = true;
	KUNIT_EXPECT_EQ(test, read_by(file, DISK, &result), 0);
	KUNIT_EXPECT_EQ(test, result.id.kind, BUILDID_KIND_HTLHASH);
	KUNIT_EXPECT_EQ(test, trouble.ahead, 2);
	KUNIT_EXPECT_EQ(test, file->f_mapping->nrpages, 3);
	/* a tail of a single page */
	file = make_hole(test, "hole", 3 * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, read_by(file, DISK, &result), 0);
	KUNIT_EXPECT_EQ(test, trouble.ahead, 4);
	KUNIT_EXPECT_EQ(test, file->f_mapping->nrpages, 2);
	/* and nothing is left to read */
	KUNIT_EXPECT_EQ(test, trouble.reads, 0);
}

/* It is being cut. */
static void reads_again_when_the_end_comes_early(struct kunit *test)
{
	struct file *file = make_image_file(test, &two_pages);
	struct result result;

	trouble.fail_at = 2;
	trouble.fail_with = 0;
	KUNIT_ASSERT_EQ(test, read_by(file, READ_ITER, &result), 0);
	expect_gnu(test, &result);
	KUNIT_EXPECT_GT(test, trouble.reads, 3);

	/* or it says that it is longer than its pages */
	file = make_pattern_file(test, 100);
	trouble.size = 2 * PAGE_SIZE;
	KUNIT_ASSERT_EQ(test, read_by(file, DISK, &result), 0);
	expect_reason(test, &result, BUILDID_REASON_CHANGING);
	KUNIT_ASSERT_EQ(test, read_by(file, READ_ITER, &result), 0);
	expect_reason(test, &result, BUILDID_REASON_CHANGING);
	/* or than any file can be */
	file = make_pattern_file(test, 5000);
	trouble.size = U64_MAX;
	KUNIT_ASSERT_EQ(test, read_by(file, READ_ITER, &result), 0);
	expect_reason(test, &result, BUILDID_REASON_IO);
}

/* The flag is the user's, but the buffer is the kernel's. */
static void reads_what_is_open_for_direct_io_by_the_page_cache(struct kunit *test)
{
	struct file *file = make_image_file(test, &two_pages);
	struct result result;

	file->f_flags |= O_DIRECT;
	file->f_iocb_flags = iocb_flags(file);
	KUNIT_EXPECT_EQ(test, read_by(file, READ_ITER, &result), 0);
	KUNIT_EXPECT_FALSE(test, trouble.direct);
	expect_gnu(test, &result);
}

/* For the copy's buffer, and for the hash's. */
static void finds_no_id_without_memory(struct kunit *test)
{
	struct file *file = make_pattern_file(test, 10000);
	struct result result;
	u32 i;

	for (i = 1; i <= 2; i++) {
		alloc_expect(i);
		KUNIT_EXPECT_EQ(test, read_by(file, READ_ITER, &result), 0);
		expect_reason(test, &result, BUILDID_REASON_IO);
		KUNIT_EXPECT_EQ(test, atomic_read(&alloc.held), 0);
	}
	alloc_expect(0);
	KUNIT_EXPECT_EQ(test, read_by(file, READ_ITER, &result), 0);
	KUNIT_EXPECT_EQ(test, result.id.kind, BUILDID_KIND_HTLHASH);
	KUNIT_EXPECT_EQ(test, atomic_read(&alloc.held), 0);
}

/* To look at it would be a machine check. */
static void does_not_look_at_a_poisoned_page(struct kunit *test)
{
	struct file *file = make_image_file(test, &two_pages);
	struct result result;
	enum way way;

	trouble.poisoned = true;
	for (way = MEMORY; way <= DISK; way++) {
		KUNIT_EXPECT_EQ(test, read_by(file, way, &result), 0);
		expect_reason(test, &result, BUILDID_REASON_IO);
	}
}

/* ----------------------------------------------------------------- memory -- */

/* Notes on as many pages as there are notes, all but the first in holes. */
static struct file *make_sparse_notes(struct kunit *test, u32 pages)
{
	struct file *file = make_hole(test, "sparse", (loff_t)(pages + 1) * PAGE_SIZE);
	const u32 chunk = 64;
	Elf64_Phdr *phdrs = kunit_kcalloc(test, chunk, sizeof(*phdrs), GFP_KERNEL);
	Elf64_Ehdr eh = {
		.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELF_DATA, EV_CURRENT },
		.e_phoff = PAGE_SIZE,
		.e_phentsize = sizeof(*phdrs),
		.e_phnum = pages,
	};
	u32 i, j;

	KUNIT_ASSERT_NOT_NULL(test, phdrs);
	write_file(test, file, &eh, sizeof(eh), 0);
	for (i = 0; i < pages; i += chunk) {
		for (j = 0; j < chunk; j++)
			phdrs[j] = (Elf64_Phdr){
				.p_type = PT_NOTE,
				.p_offset = (i + j + 1ULL) * PAGE_SIZE - 16,
				.p_filesz = 12,
				.p_align = 4,
			};
		write_file(test, file, phdrs, chunk * sizeof(*phdrs),
			   PAGE_SIZE + i * sizeof(*phdrs));
	}
	return file;
}

/* Nobody is charged for pages that the owner has not allocated. */
static void leaves_holes_in_memory_as_they_are(struct kunit *test)
{
	struct file *file = make_sparse_notes(test, 1024);
	unsigned long pages = file->f_mapping->nrpages;
	blkcnt_t blocks = file_inode(file)->i_blocks;
	struct result result;

	KUNIT_ASSERT_EQ(test, read_by(file, MEMORY, &result), 0);
	KUNIT_EXPECT_EQ(test, result.id.kind, BUILDID_KIND_HTLHASH);
	KUNIT_EXPECT_EQ(test, result.id.reason, BUILDID_REASON_MALFORMED);
	KUNIT_EXPECT_EQ(test, file->f_mapping->nrpages, pages);
	KUNIT_EXPECT_EQ(test, file_inode(file)->i_blocks, blocks);
}

static void reads_so_many_pages_and_no_more(struct kunit *test)
{
	struct file *file = make_sparse_notes(test, PAGES_MAX + 64);
	struct result result;
	enum way way;

	for (way = 0; way < WAYS; way += 2) {
		KUNIT_ASSERT_EQ(test, read_by(file, way, &result), 0);
		KUNIT_EXPECT_EQ(test, result.id.kind, BUILDID_KIND_HTLHASH);
		KUNIT_EXPECT_EQ(test, result.id.reason, BUILDID_REASON_LIMIT);
	}
}

/* Finish a migration or a read that is in progress. */
static int finish_page(void *folio)
{
	schedule_timeout_uninterruptible(10);
	folio_mark_uptodate(folio);
	folio_unlock(folio);
	while (!kthread_should_stop())
		schedule_timeout_uninterruptible(1);
	return 0;
}

static void waits_for_a_page_that_is_locked(struct kunit *test)
{
	struct file *file = make_image_file(test, &two_pages);
	struct task_struct *task;
	struct result result;
	struct page *page;
	enum way way;

	trouble.cached = true;
	for (way = MEMORY; way <= DISK; way++) {
		page = pagecache_get_page(file->f_mapping, 0, FGP_LOCK, 0);
		KUNIT_ASSERT_NOT_NULL(test, page);
		folio_clear_uptodate(page_folio(page));
		task = kthread_run(finish_page, page_folio(page), "buildid_kunit");
		KUNIT_ASSERT_FALSE(test, IS_ERR(task));
		KUNIT_EXPECT_EQ(test, read_by(file, way, &result), 0);
		expect_gnu(test, &result);
		kthread_stop(task);
		put_page(page);
	}
}

/* The first page is swapped out: its slot has a swap entry. */
static struct file *make_swapped_file(struct kunit *test)
{
	u8 *bytes = kunit_kzalloc(test, PAGE_SIZE, GFP_KERNEL);
	struct elf_image image = { .bytes = bytes, .room = PAGE_SIZE, .is64 = true };
	struct file *file = make_hole(test, "swapped", PAGE_SIZE);

	KUNIT_ASSERT_NOT_NULL(test, bytes);
	elf_start(&image);
	gnu_of_len(&image, 20);
	trouble.swapped = bytes;
	KUNIT_ASSERT_EQ(test,
			xa_err(xa_store(&file->f_mapping->i_pages, 0, xa_mk_value(1), GFP_KERNEL)),
			0);
	return file;
}

static void swaps_in_what_is_swapped_out(struct kunit *test)
{
	struct file *file = make_swapped_file(test);
	struct result result;

	/* a writer may be waiting for memory served by a user */
	inode_lock(file_inode(file));
	KUNIT_EXPECT_EQ(test, read_by(file, MEMORY, &result), 0);
	inode_unlock(file_inode(file));
	expect_reason(test, &result, BUILDID_REASON_CHANGING);
	KUNIT_EXPECT_TRUE(test, result.unsure);
	KUNIT_EXPECT_EQ(test, trouble.reads, 0);

	trouble.fail_at = 1;
	trouble.fail_with = -EIO;
	KUNIT_EXPECT_EQ(test, read_by(file, MEMORY, &result), 0);
	expect_reason(test, &result, BUILDID_REASON_IO);
	KUNIT_EXPECT_EQ(test, read_by(file, MEMORY, &result), 0);
	expect_gnu(test, &result);
	KUNIT_EXPECT_EQ(test, trouble.reads, 2);
}

/* Other suites read, too. */
static void stop(struct kunit *test)
{
	memset(&trouble, 0, sizeof(trouble));
	alloc_expect(0);
}

static int init_suite(struct kunit_suite *suite)
{
	fill_ids();
	return 0;
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(hashes_as_others_do, vectors_gen_params),
	KUNIT_CASE_PARAM(identifies_an_image_with, images_gen_params),
	KUNIT_CASE(verity_and_cookies_come_before_a_hash),
	KUNIT_CASE_PARAM(is_unsure_of_a_file_that, doubts_gen_params),
	KUNIT_CASE(reads_again_what_changed_meanwhile),
	KUNIT_CASE_PARAM(finds_no_id_when_reading_fails_with, errors_gen_params),
	KUNIT_CASE(ends_when_its_task_is_killed),
	KUNIT_CASE(reads_ahead_what_is_not_there_and_no_more),
	KUNIT_CASE(reads_again_when_the_end_comes_early),
	KUNIT_CASE(reads_what_is_open_for_direct_io_by_the_page_cache),
	KUNIT_CASE(finds_no_id_without_memory),
	KUNIT_CASE(does_not_look_at_a_poisoned_page),
	KUNIT_CASE(leaves_holes_in_memory_as_they_are),
	KUNIT_CASE(reads_so_many_pages_and_no_more),
	KUNIT_CASE(waits_for_a_page_that_is_locked),
	KUNIT_CASE(swaps_in_what_is_swapped_out),
	{},
};

static struct kunit_suite suite = {
	.name = "buildid_read",
	.suite_init = init_suite,
	.exit = stop,
	.test_cases = cases,
};

kunit_test_suites(&suite);
