// SPDX-License-Identifier: GPL-2.0
/*
 * From a mapping to its records: the hook (identify.c, lookup.c), an ioctl caller
 * (reply.c), and the real worker, cache and rings, on files of shared memory.
 */
#include <linux/iversion.h>
#include <linux/posix_acl.h>

#include "compat.h"
#include "elf_cases.h"
#include "history.h"
#include "subscriber.h"
#include "worker.h"

/* What bid_file_access() returns in place of what it says of shared memory. */
static enum bid_access forced_access;
static bool access_is_forced;

static enum bid_access test_file_access(const struct file *file, struct inode *inode, u8 *reason)
{
	return access_is_forced ? forced_access : bid_file_access(file, inode, reason);
}

#define bid_file_access test_file_access

/* Somebody writes the file right after the hook has read it, so often. */
static struct {
	u8 *byte; /* in the page cache */
	u32 times;
} writer;

static int test_elf_identify(struct bid_reader *reader, const struct bid_elf_limits *limits,
			     struct bid_identity *id)
{
	struct bid_resident *resident = container_of(reader, struct bid_resident, reader);
	int err = bid_elf_identify(reader, limits, id);

	if (writer.times) {
		writer.times--;
		++*writer.byte;
		inode_inc_iversion(resident->mapping->host);
	}
	return err;
}

#define bid_elf_identify test_elf_identify

#include "reply.c"
#include "identify.c"
#include "lookup.c"

#define REQUESTS 4

/* An identity that is too long for the hook. */
#define LONG_LEN 100

/* A name that is too long to be stored without an allocation. */
#define LONG_NAME \
	"a-library-of-a-name-so-long-that-there-is-no-room-for-it-in-what-an-entry-brings-along"

/* All of these have the same size, so that one can be written over another. */
static struct file *make_named_file(struct kunit *test, const char *name, u32 id_len, u8 first)
{
	struct elf_image image = { .room = 1024, .is64 = true };

	image.bytes = kunit_kzalloc(test, image.room, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, image.bytes);
	elf_start(&image);
	gnu_of_len(&image, id_len);
	KUNIT_ASSERT_TRUE(test, elf_fits(&image));
	image.bytes[elf_ehdr_size(&image) + 2 * elf_phdr_size(&image) + 16] = first;
	return make_file(test, name, image.bytes, image.room);
}

static struct file *make_elf_file(struct kunit *test, u32 id_len, u8 first)
{
	return make_named_file(test, "image", id_len, first);
}

/* Where in such a file the identity is. */
static loff_t id_at(void)
{
	return sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr) + 16;
}

/* One that can be trusted. */
static struct file *make_settled_file(struct kunit *test, u32 id_len)
{
	struct file *file = make_elf_file(test, id_len, gnu_id[0]);

	settle_time_stamps();
	return file;
}

static void map_as(struct kunit *test, struct file *file, vm_flags_t flags)
{
	struct vm_area_struct *vma = make_vma(test, file, flags);

	/* as a kprobe does */
	preempt_disable();
	bid_identify_mapping(vma);
	preempt_enable();
}

static void map(struct kunit *test, struct file *file)
{
	map_as(test, file, EXEC);
}

/* On PREEMPT_RT the worker reads every file; a_long_id_follows_its_mapping() is of that. */
static void needs_hook_that_reads(struct kunit *test)
{
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		kunit_skip(test, "the hook reads nothing on PREEMPT_RT");
}

static void wait_for_worker(struct kunit *test)
{
	u32 i;

	WRITE_ONCE(stub_worker_waits, false);
	for (i = 0; i < 500 && bid_worker_busy(); i++)
		msleep(20);
	KUNIT_ASSERT_EQ(test, bid_worker_busy(), 0);
}

static struct buildid_file *resolve(struct kunit *test, struct file *file)
{
	struct buildid_file *record = kunit_kzalloc(test, BUILDID_RECORD_MAX, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, record);
	KUNIT_ASSERT_EQ(test, bid_reply_file(file, record), 0);
	return record;
}

static const void *data_of(const struct buildid_file *record)
{
	return (const void *)record + record->data_off;
}

static void expect_gnu(struct kunit *test, const struct buildid_file *file, u8 len, u8 first)
{
	KUNIT_EXPECT_EQ(test, file->kind, BUILDID_KIND_GNU);
	KUNIT_EXPECT_EQ(test, file->reason, BUILDID_REASON_NONE);
	KUNIT_ASSERT_EQ(test, file->id_len, len);
	KUNIT_EXPECT_EQ(test, *(const u8 *)data_of(file), first);
	KUNIT_EXPECT_MEMEQ(test, data_of(file) + 1, gnu_id + 1, len - 1);
}

static void expect_none_yet(struct kunit *test, const struct buildid_file *file, u8 reason)
{
	KUNIT_EXPECT_EQ(test, file->kind, BUILDID_KIND_NONE);
	KUNIT_EXPECT_EQ(test, file->reason, reason);
	KUNIT_EXPECT_EQ(test, file->id_len, 0);
}

static void expect_path(struct kunit *test, const struct buildid_file *file)
{
	static const char path[] = "/image";

	KUNIT_EXPECT_EQ(test, file->flags & (BUILDID_FILE_DELETED | BUILDID_FILE_NO_PATH),
			BUILDID_FILE_DELETED);
	KUNIT_ASSERT_EQ(test, file->path_len, sizeof(path) - 1);
	KUNIT_EXPECT_MEMEQ(test, data_of(file) + ALIGN(file->id_len, 8), path, sizeof(path));
}

