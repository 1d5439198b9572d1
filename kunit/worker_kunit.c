// SPDX-License-Identifier: GPL-2.0
/*
 * Reading files where one may sleep, with reads that fail and files that change
 * meanwhile; and the read requests.
 */
#include <linux/kthread.h>

#include "files.h"

#include "compat.h"
#include "elf_cases.h"
#include "worker.h"

/* What may happen while a file is read. */
static struct {
	u32 reads;
	u32 change_at; /* reads, the last of them at which the file changes */
	u32 fail_at;   /* the read that fails, counting from 1 */
	int fail_with;
	bool direct; /* some read was to be so */
} trouble;

static void test_file_version(struct inode *inode, struct bid_version *version)
{
	while (READ_ONCE(stub_worker_waits))
		schedule_timeout_uninterruptible(1);
	bid_file_version(inode, version);
	version->change += min(trouble.reads, trouble.change_at);
}

#define bid_file_version test_file_version

#include "worker.c"

static const struct file_operations *untroubled;

static ssize_t test_read_iter(struct kiocb *iocb, struct iov_iter *to)
{
	if (++trouble.reads == trouble.fail_at)
		return trouble.fail_with;
	trouble.direct |= iocb->ki_flags & IOCB_DIRECT;
	return untroubled->read_iter(iocb, to);
}

static const struct file_operations troubled = { .read_iter = test_read_iter };

static struct file *make_image_file(struct kunit *test, const struct elf_case *of)
{
	struct elf_image image = { .room = of->room ?: 8192, .is64 = true };

	image.bytes = kunit_kzalloc(test, image.room, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, image.bytes);
	elf_start(&image);
	of->build(&image, of->arg);
	KUNIT_ASSERT_TRUE(test, elf_fits(&image));
	return make_file(test, "image", image.bytes, image.size);
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

static int identify_by(struct file *file, bool by_inode, struct bid_identity *id, bool *racy)
{
	struct bid_version version;
	struct bid_held held;
	int err;

	untroubled = file->f_op;
	file->f_op = &troubled;
	bid_worker_hold(&held, file, file_inode(file),
			by_inode ? BID_ACCESS_INODE : BID_ACCESS_CALLER, false);
	err = bid_worker_identify(&held, &version, id, racy);
	bid_worker_release(&held);
	file->f_op = untroubled;
	return err;
}

/* ---------------------------------------------------------------- htlhash -- */

/* Computed by other means: head and tail of 4096 bytes at most, and the size. */
static const struct vector {
	const char *name;
	u32 size;
	u8 hash[HASH_LEN];
} vectors[] = {
	{ "no bytes",
	  0,
	  { 0xaf, 0x55, 0x70, 0xf5, 0xa1, 0x81, 0x0b, 0x7a, 0xf7, 0x8c, 0xaf, 0x4b, 0xc7, 0x0a,
	    0x66, 0x0f } },
	{ "1 byte",
	  1,
	  { 0x7a, 0x60, 0x90, 0x8f, 0xc4, 0xd8, 0xe2, 0x69, 0x99, 0x28, 0x0e, 0x6a, 0xe4, 0x5c,
	    0x36, 0x88 } },
	{ "4095 bytes",
	  4095,
	  { 0xf7, 0x75, 0x09, 0x19, 0xea, 0x69, 0x62, 0x2e, 0xb9, 0xb9, 0x47, 0xd7, 0x1e, 0x77,
	    0x06, 0x4e } },
	{ "4096 bytes",
	  4096,
	  { 0x4c, 0xdb, 0x9f, 0x62, 0x10, 0x43, 0x45, 0xf9, 0xdb, 0xb1, 0x26, 0x3b, 0x7f, 0x5c,
	    0xce, 0x39 } },
	{ "4097 bytes",
	  4097,
	  { 0x91, 0xee, 0xbf, 0x63, 0x8b, 0xd4, 0xfd, 0x2a, 0x3f, 0xdd, 0x47, 0xa4, 0xcb, 0xb0,
	    0x42, 0xcf } },
	{ "8193 bytes",
	  8193,
	  { 0x0b, 0xb9, 0xee, 0x12, 0xda, 0x88, 0x2f, 0x8d, 0x66, 0x77, 0xc5, 0x39, 0xca, 0x93,
	    0xa1, 0x50 } },
	{ "100000 bytes",
	  100000,
	  { 0x43, 0x64, 0x29, 0x4c, 0x90, 0xac, 0x55, 0xb5, 0x1d, 0x8b, 0xfc, 0x5e, 0xea, 0xd6,
	    0x30, 0xc5 } },
};

KUNIT_ARRAY_PARAM_DESC(vectors, vectors, name);

static void hashes_as_others_do(struct kunit *test)
{
	const struct vector *of = test->param_value;
	struct file *file = make_pattern_file(test, of->size);
	struct bid_identity id;
	bool racy;
	u32 i;

	for (i = 0; i < 2; i++) {
		KUNIT_ASSERT_EQ(test, identify_by(file, i, &id, &racy), 0);
		KUNIT_EXPECT_EQ(test, id.kind, BUILDID_KIND_HTLHASH);
		KUNIT_EXPECT_EQ(test, id.reason, BUILDID_REASON_NOT_ELF);
		KUNIT_ASSERT_EQ(test, id.len, HASH_LEN);
		KUNIT_EXPECT_MEMEQ(test, id.bytes, of->hash, HASH_LEN);
	}
}

/* ---------------------------------------------------------------- reading -- */

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
	struct bid_identity id;
	bool racy;
	u32 i;