/* A mapping of a file the sub knows already. */
static void expect_mmap_alone(struct kunit *test, struct test_subscriber *sub, u64 file_id,
			      u8 state)
{
	const struct buildid_mmap *mmap = next_mmap(test, sub);

	KUNIT_EXPECT_EQ(test, mmap->file_id, file_id);
	KUNIT_EXPECT_EQ(test, mmap->state, state);
	KUNIT_EXPECT_TRUE(test, ring_is_empty(sub));
}

/* A mapping of a file that takes a worker, who takes its time. */
static void map_pending(struct kunit *test, struct file *file)
{
	WRITE_ONCE(stub_worker_waits, true);
	map(test, file);
}

/* The records of such a mapping; the last one is the FILE record with the identity. */
static const struct buildid_file *next_pending(struct kunit *test, struct test_subscriber *sub)
{
	const struct buildid_file *record = next_file(test, sub);
	const struct buildid_mmap *mmap;
	u64 file_id = record->file_id;

	expect_none_yet(test, record, BUILDID_REASON_PENDING);
	expect_path(test, record);
	mmap = next_mmap(test, sub);
	KUNIT_EXPECT_EQ(test, mmap->file_id, file_id);
	KUNIT_EXPECT_EQ(test, mmap->state, BUILDID_STATE_PENDING);

	wait_for_worker(test);
	record = next_file(test, sub);
	KUNIT_EXPECT_EQ(test, record->file_id, file_id);
	KUNIT_EXPECT_TRUE(test, ring_is_empty(sub));
	return record;
}

/* Map a file that is not known yet, until it is; returns its file_id. */
static u64 map_new(struct kunit *test, struct test_subscriber *sub, struct file *file)
{
	u64 file_id;

	/* there the hook leaves it to the worker */
	if (IS_ENABLED(CONFIG_PREEMPT_RT)) {
		map_pending(test, file);
		return next_pending(test, sub)->file_id;
	}
	map(test, file);
	file_id = next_file(test, sub)->file_id;
	next_mmap(test, sub);
	return file_id;
}

/* Map a file that the subscriber knows. */
static void expect_hit(struct kunit *test, struct test_subscriber *sub, struct file *file,
		       u64 file_id)
{
	map(test, file);
	expect_mmap_alone(test, sub, file_id, BUILDID_STATE_KNOWN);
}

/* -------------------------------------------------------------- in the hook -- */

static void a_new_file_comes_before_its_mapping(struct kunit *test)
{
	struct test_subscriber *sub = subscribe(test);
	struct file *file = make_settled_file(test, 20);
	struct inode *inode = file_inode(file);
	const struct buildid_file *record;

	needs_hook_that_reads(test);
	map(test, file);
	record = next_file(test, sub);
	expect_gnu(test, record, 20, gnu_id[0]);
	expect_path(test, record);
	KUNIT_EXPECT_NE(test, record->file_id, 0);
	KUNIT_EXPECT_EQ(test, record->ino, inode->i_ino);
	KUNIT_EXPECT_EQ(test, record->user_ino, inode->i_ino);
	KUNIT_EXPECT_EQ(test, record->dev_major, MAJOR(inode->i_sb->s_dev));
	KUNIT_EXPECT_EQ(test, record->dev_minor, MINOR(inode->i_sb->s_dev));
	KUNIT_EXPECT_EQ(test, record->generation, inode->i_generation);
	KUNIT_EXPECT_EQ(test, record->file_size, 1024);
	KUNIT_EXPECT_FALSE(test, record->flags & BUILDID_FILE_UNSTABLE);
	expect_mmap_alone(test, sub, record->file_id, BUILDID_STATE_KNOWN);
	wait_for_worker(test);
	KUNIT_EXPECT_TRUE(test, ring_is_empty(sub));
}

static void a_known_file_is_sent_once(struct kunit *test)
{
	struct test_subscriber *sub = subscribe(test), *late;
	u64 hits = bid_stats_sum(BID_STAT_HITS), rechecks = bid_stats_sum(BID_STAT_RECHECKS);
	struct file *file = make_settled_file(test, 20);
	const struct buildid_file *record;
	u64 file_id;
	u32 i;

	file_id = map_new(test, sub, file);
	wait_for_worker(test);
	for (i = 0; i < 10; i++)
		expect_hit(test, sub, file, file_id);
	KUNIT_EXPECT_EQ(test, bid_stats_sum(BID_STAT_HITS) - hits, 10);
	KUNIT_EXPECT_EQ(test, bid_stats_sum(BID_STAT_RECHECKS) - rechecks, 0);

	/* but to each */
	late = subscribe(test);
	expect_hit(test, sub, file, file_id);
	record = next_file(test, late);
	expect_gnu(test, record, 20, gnu_id[0]);
	expect_path(test, record);
	expect_mmap_alone(test, late, file_id, BUILDID_STATE_KNOWN);
}

static void data_mappings_are_ignored_without_a_subscriber_for_them(struct kunit *test)
{
	struct test_subscriber *sub = subscribe(test), *data;
	u64 misses = bid_stats_sum(BID_STAT_MISSES);
	struct file *file = make_settled_file(test, 20);

	map_as(test, file, DATA);
	KUNIT_EXPECT_EQ(test, bid_stats_sum(BID_STAT_MISSES) - misses, 0);
	KUNIT_EXPECT_EQ(test, bid_cache_entries(), 0);
	data = start_subscriber(test, BUILDID_SUB_DATA, SZ_16K, 0, NULL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, data);
	map_as(test, file, DATA);
	next_file(test, data);
	next_mmap(test, data);
	KUNIT_EXPECT_TRUE(test, ring_is_empty(sub));
}

static void a_changed_file_is_another(struct kunit *test)
{
	struct test_subscriber *sub = subscribe(test);
	struct file *file = make_settled_file(test, 20);
	const struct buildid_file *record;
	u64 first;
	u8 other = 0x77;

	needs_hook_that_reads(test);
	first = map_new(test, sub, file);

	write_file(test, file, &other, 1, id_at());
	settle_time_stamps();
	map(test, file);
	record = next_file(test, sub);
	expect_gnu(test, record, 20, other);
	KUNIT_EXPECT_GT(test, record->file_id, first);
	expect_mmap_alone(test, sub, record->file_id, BUILDID_STATE_KNOWN);
	KUNIT_EXPECT_EQ(test, bid_cache_entries(), 2);
}

/* Its time stamps would be the same had it changed again since. */
static void a_file_just_written_is_read_again(struct kunit *test)
{
	struct test_subscriber *sub = subscribe(test);
	u64 rechecks = bid_stats_sum(BID_STAT_RECHECKS), stale = bid_stats_sum(BID_STAT_STALE);
	struct file *file = make_elf_file(test, 20, gnu_id[0]);
	const struct buildid_file *record;
	u64 first;

	needs_hook_that_reads(test);
	/* only where nothing but the clock tells versions apart */
	stub_no_change_counter = true;
	date_file(file, 3600);
	first = map_new(test, sub, file);

	store(test, file, 0x77, id_at());
	map(test, file);
	KUNIT_EXPECT_EQ(test, bid_stats_sum(BID_STAT_RECHECKS) - rechecks, 1);
	KUNIT_EXPECT_EQ(test, bid_stats_sum(BID_STAT_STALE) - stale, 1);
	record = next_file(test, sub);
	expect_gnu(test, record, 20, 0x77);
	KUNIT_EXPECT_GT(test, record->file_id, first);
	first = record->file_id;
	expect_mmap_alone(test, sub, first, BUILDID_STATE_KNOWN);

	/* trusted once the time stamps are old enough */
	stub_seconds_later = 7200;
	expect_hit(test, sub, file, first);
	wait_for_worker(test);
	rechecks = bid_stats_sum(BID_STAT_RECHECKS);
	expect_hit(test, sub, file, first);
	KUNIT_EXPECT_EQ(test, bid_stats_sum(BID_STAT_RECHECKS) - rechecks, 0);
}

/* Stores through a shared mapping need not move the time stamps. */
static void a_file_mapped_shared_and_writable_is_read_again(struct kunit *test)
{
	struct test_subscriber *sub = subscribe(test);
	struct file *file = make_settled_file(test, 20);
	const struct buildid_file *record;
	u64 first;

	needs_hook_that_reads(test);
	first = map_new(test, sub, file);
	map_as(test, file, SHARED);
	KUNIT_EXPECT_TRUE(test, ring_is_empty(sub));
	store(test, file, 0x77, id_at());

	map(test, file);
	record = next_file(test, sub);
	expect_gnu(test, record, 20, 0x77);
	KUNIT_EXPECT_GT(test, record->file_id, first);
	next_mmap(test, sub);
}

static void a_file_open_for_writing_is_flagged_and_read_again(struct kunit *test)
{
	struct test_subscriber *sub = subscribe(test);
	struct file *file = make_settled_file(test, 20);
	const struct buildid_file *record;
	u64 first;

	needs_hook_that_reads(test);
	KUNIT_ASSERT_EQ(test, get_write_access(file_inode(file)), 0);
	map(test, file);
	record = next_file(test, sub);
	first = record->file_id;
	KUNIT_EXPECT_TRUE(test, record->flags & BUILDID_FILE_UNSTABLE);
	next_mmap(test, sub);
	expect_hit(test, sub, file, first);
	put_write_access(file_inode(file));

	store(test, file, 0x77, id_at());
	map(test, file);
	record = next_file(test, sub);
	expect_gnu(test, record, 20, 0x77);
	KUNIT_EXPECT_FALSE(test, record->flags & BUILDID_FILE_UNSTABLE);
	next_mmap(test, sub);
}

/* A hit must not hide it from subscribers that were sent the FILE record before. */
static void a_file_opened_for_writing_later_is_sent_again(struct kunit *test)
{
	struct test_subscriber *sub = subscribe(test);
	struct file *file = make_settled_file(test, 20);
	const struct buildid_file *record;
	u64 first;

	needs_hook_that_reads(test);
	map(test, file);
	record = next_file(test, sub);
	first = record->file_id;
	KUNIT_EXPECT_FALSE(test, record->flags & BUILDID_FILE_UNSTABLE);
	next_mmap(test, sub);
	expect_hit(test, sub, file, first);

	KUNIT_ASSERT_EQ(test, get_write_access(file_inode(file)), 0);
	map(test, file);
	record = next_file(test, sub);
	KUNIT_EXPECT_EQ(test, record->file_id, first);
	KUNIT_EXPECT_TRUE(test, record->flags & BUILDID_FILE_UNSTABLE);
	next_mmap(test, sub);
	put_write_access(file_inode(file));
}

static void a_device_that_goes_away_ends_the_versions_of_its_files(struct kunit *test)
{
	struct test_subscriber *sub = subscribe(test);
	struct file *file = make_settled_file(test, 20);
	u64 first;

	first = map_new(test, sub, file);
	bid_file_end_epoch(file_inode(file)->i_sb);
	KUNIT_EXPECT_GT(test, map_new(test, sub, file), first);
}

static void a_flushed_file_is_read_anew(struct kunit *test)
{
	struct test_subscriber *sub = subscribe(test);
	struct file *file = make_settled_file(test, 20);
	u64 first;

	first = map_new(test, sub, file);
	wait_for_worker(test);
	KUNIT_EXPECT_EQ(test, bid_cache_flush(), 1);
	KUNIT_EXPECT_GT(test, map_new(test, sub, file), first);
}