	settle_time_stamps();
	for (i = 0; i < 2; i++) {
		racy = true;
		KUNIT_ASSERT_EQ(test, identify_by(file, i, &id, &racy), 0);
		KUNIT_EXPECT_FALSE(test, racy);
		KUNIT_EXPECT_EQ(test, id.kind, of->answer.kind);
		KUNIT_EXPECT_EQ(test, id.reason, of->answer.reason);
		KUNIT_EXPECT_EQ(test, id.len, of->answer.len);
		if (of->answer.kind == BUILDID_KIND_GNU)
			KUNIT_EXPECT_MEMEQ(test, id.bytes, gnu_id, of->answer.len);
		if (of->answer.kind == BUILDID_KIND_GO)
			KUNIT_EXPECT_MEMEQ(test, id.bytes, go_id, of->answer.len);
	}
}

static void says_that_a_fresh_or_open_file_may_yet_change(struct kunit *test)
{
	struct file *file = make_pattern_file(test, 100);
	struct bid_identity id;
	bool racy = false;

	stub_no_change_counter = true;
	date_file(file, 3600);
	identify_by(file, true, &id, &racy);
	stub_no_change_counter = false;
	KUNIT_EXPECT_TRUE(test, racy);

	date_file(file, -3600);
	KUNIT_ASSERT_EQ(test, get_write_access(file_inode(file)), 0);
	racy = false;
	KUNIT_ASSERT_EQ(test, identify_by(file, true, &id, &racy), 0);
	KUNIT_EXPECT_TRUE(test, racy);
	put_write_access(file_inode(file));
}

/* What takes two reads, of a page each. */
static const struct elf_case two_pages = { "two pages", straddling, 4096, GNU(20) };

static void reads_again_what_changed_meanwhile(struct kunit *test)
{
	struct file *file = make_image_file(test, &two_pages);
	struct bid_identity id;
	bool racy;

	trouble.change_at = 2;
	KUNIT_ASSERT_EQ(test, identify_by(file, false, &id, &racy), 0);
	KUNIT_EXPECT_GT(test, trouble.reads, 2);
	KUNIT_EXPECT_EQ(test, id.kind, BUILDID_KIND_GNU);
	KUNIT_EXPECT_MEMEQ(test, id.bytes, gnu_id, 20);
}

static void gives_up_on_what_changes_all_the_time(struct kunit *test)
{
	u64 changing = bid_stats_sum(BID_STAT_CHANGING);
	struct file *file = make_image_file(test, &two_pages);
	struct bid_identity id;
	bool racy = false;

	trouble.change_at = U32_MAX;
	KUNIT_ASSERT_EQ(test, identify_by(file, false, &id, &racy), 0);
	KUNIT_EXPECT_EQ(test, id.kind, BUILDID_KIND_NONE);
	KUNIT_EXPECT_EQ(test, id.reason, BUILDID_REASON_CHANGING);
	KUNIT_EXPECT_EQ(test, id.len, 0);
	KUNIT_EXPECT_TRUE(test, racy);
	KUNIT_EXPECT_EQ(test, bid_stats_sum(BID_STAT_CHANGING) - changing, 1);
	KUNIT_EXPECT_LT(test, trouble.reads, 100);
}