static void a_file_that_may_not_be_read_has_a_reason(struct kunit *test)
{
	struct test_subscriber *sub = subscribe(test);
	struct file *file = make_settled_file(test, 20);
	const struct buildid_file *record;

	file->f_mode &= ~FMODE_READ;
	map(test, file);
	file->f_mode |= FMODE_READ;
	record = next_file(test, sub);
	expect_none_yet(test, record, BUILDID_REASON_UNREADABLE);
	expect_mmap_alone(test, sub, record->file_id, BUILDID_STATE_KNOWN);
}

/* --------------------------------------------------------------- by the worker -- */

static void a_long_id_follows_its_mapping(struct kunit *test)
{
	struct test_subscriber *sub = subscribe(test);
	struct file *file = make_settled_file(test, LONG_LEN);
	const struct buildid_file *record;

	map_pending(test, file);
	record = next_pending(test, sub);
	expect_gnu(test, record, LONG_LEN, gnu_id[0]);
	expect_path(test, record);
	expect_hit(test, sub, file, record->file_id);
}

static void content_not_in_memory_is_read_later(struct kunit *test)
{
	struct test_subscriber *sub = subscribe(test), *idle;
	struct file *file = make_hole(test, "image", 3 * PAGE_SIZE);
	const struct buildid_file *record;

	idle = start_subscriber(test, 0, SZ_4K, 0, task_tgid(&init_task));
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, idle);
	settle_time_stamps();
	map_pending(test, file);
	record = next_pending(test, sub);
	KUNIT_EXPECT_EQ(test, record->kind, BUILDID_KIND_HTLHASH);
	KUNIT_EXPECT_EQ(test, record->reason, BUILDID_REASON_NOT_ELF);
	KUNIT_EXPECT_EQ(test, record->id_len, 16);
	/* only who was sent of the mapping */
	KUNIT_EXPECT_TRUE(test, ring_is_empty(idle));
}

static const char script[] = "#!/bin/sh\nexit 0\n";

static void expect_hash_of_script(struct kunit *test, const struct buildid_file *record)
{
	static const u8 hash[] = {
		0x71, 0xbf, 0x16, 0xc3, 0x27, 0xf0, 0x6f, 0xb2,
		0x9b, 0x41, 0x3f, 0x37, 0xab, 0x86, 0x79, 0x9e,
	};

	KUNIT_EXPECT_EQ(test, record->kind, BUILDID_KIND_HTLHASH);
	KUNIT_EXPECT_EQ(test, record->reason, BUILDID_REASON_NOT_ELF);
	KUNIT_ASSERT_EQ(test, record->id_len, sizeof(hash));
	KUNIT_EXPECT_MEMEQ(test, data_of(record), hash, sizeof(hash));
}

static void a_script_is_hashed_by_the_worker(struct kunit *test)
{
	struct test_subscriber *sub = subscribe(test);
	struct file *file = make_file(test, "image", script, sizeof(script) - 1);

	settle_time_stamps();
	map_pending(test, file);
	expect_hash_of_script(test, next_pending(test, sub));
}

static void release_page(void *page)
{
	put_page(page);
}

/* The page stays in memory. */
static void start_writer(struct kunit *test, struct file *file, u32 times)
{
	struct page *page = shmem_read_mapping_page(file->f_mapping, 0);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, page);
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, release_page, page), 0);
	writer.byte = page_address(page) + id_at();
	writer.times = times;
}

/* What was read is of a version that is no more, and may be half of each. */
static void a_file_that_changes_while_it_is_read_is_read_again(struct kunit *test)
{
	struct test_subscriber *sub = subscribe(test);
	struct file *file = make_settled_file(test, 20);
	const struct buildid_file *record;

	needs_hook_that_reads(test);
	start_writer(test, file, 1);
	map(test, file);
	KUNIT_EXPECT_EQ(test, writer.times, 0);
	record = next_file(test, sub);
	expect_gnu(test, record, 20, gnu_id[0] + 1);
	expect_mmap_alone(test, sub, record->file_id, BUILDID_STATE_KNOWN);
	expect_hit(test, sub, file, record->file_id);
}

static void a_file_that_changes_again_is_left_to_the_worker(struct kunit *test)
{
	struct test_subscriber *sub = subscribe(test);
	struct file *file = make_settled_file(test, 20);
	const struct buildid_file *record;

	needs_hook_that_reads(test);
	start_writer(test, file, HOOK_ATTEMPTS);
	map_pending(test, file);
	KUNIT_EXPECT_EQ(test, writer.times, 0);
	record = next_pending(test, sub);
	expect_gnu(test, record, 20, gnu_id[0] + HOOK_ATTEMPTS);
	expect_hit(test, sub, file, record->file_id);
}

/* As when a great many new files are mapped at once. */
static void hold_all_requests(struct kunit *test, struct bid_request **held)
{
	dev_t dev;
	u32 i;

	memset(held, 0, REQUESTS * sizeof(*held));
	bid_cache_lock();
	for (i = 0; i < REQUESTS; i++)
		for (dev = 0; dev < 1000 && !held[i]; dev++)
			held[i] = bid_worker_get_request(dev);
	bid_cache_unlock();
	KUNIT_ASSERT_NOT_NULL(test, held[REQUESTS - 1]);
}

static void release_all_requests(struct bid_request **held)
{
	u32 i;

	bid_cache_lock();
	for (i = 0; i < REQUESTS; i++)
		bid_worker_put_request(held[i]);
	bid_cache_unlock();
}

static void without_a_free_request_a_mapping_stays_unresolved(struct kunit *test)
{
	struct test_subscriber *sub = subscribe(test);
	u64 no_request = bid_stats_sum(BID_STAT_NO_REQUEST);
	struct file *file = make_settled_file(test, LONG_LEN);
	struct bid_request *held[REQUESTS];
	const struct buildid_lost *lost;

	hold_all_requests(test, held);
	map(test, file);
	expect_mmap_alone(test, sub, 0, BUILDID_STATE_UNRESOLVED);
	KUNIT_EXPECT_EQ(test, bid_cache_entries(), 0);
	KUNIT_EXPECT_GE(test, bid_stats_sum(BID_STAT_NO_REQUEST) - no_request, 1);
	release_all_requests(held);

	map_pending(test, file);
	lost = (const void *)next_record(sub, BUILDID_RECORD_LOST);
	KUNIT_ASSERT_NOT_NULL(test, lost);
	KUNIT_EXPECT_EQ(test, lost->unresolved, 1);
	KUNIT_EXPECT_EQ(test, lost->ring_full, 0);
	expect_gnu(test, next_pending(test, sub), LONG_LEN, gnu_id[0]);
}

/* The length of the path that RESOLVE by KEY and netlink would get. */
static u32 remembered_path_len(const struct file *file)
{
	struct bid_file_info info = {};
	struct bid_entry *entry;
	struct bid_key key;

	bid_file_key(file_inode(file), &key);
	rcu_read_lock();
	entry = bid_cache_find_newest(MAJOR(key.dev), MINOR(key.dev), key.ino, NULL, NULL);
	if (entry)
		bid_entry_info(entry, &info);
	rcu_read_unlock();
	return info.path.len;
}

/* A path of usual length is stored at once, a longer one by the worker. */
static void without_a_free_request_a_resident_file_is_known_all_the_same(struct kunit *test)
{
	struct test_subscriber *sub = subscribe(test);
	struct file *file = make_settled_file(test, 20);
	struct file *long_named = make_named_file(test, LONG_NAME, 20, gnu_id[0]);
	const struct buildid_file *record;
	struct bid_request *held[REQUESTS];
	u64 file_id;

	needs_hook_that_reads(test);
	settle_time_stamps();
	hold_all_requests(test, held);
	map(test, file);
	record = next_file(test, sub);
	expect_gnu(test, record, 20, gnu_id[0]);
	expect_path(test, record);
	expect_mmap_alone(test, sub, record->file_id, BUILDID_STATE_KNOWN);
	KUNIT_EXPECT_EQ(test, remembered_path_len(file), strlen("/image"));

	map(test, long_named);
	record = next_file(test, sub);
	file_id = record->file_id;
	expect_gnu(test, record, 20, gnu_id[0]);
	KUNIT_EXPECT_EQ(test, record->path_len, strlen(LONG_NAME) + 1);
	expect_mmap_alone(test, sub, file_id, BUILDID_STATE_KNOWN);
	KUNIT_EXPECT_EQ(test, remembered_path_len(long_named), 0);
	release_all_requests(held);

	/* the next mapping sees to it */
	map(test, long_named);
	expect_mmap_alone(test, sub, file_id, BUILDID_STATE_KNOWN);
	wait_for_worker(test);
	KUNIT_EXPECT_EQ(test, remembered_path_len(long_named), strlen(LONG_NAME) + 1);
}

/* Many at once, from several mappings each, through few requests. */
static void every_mapping_gets_its_file_or_is_counted(struct kunit *test)
{
	enum {
		FILES = 3 * REQUESTS,
		ROUNDS = 3
	};
	struct test_subscriber *sub = subscribe(test);
	struct bid_ring *ring = &sub->subscriber->ring;
	const struct buildid_record *record;
	u64 known = 0, pending = 0;
	u32 unresolved = 0, lost = 0, mmaps = 0, i;
	struct file *files[FILES];

	for (i = 0; i < FILES; i++)
		files[i] = make_elf_file(test, LONG_LEN, i);
	settle_time_stamps();
	for (i = 0; i < ROUNDS * FILES; i++)
		map(test, files[i % FILES]);
	wait_for_worker(test);
	bid_ring_report_lost(ring, 0);

	while ((record = bid_ring_peek(ring, 0))) {
		const struct buildid_file *file = (const void *)record;
		const struct buildid_mmap *mmap = (const void *)record;

		if (record->type == BUILDID_RECORD_FILE && file->kind == BUILDID_KIND_GNU) {
			KUNIT_EXPECT_EQ(test, file->id_len, LONG_LEN);
			known |= BIT_ULL(file->file_id);
			pending &= ~BIT_ULL(file->file_id);
		} else if (record->type == BUILDID_RECORD_MMAP) {
			mmaps++;
			if (mmap->state == BUILDID_STATE_UNRESOLVED)
				unresolved++;
			else if (mmap->state == BUILDID_STATE_PENDING)
				pending |= BIT_ULL(mmap->file_id);
			else
				KUNIT_EXPECT_TRUE(test, known & BIT_ULL(mmap->file_id));
		} else if (record->type == BUILDID_RECORD_LOST) {
			lost += ((const struct buildid_lost *)record)->unresolved;
		}
		bid_ring_consume(ring, record->size);
	}
	KUNIT_EXPECT_EQ(test, mmaps, ROUNDS * FILES);
	KUNIT_EXPECT_EQ(test, lost, unresolved);
	KUNIT_EXPECT_EQ(test, pending, 0);
}

/* ---------------------------------------------------------------- by a caller -- */

static void a_caller_resolves_an_open_file(struct kunit *test)
{
	struct file *file = make_settled_file(test, 20);
	u64 parsed = bid_stats_sum(BID_STAT_PARSED_CALLER);
	struct buildid_file *record, *again;

	record = resolve(test, file);
	expect_gnu(test, record, 20, gnu_id[0]);
	expect_path(test, record);
	KUNIT_EXPECT_EQ(test, record->header.type, BUILDID_RECORD_FILE);
	KUNIT_EXPECT_EQ(test, record->header.seq, 0);
	KUNIT_EXPECT_NE(test, record->file_id, 0);
	KUNIT_EXPECT_EQ(test, record->header.size,
			sizeof(*record) + 24 + ALIGN(strlen("/image") + 1, 8));

	again = resolve(test, file);
	KUNIT_EXPECT_EQ(test, again->file_id, record->file_id);
	KUNIT_EXPECT_MEMEQ(test, again, record, record->header.size);
	KUNIT_EXPECT_EQ(test, bid_stats_sum(BID_STAT_PARSED_CALLER) - parsed, 1);
}