static const struct error_case {
	const char *name;
	int err;
	u32 times;
	int returned;
	u8 reason;
	bool signalled;
} errors[] = {
	{ "EIO", -EIO, 1, 0, BUILDID_REASON_IO },
	{ "ENODATA", -ENODATA, 1, 0, BUILDID_REASON_IO },
	{ "E2BIG", -E2BIG, 1, 0, BUILDID_REASON_IO },
	{ "EACCES", -EACCES, 1, 0, BUILDID_REASON_IO },
	{ "EINTR", -EINTR, 1, 0, BUILDID_REASON_IO },
	{ "EDQUOT", -EDQUOT, 1, 0, BUILDID_REASON_IO },
	{ "ESTALE", -ESTALE, 1, 0, BUILDID_REASON_IO },
	{ "ERESTARTSYS", -ERESTARTSYS, 1, 0, BUILDID_REASON_IO },
	{ "EINTR and a signal", -EINTR, 1, -EINTR, .signalled = true },
	{ "ERESTARTSYS and a signal", -ERESTARTSYS, 1, -EINTR, .signalled = true },
	{ "EIO and a signal", -EIO, 1, 0, BUILDID_REASON_IO, .signalled = true },
};

KUNIT_ARRAY_PARAM_DESC(errors, errors, name);

/* Whichever read it is that fails. */
static void finds_no_id_when_reading_fails_with(struct kunit *test)
{
	const struct error_case *of = test->param_value;
	struct file *file = make_image_file(test, &two_pages);
	struct bid_identity id;
	u32 reads, n;
	bool racy;

	identify_by(file, false, &id, &racy);
	reads = trouble.reads;
	KUNIT_ASSERT_GT(test, reads, 1);
	for (n = 1; n <= reads; n++) {
		trouble.reads = 0;
		trouble.fail_at = n;
		trouble.fail_with = of->err;
		if (of->signalled)
			set_thread_flag(TIF_SIGPENDING);
		KUNIT_EXPECT_EQ(test, identify_by(file, false, &id, &racy), of->returned);
		clear_thread_flag(TIF_SIGPENDING);
		if (of->returned)
			continue;
		KUNIT_EXPECT_EQ_MSG(test, id.kind, BUILDID_KIND_NONE, "read %u", n);
		KUNIT_EXPECT_EQ_MSG(test, id.reason, of->reason, "read %u", n);
		KUNIT_EXPECT_EQ_MSG(test, id.len, 0, "read %u", n);
	}
}

/* The end came sooner than the size said: the file is being cut. */
static void reads_again_when_the_end_comes_early(struct kunit *test)
{
	struct file *file = make_image_file(test, &two_pages);
	struct bid_identity id;
	bool racy;

	trouble.fail_at = 2;
	trouble.fail_with = 0;
	KUNIT_ASSERT_EQ(test, identify_by(file, false, &id, &racy), 0);
	KUNIT_EXPECT_EQ(test, id.kind, BUILDID_KIND_GNU);
	KUNIT_EXPECT_GT(test, trouble.reads, 3);
}

/* He may wait for a user's memory. */
static void waits_for_nobody_else_for_long(struct kunit *test)
{
	struct file *file = make_image_file(test, &two_pages);
	struct bid_identity id;
	bool racy = false;

	inode_lock(file_inode(file));
	KUNIT_EXPECT_EQ(test, identify_by(file, false, &id, &racy), 0);
	inode_unlock(file_inode(file));
	KUNIT_EXPECT_EQ(test, trouble.reads, 0);
	KUNIT_EXPECT_EQ(test, id.reason, BUILDID_REASON_CHANGING);
	KUNIT_EXPECT_TRUE(test, racy);
	inode_lock_shared(file_inode(file));
	KUNIT_EXPECT_EQ(test, identify_by(file, false, &id, &racy), 0);
	inode_unlock_shared(file_inode(file));
	KUNIT_EXPECT_EQ(test, id.kind, BUILDID_KIND_GNU);
	KUNIT_EXPECT_EQ(test, identify_by(file, false, &id, &racy), 0);
	KUNIT_EXPECT_EQ(test, id.kind, BUILDID_KIND_GNU);
}

/* The buffer is the kernel's, and the flag the user's. */
static void reads_what_is_open_for_direct_io_by_the_page_cache(struct kunit *test)
{
	struct file *file = make_image_file(test, &two_pages);
	struct bid_identity id;
	bool racy;

	file->f_flags |= O_DIRECT;
	file->f_iocb_flags = iocb_flags(file);
	KUNIT_EXPECT_EQ(test, identify_by(file, false, &id, &racy), 0);
	KUNIT_EXPECT_FALSE(test, trouble.direct);
	KUNIT_EXPECT_EQ(test, id.kind, BUILDID_KIND_GNU);
}

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

/* What its maker did not pay for, nobody does. */
static void leaves_holes_in_memory_as_they_are(struct kunit *test)
{
	struct file *file = make_sparse_notes(test, 1024);
	unsigned long pages = file->f_mapping->nrpages;
	blkcnt_t blocks = file_inode(file)->i_blocks;
	struct bid_identity id;
	bool racy;

	KUNIT_ASSERT_EQ(test, identify_by(file, true, &id, &racy), 0);
	KUNIT_EXPECT_EQ(test, id.kind, BUILDID_KIND_HTLHASH);
	KUNIT_EXPECT_EQ(test, id.reason, BUILDID_REASON_MALFORMED);
	KUNIT_EXPECT_EQ(test, file->f_mapping->nrpages, pages);
	KUNIT_EXPECT_EQ(test, file_inode(file)->i_blocks, blocks);
}

/* As when it has been moved, or swapped in, and whoever does that is not done yet. */
static int finish_page(void *folio)
{
	schedule_timeout_uninterruptible(10);
	folio_mark_uptodate(folio);
	folio_unlock(folio);
	while (!kthread_should_stop())
		schedule_timeout_uninterruptible(1);
	return 0;
}

static void waits_for_a_page_in_memory_that_is_locked(struct kunit *test)
{
	static const struct elf_case of = { "locked", gnu_of_len, 20, GNU(20) };
	struct file *file = make_image_file(test, &of);
	struct page *page = pagecache_get_page(file->f_mapping, 0, FGP_LOCK, 0);
	struct task_struct *task;
	struct bid_identity id;
	bool racy;

	KUNIT_ASSERT_NOT_NULL(test, page);
	folio_clear_uptodate(page_folio(page));
	task = kthread_run(finish_page, page_folio(page), "buildid_kunit");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	KUNIT_EXPECT_EQ(test, identify_by(file, true, &id, &racy), 0);
	KUNIT_EXPECT_EQ(test, id.kind, BUILDID_KIND_GNU);
	kthread_stop(task);
	put_page(page);
}

static void reads_so_many_pages_and_no_more(struct kunit *test)
{
	struct file *file = make_sparse_notes(test, PAGES_MAX + 64);
	struct bid_identity id;
	bool racy;
	u32 i;

	for (i = 0; i < 2; i++) {
		KUNIT_ASSERT_EQ(test, identify_by(file, i, &id, &racy), 0);
		KUNIT_EXPECT_EQ(test, id.kind, BUILDID_KIND_HTLHASH);
		KUNIT_EXPECT_EQ(test, id.reason, BUILDID_REASON_LIMIT);
	}
}

/* --------------------------------------------------------------- requests -- */

/* Of whichever device has not had its share. */
static struct bid_request *get_any_request(void)
{
	struct bid_request *request = NULL;
	u32 minor;

	for (minor = 0; minor < 1000 && !request; minor++)
		request = bid_worker_get_request(MKDEV(8, minor));
	return request;
}

static void hands_out_as_many_requests_as_there_are(struct kunit *test)
{
	struct bid_request *taken[4], *one_more, *again;
	u32 i, busy;

	KUNIT_ASSERT_EQ(test, bid_worker_init(ARRAY_SIZE(taken)), 0);
	bid_cache_lock();
	for (i = 0; i < ARRAY_SIZE(taken); i++)
		taken[i] = get_any_request();
	one_more = get_any_request();
	busy = bid_worker_busy();
	taken[0]->waiting = 0xff;
	taken[0]->read = true;
	bid_worker_put_request(taken[0]);
	again = get_any_request();
	bid_cache_unlock();
	KUNIT_EXPECT_NOT_NULL(test, taken[3]);
	KUNIT_EXPECT_PTR_EQ(test, one_more, NULL);
	KUNIT_EXPECT_EQ(test, busy, ARRAY_SIZE(taken));
	KUNIT_EXPECT_PTR_EQ(test, again, taken[0]);
	KUNIT_EXPECT_EQ(test, again->waiting, 0);
	KUNIT_EXPECT_FALSE(test, again->read);

	bid_cache_lock();
	while (i)
		bid_worker_put_request(taken[--i]);
	bid_cache_unlock();
	KUNIT_EXPECT_EQ(test, bid_worker_busy(), 0);
	bid_worker_exit();
}