/* It is read each time, and remembered once. */
static void a_file_resolved_often_uses_no_more_memory(struct kunit *test)
{
	struct file *file = make_settled_file(test, 20);
	struct buildid_file *record = resolve(test, file);
	u64 memory, file_id;
	u32 i;

	KUNIT_ASSERT_EQ(test, get_write_access(file_inode(file)), 0);
	map(test, file);
	file_id = resolve(test, file)->file_id;
	KUNIT_EXPECT_EQ(test, file_id, record->file_id);
	bid_cache_refill();
	rcu_barrier();
	memory = bid_cache_memory();
	for (i = 0; i < 20; i++)
		KUNIT_EXPECT_EQ(test, resolve(test, file)->file_id, file_id);
	bid_cache_refill();
	rcu_barrier();
	KUNIT_EXPECT_EQ(test, bid_cache_memory(), memory);
	put_write_access(file_inode(file));
}

static void a_mapping_hits_what_a_caller_resolved(struct kunit *test)
{
	struct test_subscriber *sub = subscribe(test);
	struct file *file = make_settled_file(test, LONG_LEN);
	const struct buildid_file *record;
	u64 file_id = resolve(test, file)->file_id;

	map(test, file);
	record = next_file(test, sub);
	KUNIT_EXPECT_EQ(test, record->file_id, file_id);
	expect_gnu(test, record, LONG_LEN, gnu_id[0]);
	expect_path(test, record);
	expect_mmap_alone(test, sub, file_id, BUILDID_STATE_KNOWN);
}

static void a_caller_gets_the_reason(struct kunit *test)
{
	struct file *file = filp_open("/dev/zero", O_RDONLY, 0);
	struct buildid_file *record;

	if (IS_ERR(file))
		kunit_skip(test, "no /dev/zero");
	KUNIT_ASSERT_EQ(test, kunit_add_action_or_reset(test, close_file, file), 0);
	record = resolve(test, file);
	expect_none_yet(test, record, BUILDID_REASON_NOT_REGULAR);
}

/* As on a filesystem that any user may serve. */
static void force_access(enum bid_access access)
{
	access_is_forced = true;
	forced_access = access;
}

static void what_only_a_caller_may_read_is_deferred(struct kunit *test)
{
	struct test_subscriber *sub = subscribe(test);
	u64 deferred = bid_stats_sum(BID_STAT_DEFERRED);
	struct file *file = make_settled_file(test, LONG_LEN);
	const struct buildid_file *record;
	u64 file_id;
	u32 i;

	force_access(BID_ACCESS_CALLER);
	map(test, file);
	record = next_file(test, sub);
	file_id = record->file_id;
	expect_none_yet(test, record, BUILDID_REASON_DEFERRED);
	expect_path(test, record);
	expect_mmap_alone(test, sub, file_id, BUILDID_STATE_DEFERRED);
	wait_for_worker(test);
	for (i = 0; i < 5; i++) {
		map(test, file);
		expect_mmap_alone(test, sub, file_id, BUILDID_STATE_DEFERRED);
		wait_for_worker(test);
	}
	/* the stats count files, and there is one */
	KUNIT_EXPECT_EQ(test, bid_stats_sum(BID_STAT_DEFERRED) - deferred, 1);

	record = resolve(test, file);
	KUNIT_EXPECT_EQ(test, record->file_id, file_id);
	expect_gnu(test, record, LONG_LEN, gnu_id[0]);
	map(test, file);
	record = next_file(test, sub);
	KUNIT_EXPECT_EQ(test, record->file_id, file_id);
	expect_gnu(test, record, LONG_LEN, gnu_id[0]);
	expect_path(test, record);
	expect_mmap_alone(test, sub, file_id, BUILDID_STATE_KNOWN);
}

static void a_deferred_file_is_counted_when_it_is_found_by_its_mapping(struct kunit *test)
{
	struct buildid_file *record = kunit_kzalloc(test, BUILDID_RECORD_MAX, GFP_KERNEL);
	struct bid_mapped *mapped = kunit_kzalloc(test, sizeof(*mapped), GFP_KERNEL);
	u64 deferred = bid_stats_sum(BID_STAT_DEFERRED);
	struct file *file = make_settled_file(test, 20);

	KUNIT_ASSERT_NOT_NULL(test, record);
	KUNIT_ASSERT_NOT_NULL(test, mapped);
	force_access(BID_ACCESS_CALLER);
	KUNIT_ASSERT_FALSE(test, bid_reply_mapped(file, mapped, record));
	KUNIT_EXPECT_EQ(test, record->reason, BUILDID_REASON_DEFERRED);
	map(test, file);
	KUNIT_EXPECT_EQ(test, bid_stats_sum(BID_STAT_DEFERRED) - deferred, 1);
}

/* An open file keeps its mount busy, as whoever has it mapped may end meanwhile. */
static void expect_read_mapped(struct kunit *test, struct file *file, bool file_is_held)
{
	struct buildid_file *record = kunit_kzalloc(test, BUILDID_RECORD_MAX, GFP_KERNEL);
	struct bid_mapped *mapped = kunit_kzalloc(test, sizeof(*mapped), GFP_KERNEL);
	int active = atomic_read(&file_inode(file)->i_sb->s_active);
	long count = file_count(file);

	KUNIT_ASSERT_NOT_NULL(test, record);
	KUNIT_ASSERT_NOT_NULL(test, mapped);
	KUNIT_ASSERT_TRUE(test, bid_reply_mapped(file, mapped, record));
	KUNIT_EXPECT_EQ(test, file_count(file) - count, file_is_held);
	/* umount(2) waits for s_umount, where an active reference would keep the device busy */
	KUNIT_EXPECT_EQ(test, mapped->held.locked, !file_is_held);
	KUNIT_EXPECT_EQ(test, bid_reply_read_mapped(mapped, record), 0);
	expect_gnu(test, record, 20, gnu_id[0]);
	KUNIT_EXPECT_EQ(test, file_count(file), count);
	KUNIT_EXPECT_EQ(test, atomic_read(&file_inode(file)->i_sb->s_active), active);
}

static void a_mapped_file_is_read_without_holding_it(struct kunit *test)
{
	expect_read_mapped(test, make_settled_file(test, 20), false);
}

/* As of a file that only its owner has opened. */
static void one_whose_acl_is_not_in_memory_is_held_until_that_is_read(struct kunit *test)
{
	struct file *file = make_settled_file(test, 20);
	struct inode *inode = file_inode(file);

	KUNIT_ASSERT_TRUE(test, IS_POSIXACL(inode));
	inode->i_uid = KUIDT_INIT(1000);
	inode->i_mode |= 0070;
	forget_cached_acl(inode, ACL_TYPE_ACCESS);
	expect_read_mapped(test, file, true);
	bid_cache_flush();
	expect_read_mapped(test, file, false);
}

/* What is in memory already costs nobody's server anything. */
static void what_is_in_memory_is_not_deferred(struct kunit *test)
{
	struct test_subscriber *sub = subscribe(test);
	struct file *file = make_settled_file(test, 20);
	const struct buildid_file *record;

	needs_hook_that_reads(test);
	force_access(BID_ACCESS_CALLER);
	map(test, file);
	record = next_file(test, sub);
	expect_gnu(test, record, 20, gnu_id[0]);
	expect_mmap_alone(test, sub, record->file_id, BUILDID_STATE_KNOWN);
}

/* A hash takes more than what is in memory. */
static void what_is_in_memory_without_an_id_is_deferred(struct kunit *test)
{
	struct test_subscriber *sub = subscribe(test);
	struct file *file = make_file(test, "image", script, sizeof(script) - 1);
	const struct buildid_file *record;
	u64 file_id;

	settle_time_stamps();
	force_access(BID_ACCESS_CALLER);
	map(test, file);
	record = next_file(test, sub);
	file_id = record->file_id;
	expect_none_yet(test, record, BUILDID_REASON_DEFERRED);
	expect_mmap_alone(test, sub, file_id, BUILDID_STATE_DEFERRED);

	record = resolve(test, file);
	KUNIT_EXPECT_EQ(test, record->file_id, file_id);
	expect_hash_of_script(test, record);
	map(test, file);
	expect_hash_of_script(test, next_file(test, sub));
	expect_mmap_alone(test, sub, file_id, BUILDID_STATE_KNOWN);
}

/*
 * The path of a deferred file could not be stored, a caller resolves the file, and it is
 * mapped again: whatever is done about the path then, the long id, which is stored
 * in the same place, must stay.
 */
static void a_long_id_stays_when_the_path_is_stored_later(struct kunit *test)
{
	struct test_subscriber *sub = subscribe(test), *late;
	struct file *file = make_named_file(test, LONG_NAME, LONG_LEN, gnu_id[0]);
	struct bid_request *held[REQUESTS];
	const struct buildid_file *record;

	settle_time_stamps();
	force_access(BID_ACCESS_CALLER);
	hold_all_requests(test, held);
	map(test, file);
	expect_none_yet(test, next_file(test, sub), BUILDID_REASON_DEFERRED);
	next_mmap(test, sub);
	release_all_requests(held);

	expect_gnu(test, resolve(test, file), LONG_LEN, gnu_id[0]);
	map(test, file);
	expect_gnu(test, next_file(test, sub), LONG_LEN, gnu_id[0]);
	next_mmap(test, sub);
	wait_for_worker(test);

	late = subscribe(test);
	map(test, file);
	record = next_file(test, late);
	expect_gnu(test, record, LONG_LEN, gnu_id[0]);
	KUNIT_EXPECT_EQ(test, record->path_len, strlen(LONG_NAME) + 1);
	KUNIT_EXPECT_EQ(test, remembered_path_len(file), strlen(LONG_NAME) + 1);
	expect_gnu(test, resolve(test, file), LONG_LEN, gnu_id[0]);
}

/* A request for the file, which has not come to run yet. */
static struct bid_request *add_request(struct kunit *test, struct file *file)
{
	struct bid_request *request = NULL;
	struct bid_entry *entry;
	struct bid_key key;

	bid_file_key(file_inode(file), &key);
	rcu_read_lock();
	bid_cache_lock();
	entry = bid_cache_find_newest(MAJOR(key.dev), MINOR(key.dev), key.ino, NULL, NULL);
	if (entry && !entry->request)
		request = bid_worker_get_request(key.dev);
	if (request) {
		request->entry = entry;
		request->path_len = 0;
		entry->request = request;
	}
	bid_cache_unlock();
	rcu_read_unlock();
	KUNIT_ASSERT_NOT_NULL(test, request);
	return request;
}