/* A device whose disk or server does not answer leaves the others theirs. */
static void gives_a_device_a_quarter_of_the_requests(struct kunit *test)
{
	u64 busy = bid_stats_sum(BID_STAT_DEVICE_BUSY);
	struct bid_request *taken[40], *others = NULL;
	u32 n = 0, minor;

	KUNIT_ASSERT_EQ(test, bid_worker_init(ARRAY_SIZE(taken)), 0);
	bid_cache_lock();
	while (n < ARRAY_SIZE(taken) && (taken[n] = bid_worker_get_request(MKDEV(8, 1))))
		n++;
	for (minor = 2; minor < 10 && !others; minor++)
		others = bid_worker_get_request(MKDEV(8, minor));
	KUNIT_EXPECT_EQ(test, n, 10);
	KUNIT_EXPECT_GE(test, bid_stats_sum(BID_STAT_DEVICE_BUSY) - busy, 1);
	if (others)
		bid_worker_put_request(others);
	while (n)
		bid_worker_put_request(taken[--n]);
	taken[0] = bid_worker_get_request(MKDEV(8, 1));
	if (taken[0])
		bid_worker_put_request(taken[0]);
	bid_cache_unlock();
	KUNIT_EXPECT_NOT_NULL(test, others);
	KUNIT_EXPECT_NOT_NULL(test, taken[0]);
	bid_worker_exit();
}

/* Whoever waits for s_umount would wait for all that are read before. */
static void locks_no_superblock_unless_it_is_sure_to_run(struct kunit *test)
{
	struct file *file = make_file(test, "file", "text", 4);
	struct super_block *sb = file_inode(file)->i_sb;
	struct bid_request *first, *second;
	int active = atomic_read(&sb->s_active);

	KUNIT_ASSERT_EQ(test, bid_worker_init(8), 0);
	worker.sure = 1;
	bid_cache_lock();
	first = get_any_request();
	bid_worker_set_file(first, file, file_inode(file), BID_ACCESS_INODE);
	second = get_any_request();
	bid_worker_set_file(second, file, file_inode(file), BID_ACCESS_INODE);
	bid_cache_unlock();
	KUNIT_EXPECT_TRUE(test, first->held.locked);
	KUNIT_EXPECT_FALSE(test, second->held.locked);
	KUNIT_EXPECT_EQ(test, atomic_read(&sb->s_active), active + 1);
	bid_worker_release(&first->held);
	bid_worker_release(&second->held);
	KUNIT_EXPECT_EQ(test, atomic_read(&sb->s_active), active);
	bid_cache_lock();
	bid_worker_put_request(first);
	bid_worker_put_request(second);
	bid_cache_unlock();
	bid_worker_exit();
}

static void forgets_who_waits_no_longer(struct kunit *test)
{
	struct bid_request *request;

	KUNIT_ASSERT_EQ(test, bid_worker_init(2), 0);
	bid_cache_lock();
	request = get_any_request();
	request->waiting = BIT_ULL(0) | BIT_ULL(5) | BIT_ULL(63);
	bid_cache_unlock();
	bid_worker_forget_waiting(BIT_ULL(5));
	KUNIT_EXPECT_EQ(test, request->waiting, BIT_ULL(0) | BIT_ULL(63));
	bid_cache_lock();
	bid_worker_put_request(request);
	bid_cache_unlock();
	bid_worker_exit();
}

static int start(struct kunit *test)
{
	memset(&trouble, 0, sizeof(trouble));
	return bid_cache_init(16);
}

static void stop(struct kunit *test)
{
	bid_cache_exit();
}

static int init_suite(struct kunit_suite *suite)
{
	fill_ids();
	return 0;
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(hashes_as_others_do, vectors_gen_params),
	KUNIT_CASE_PARAM(identifies_an_image_with, images_gen_params),
	KUNIT_CASE(says_that_a_fresh_or_open_file_may_yet_change),
	KUNIT_CASE(reads_again_what_changed_meanwhile),
	KUNIT_CASE(gives_up_on_what_changes_all_the_time),
	KUNIT_CASE_PARAM(finds_no_id_when_reading_fails_with, errors_gen_params),
	KUNIT_CASE(reads_again_when_the_end_comes_early),
	KUNIT_CASE(waits_for_nobody_else_for_long),
	KUNIT_CASE(reads_what_is_open_for_direct_io_by_the_page_cache),
	KUNIT_CASE(leaves_holes_in_memory_as_they_are),
	KUNIT_CASE(waits_for_a_page_in_memory_that_is_locked),
	KUNIT_CASE(reads_so_many_pages_and_no_more),
	KUNIT_CASE(hands_out_as_many_requests_as_there_are),
	KUNIT_CASE(gives_a_device_a_quarter_of_the_requests),
	KUNIT_CASE(locks_no_superblock_unless_it_is_sure_to_run),
	KUNIT_CASE(forgets_who_waits_no_longer),
	{},
};

static struct kunit_suite suite = {
	.name = "buildid_worker",
	.suite_init = init_suite,
	.init = start,
	.exit = stop,
	.test_cases = cases,
};

kunit_test_suites(&suite);