/* Likewise when the path is on its way while the caller resolves the file. */
static void a_resolved_file_is_known_although_its_path_is_being_stored(struct kunit *test)
{
	struct test_subscriber *sub = subscribe(test);
	struct file *file = make_named_file(test, LONG_NAME, LONG_LEN, gnu_id[0]);
	struct bid_request *held[REQUESTS], *request;

	settle_time_stamps();
	force_access(BID_ACCESS_CALLER);
	hold_all_requests(test, held);
	map(test, file);
	next_file(test, sub);
	next_mmap(test, sub);
	release_all_requests(held);

	request = add_request(test, file);
	request->path_flags = BUILDID_FILE_DELETED;
	request->path_len = strlen(LONG_NAME) + 1;
	memcpy(request->path, "/" LONG_NAME, request->path_len);

	expect_gnu(test, resolve(test, file), LONG_LEN, gnu_id[0]);
	bid_worker_queue(request);
	wait_for_worker(test);
	map(test, file);
	expect_gnu(test, next_file(test, sub), LONG_LEN, gnu_id[0]);
	KUNIT_EXPECT_EQ(test, next_mmap(test, sub)->state, BUILDID_STATE_KNOWN);
	KUNIT_EXPECT_EQ(test, remembered_path_len(file), strlen(LONG_NAME) + 1);
}

/* To give back what the worker has read may take long: an inode is evicted, a server asked. */
static void what_changes_before_the_worker_is_done_is_another(struct kunit *test)
{
	struct test_subscriber *sub = subscribe(test);
	struct file *file = make_elf_file(test, 20, gnu_id[0]);
	const struct buildid_file *record;
	struct bid_request *request;
	u64 first;

	needs_hook_that_reads(test);
	stub_no_change_counter = true;
	date_file(file, 3600);
	first = map_new(test, sub, file);
	wait_for_worker(test);
	request = add_request(test, file);
	request->read = true;

	store(test, file, 0x77, id_at());
	record = resolve(test, file);
	bid_cache_lock();
	bid_cache_request_done(request->entry);
	bid_worker_put_request(request);
	bid_cache_unlock();
	expect_gnu(test, record, 20, 0x77);
	KUNIT_EXPECT_GT(test, record->file_id, first);
}

static void stop(void *unused)
{
	WRITE_ONCE(stub_worker_waits, false);
	bid_identify_exit();
	bid_history_exit();
	bid_worker_exit();
	bid_cache_exit();
	access_is_forced = false;
	stub_no_change_counter = false;
	stub_seconds_later = 0;
}

/* Undone after the subscribers of the case are. */
static int start(struct kunit *test)
{
	int err = bid_cache_init(64);

	writer.times = 0;
	if (err)
		return err;
	err = bid_worker_init(REQUESTS);
	if (err)
		goto err_cache;
	err = bid_history_init();
	if (err)
		goto err_worker;
	err = bid_identify_init();
	if (err)
		goto err_history;
	return kunit_add_action_or_reset(test, stop, NULL);

err_history:
	bid_history_exit();
err_worker:
	bid_worker_exit();
err_cache:
	bid_cache_exit();
	return err;
}

static int init_suite(struct kunit_suite *suite)
{
	fill_ids();
	return 0;
}

static struct kunit_case cases[] = {
	KUNIT_CASE(a_new_file_comes_before_its_mapping),
	KUNIT_CASE(a_known_file_is_sent_once),
	KUNIT_CASE(data_mappings_are_ignored_without_a_subscriber_for_them),
	KUNIT_CASE(a_changed_file_is_another),
	KUNIT_CASE(a_file_just_written_is_read_again),
	KUNIT_CASE(a_file_mapped_shared_and_writable_is_read_again),
	KUNIT_CASE(a_file_open_for_writing_is_flagged_and_read_again),
	KUNIT_CASE(a_file_opened_for_writing_later_is_sent_again),
	KUNIT_CASE(a_device_that_goes_away_ends_the_versions_of_its_files),
	KUNIT_CASE(a_flushed_file_is_read_anew),
	KUNIT_CASE(a_file_that_may_not_be_read_has_a_reason),
	KUNIT_CASE(a_long_id_follows_its_mapping),
	KUNIT_CASE(content_not_in_memory_is_read_later),
	KUNIT_CASE(a_script_is_hashed_by_the_worker),
	KUNIT_CASE(a_file_that_changes_while_it_is_read_is_read_again),
	KUNIT_CASE(a_file_that_changes_again_is_left_to_the_worker),
	KUNIT_CASE(without_a_free_request_a_mapping_stays_unresolved),
	KUNIT_CASE(without_a_free_request_a_resident_file_is_known_all_the_same),
	KUNIT_CASE(every_mapping_gets_its_file_or_is_counted),
	KUNIT_CASE(a_caller_resolves_an_open_file),
	KUNIT_CASE(a_file_resolved_often_uses_no_more_memory),
	KUNIT_CASE(a_mapping_hits_what_a_caller_resolved),
	KUNIT_CASE(a_caller_gets_the_reason),
	KUNIT_CASE(what_only_a_caller_may_read_is_deferred),
	KUNIT_CASE(a_deferred_file_is_counted_when_it_is_found_by_its_mapping),
	KUNIT_CASE(a_mapped_file_is_read_without_holding_it),
	KUNIT_CASE(one_whose_acl_is_not_in_memory_is_held_until_that_is_read),
	KUNIT_CASE(what_is_in_memory_is_not_deferred),
	KUNIT_CASE(what_is_in_memory_without_an_id_is_deferred),
	KUNIT_CASE(a_long_id_stays_when_the_path_is_stored_later),
	KUNIT_CASE(a_resolved_file_is_known_although_its_path_is_being_stored),
	KUNIT_CASE(what_changes_before_the_worker_is_done_is_another),
	{},
};

static struct kunit_suite suite = {
	.name = "buildid_identify",
	.suite_init = init_suite,
	.init = start,
	.test_cases = cases,
};

kunit_test_suites(&suite);
