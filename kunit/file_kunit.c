// SPDX-License-Identifier: GPL-2.0
/*
 * Keys, versions, access, paths and resident pages, on files of shared memory.
 */
#include "files.h"

#include "compat.h"

static s64 stub_now; /* in nanoseconds; 0: it is what it is */

static void test_ktime_get_coarse_real_ts64(struct timespec64 *time)
{
	if (stub_now) {
		*time = ns_to_timespec64(stub_now);
		return;
	}
	ktime_get_coarse_real_ts64(time);
	time->tv_sec += stub_seconds_later;
}

#define ktime_get_coarse_real_ts64 test_ktime_get_coarse_real_ts64

#include "file.c"

/* -------------------------------------------------------- key and version -- */

static void key_names_the_inode(struct kunit *test)
{
	struct file *file = make_file(test, "a", "content", 7);
	struct inode *inode = bid_file_inode(file);
	struct bid_key key, other;

	bid_file_key(inode, &key);
	KUNIT_EXPECT_PTR_EQ(test, inode, file_inode(file));
	KUNIT_EXPECT_EQ(test, key.ino, inode->i_ino);
	KUNIT_EXPECT_EQ(test, key.dev, inode->i_sb->s_dev);
	KUNIT_EXPECT_EQ(test, key.generation, inode->i_generation);
	KUNIT_EXPECT_EQ(test, key.tree, 0);
	KUNIT_EXPECT_TRUE(test, bid_key_equal(&key, &key));

	file = make_file(test, "a", "content", 7);
	bid_file_key(file_inode(file), &other);
	KUNIT_EXPECT_FALSE(test, bid_key_equal(&key, &other));
}

/* Whether it moved since @before, that then is what it is now. */
static bool moved(struct file *file, struct bid_version *before)
{
	struct bid_version now;
	bool same;

	bid_file_version(file_inode(file), &now);
	same = bid_version_equal(before, &now);
	*before = now;
	return !same;
}

/* The hook compares with the inode itself. */
static void an_inode_is_what_its_key_and_version_say(struct kunit *test)
{
	struct file *file = make_file(test, "a", "content", 7);
	struct inode *inode = file_inode(file);
	struct bid_version version, versions[5];
	struct bid_key key, keys[3];
	u32 i;

	bid_file_key(inode, &key);
	bid_file_version(inode, &version);
	KUNIT_EXPECT_TRUE(test, bid_file_matches(inode, &key, &version));

	for (i = 0; i < ARRAY_SIZE(keys); i++)
		keys[i] = key;
	keys[0].dev++;
	keys[1].ino++;
	keys[2].generation++;
	for (i = 0; i < ARRAY_SIZE(keys); i++)
		KUNIT_EXPECT_FALSE_MSG(test, bid_file_matches(inode, &keys[i], &version), "%u", i);

	for (i = 0; i < ARRAY_SIZE(versions); i++)
		versions[i] = version;
	versions[0].ctime++;
	versions[1].mtime++;
	versions[2].size++;
	versions[3].change++;
	versions[4].epoch++;
	for (i = 0; i < ARRAY_SIZE(versions); i++)
		KUNIT_EXPECT_FALSE_MSG(test, bid_file_matches(inode, &key, &versions[i]), "%u", i);

	settle_time_stamps();
	write_file(test, file, "CONTENT", 7, 0);
	KUNIT_EXPECT_FALSE(test, bid_file_matches(inode, &key, &version));
	bid_file_version(inode, &version);
	KUNIT_EXPECT_TRUE(test, bid_file_matches(inode, &key, &version));
	bid_file_end_epoch(inode->i_sb);
	KUNIT_EXPECT_FALSE(test, bid_file_matches(inode, &key, &version));
}

static void version_moves_with_the_content(struct kunit *test)
{
	struct file *file = make_file(test, "a", "content", 7);
	struct bid_version version;
	struct iattr longer = { .ia_valid = ATTR_SIZE, .ia_size = 8000 };

	settle_time_stamps();
	bid_file_version(file_inode(file), &version);
	KUNIT_EXPECT_EQ(test, version.size, 7);
	KUNIT_EXPECT_FALSE(test, moved(file, &version));
	write_file(test, file, "CONTENT", 7, 0);
	KUNIT_EXPECT_TRUE(test, moved(file, &version));
	KUNIT_EXPECT_EQ(test, version.size, 7);
	write_file(test, file, "!", 1, 7);
	KUNIT_EXPECT_TRUE(test, moved(file, &version));
	KUNIT_EXPECT_EQ(test, version.size, 8);

	inode_lock(file_inode(file));
	KUNIT_EXPECT_EQ(test, notify_change(&nop_mnt_idmap, file->f_path.dentry, &longer, NULL), 0);
	inode_unlock(file_inode(file));
	KUNIT_EXPECT_TRUE(test, moved(file, &version));
	KUNIT_EXPECT_EQ(test, version.size, 8000);
	KUNIT_EXPECT_FALSE(test, moved(file, &version));
}

static void version_does_not_move_with_reading(struct kunit *test)
{
	struct file *file = make_file(test, "a", "content", 7);
	struct bid_version version;
	char buf[7];
	loff_t at = 0;

	bid_file_version(file_inode(file), &version);
	settle_time_stamps();
	bid_file_arm_version(file_inode(file));
	KUNIT_EXPECT_EQ(test, kernel_read(file, buf, sizeof(buf), &at), 7);
	KUNIT_EXPECT_FALSE(test, moved(file, &version));
}

/* A device number that is used again is another filesystem's. */
static void version_moves_when_its_filesystem_goes_away(struct kunit *test)
{
	struct file *file = make_file(test, "a", "content", 7);
	struct super_block *sb = file_inode(file)->i_sb, *other;
	struct bid_version version;
	u32 i;

	other = kunit_kzalloc(test, sizeof(*other), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, other);
	bid_file_version(file_inode(file), &version);
	/* any user's, without a device; a disk; one without code, by the same number */
	for (i = 1; i < 1000; i++) {
		other->s_dev = sb->s_dev + i;
		bid_file_end_epoch(other);
	}
	other->s_dev = MKDEV(8, sb->s_dev);
	bid_file_end_epoch(other);
	other->s_dev = sb->s_dev;
	other->s_iflags = SB_I_NOEXEC;
	bid_file_end_epoch(other);
	KUNIT_EXPECT_FALSE(test, moved(file, &version));
	for (i = 0; i < 3; i++) {
		bid_file_end_epoch(sb);
		KUNIT_EXPECT_TRUE(test, moved(file, &version));
	}
	KUNIT_EXPECT_FALSE(test, moved(file, &version));
}

/* Whoever mounts and unmounts what he may has no say in what is known of disks. */
static void a_disk_has_an_epoch_apart_from_all_that_users_mount(struct kunit *test)
{
	static const dev_t disks[] = { MKDEV(8, 1), MKDEV(8, 2), MKDEV(253, 0), MKDEV(259, 2) };
	u32 i, j, shared = 0;

	for (i = 0; i < ARRAY_SIZE(disks); i++) {
		for (j = 0; j < 1 << MINORBITS; j++)
			shared += bid_file_epoch_index(MKDEV(0, j)) ==
				  bid_file_epoch_index(disks[i]);
		for (j = 0; j < i; j++)
			shared += bid_file_epoch_index(disks[j]) == bid_file_epoch_index(disks[i]);
	}
	KUNIT_EXPECT_EQ(test, shared, 0);
}

/* However fast one write comes after the other. */
static void change_counter_moves_when_the_clock_does_not(struct kunit *test)
{
	struct file *file = make_file(test, "a", "content", 7);
	struct bid_version version;
	u32 i;

	for (i = 0; i < 10; i++) {
		bid_file_arm_version(file_inode(file));
		bid_file_version(file_inode(file), &version);
		KUNIT_EXPECT_FALSE(test,
				   bid_file_racy(file_inode(file), &version, BID_ACCESS_INODE));
		write_file(test, file, "CONTENT", 7, 0);
		KUNIT_EXPECT_TRUE(test, moved(file, &version));
	}
}

static void without_a_change_counter_a_version_just_made_is_racy(struct kunit *test)
{
	struct file *file = make_file(test, "a", "content", 7);
	struct inode *inode = file_inode(file);
	bool now, soon, later;
	struct bid_version version;

	stub_no_change_counter = true;
	date_file(file, 3600);
	bid_file_version(inode, &version);
	now = bid_file_racy(inode, &version, BID_ACCESS_INODE);
	stub_seconds_later = 3599;
	soon = bid_file_racy(inode, &version, BID_ACCESS_INODE);
	stub_seconds_later = 3601;
	later = bid_file_racy(inode, &version, BID_ACCESS_INODE);
	stub_seconds_later = 0;
	stub_no_change_counter = false;

	KUNIT_EXPECT_EQ(test, version.change, 0);
	KUNIT_EXPECT_TRUE(test, now);
	KUNIT_EXPECT_TRUE(test, soon);
	KUNIT_EXPECT_FALSE(test, later);
}

/* What changes it in the next tick may get the same ctime still. */
static void a_ctime_has_settled_two_ticks_later(struct kunit *test)
{
	struct inode *inode = file_inode(make_file(test, "a", "content", 7));
	struct bid_version version;
	bool before, then;

	stub_no_change_counter = true;
	bid_file_version(inode, &version);
	stub_now = version.ctime + 2 * TICK_NSEC - 1;
	before = bid_file_racy(inode, &version, BID_ACCESS_INODE);
	stub_now++;
	then = bid_file_racy(inode, &version, BID_ACCESS_INODE);
	stub_now = 0;
	stub_no_change_counter = false;

	KUNIT_EXPECT_TRUE(test, before);
	KUNIT_EXPECT_FALSE(test, then);
}

static void a_file_that_can_be_written_is_unstable(struct kunit *test)
{
	struct file *file = make_file(test, "a", "content", 7);
	struct inode *inode = file_inode(file);

	KUNIT_EXPECT_FALSE(test, bid_file_unstable(inode));
	KUNIT_ASSERT_EQ(test, get_write_access(inode), 0);
	KUNIT_EXPECT_TRUE(test, bid_file_unstable(inode));
	put_write_access(inode);
	KUNIT_EXPECT_FALSE(test, bid_file_unstable(inode));

	KUNIT_ASSERT_EQ(test, mapping_map_writable(file->f_mapping), 0);
	KUNIT_EXPECT_TRUE(test, bid_file_unstable(inode));
	mapping_unmap_writable(file->f_mapping);
	KUNIT_EXPECT_FALSE(test, bid_file_unstable(inode));

	/* being executed is not being written */
	KUNIT_ASSERT_EQ(test, deny_write_access(file), 0);
	KUNIT_EXPECT_FALSE(test, bid_file_unstable(inode));
	allow_write_access(file);
}

/* ------------------------------------------------------------------ access -- */

static void memory_is_read_by_the_inode(struct kunit *test)
{
	struct file *file = make_file(test, "a", "content", 7);
	u8 reason = 0;

	KUNIT_EXPECT_EQ(test, bid_file_access(file, file_inode(file), &reason), BID_ACCESS_INODE);
}

static void a_file_not_open_for_reading_is_never_read(struct kunit *test)
{
	struct file *file = make_file(test, "a", "content", 7);
	u8 reason = 0;

	file->f_mode &= ~FMODE_READ;
	KUNIT_EXPECT_EQ(test, bid_file_access(file, file_inode(file), &reason), BID_ACCESS_NEVER);
	KUNIT_EXPECT_EQ(test, reason, BUILDID_REASON_UNREADABLE);
	file->f_mode |= FMODE_READ;
}

/* What it is stacked on, a user may have mounted; and on bcachefs a reader waits for writers. */
static void stacked_filesystems_and_bcachefs_are_not_read_by_the_worker(struct kunit *test)
{
	struct file *file = make_file(test, "a", "content", 7);
	struct super_block *sb = kunit_kzalloc(test, sizeof(*sb), GFP_KERNEL);
	struct inode *inode = kunit_kzalloc(test, sizeof(*inode), GFP_KERNEL);
	u8 reason = 0;

	KUNIT_ASSERT_NOT_NULL(test, sb);
	KUNIT_ASSERT_NOT_NULL(test, inode);
	sb->s_user_ns = &init_user_ns;
	inode->i_sb = sb;
	inode->i_mode = S_IFREG;
	file->f_mode &= ~FMODE_WRITE;
	KUNIT_EXPECT_EQ(test, bid_file_access(file, inode, &reason), BID_ACCESS_REMOTE);
	sb->s_stack_depth = 1;
	KUNIT_EXPECT_EQ(test, bid_file_access(file, inode, &reason), BID_ACCESS_CALLER);
	sb->s_stack_depth = 0;
	sb->s_magic = 0xca451a4e;
	KUNIT_EXPECT_EQ(test, bid_file_access(file, inode, &reason), BID_ACCESS_CALLER);
	file->f_mode |= FMODE_WRITE;
}

static void on_ceph_any_reader_may_be_in_the_way(struct kunit *test)
{
	struct super_block *sb = kunit_kzalloc(test, sizeof(*sb), GFP_KERNEL);
	struct inode *inode = kunit_kzalloc(test, sizeof(*inode), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, sb);
	KUNIT_ASSERT_NOT_NULL(test, inode);
	inode->i_sb = sb;
	KUNIT_EXPECT_FALSE(test, bid_file_read_alone(inode));
	sb->s_magic = CEPH_SUPER_MAGIC;
	KUNIT_EXPECT_TRUE(test, bid_file_read_alone(inode));
}

static void a_device_is_never_read(struct kunit *test)
{
	struct file *file = filp_open("/dev/zero", O_RDONLY, 0);
	u8 reason = 0;

	if (IS_ERR(file))
		kunit_skip(test, "no /dev/zero");
	KUNIT_EXPECT_EQ(test, bid_file_access(file, file_inode(file), &reason), BID_ACCESS_NEVER);
	KUNIT_EXPECT_EQ(test, reason, BUILDID_REASON_NOT_REGULAR);
	filp_close(file, NULL);
}

/* -------------------------------------------------------------------- path -- */

static void path_of_a_memfd_is_flagged(struct kunit *test)
{
	struct file *file = make_file(test, "memfd:jit", "content", 7);
	char *buf = kunit_kzalloc(test, PATH_MAX, GFP_KERNEL);
	struct bid_path path;

	KUNIT_ASSERT_NOT_NULL(test, buf);
	bid_file_path(file, buf, PATH_MAX, &path);
	KUNIT_EXPECT_EQ(test, path.flags, BUILDID_FILE_MEMFD | BUILDID_FILE_DELETED);
	KUNIT_ASSERT_EQ(test, path.len, strlen("/memfd:jit"));
	KUNIT_EXPECT_MEMEQ(test, path.name, "/memfd:jit", path.len);
}

/* Whoever may choose the name may not choose the flag. */
static void a_name_with_deleted_in_it_is_left_alone(struct kunit *test)
{
	struct file *file = make_file(test, "a (deleted)", "content", 7);
	char *buf = kunit_kzalloc(test, PATH_MAX, GFP_KERNEL);
	struct bid_path path;

	KUNIT_ASSERT_NOT_NULL(test, buf);
	bid_file_path(file, buf, PATH_MAX, &path);
	KUNIT_EXPECT_EQ(test, path.flags, BUILDID_FILE_DELETED);
	KUNIT_ASSERT_EQ(test, path.len, strlen("/a (deleted)"));
	KUNIT_EXPECT_MEMEQ(test, path.name, "/a (deleted)", path.len);
}

static void path_that_does_not_fit_is_none(struct kunit *test)
{
	struct file *file = make_file(test, "a-name-of-some-length", "content", 7);
	struct bid_path path;
	char buf[16];

	bid_file_path(file, buf, sizeof(buf), &path);
	KUNIT_EXPECT_TRUE(test, path.flags & BUILDID_FILE_NO_PATH);
	KUNIT_EXPECT_PTR_EQ(test, path.name, NULL);
	KUNIT_EXPECT_EQ(test, path.len, 0);
}

/* -------------------------------------------------------- resident content -- */

static void reads_what_is_in_memory(struct kunit *test)
{
	u8 *bytes = kunit_kzalloc(test, 3 * PAGE_SIZE, GFP_KERNEL);
	u8 *buf = kunit_kzalloc(test, 3 * PAGE_SIZE, GFP_KERNEL);
	struct bid_resident resident;
	struct bid_reader *reader = &resident.reader;
	struct file *file;
	u32 i, len, refs;

	KUNIT_ASSERT_NOT_NULL(test, bytes);
	KUNIT_ASSERT_NOT_NULL(test, buf);
	for (i = 0; i < 3 * PAGE_SIZE; i++)
		bytes[i] = i * 7 + (i >> 8);
	file = make_file(test, "a", bytes, 3 * PAGE_SIZE - 10);
	bid_resident_init(&resident, file_inode(file));
	KUNIT_EXPECT_EQ(test, reader->size, 3 * PAGE_SIZE - 10);

	/* around each border between pages, and over two of them */
	for (i = PAGE_SIZE - 20; i < PAGE_SIZE + 5; i++)
		for (len = 0; len < 40; len++) {
			bid_resident_done(&resident);
			bid_resident_init(&resident, file_inode(file));
			KUNIT_ASSERT_EQ(test, reader->read(reader, i, buf, len), 0);
			KUNIT_ASSERT_MEMEQ(test, buf, bytes + i, len);
		}
	KUNIT_EXPECT_EQ(test, reader->read(reader, 0, buf, 3 * PAGE_SIZE - 10), 0);
	KUNIT_EXPECT_MEMEQ(test, buf, bytes, 3 * PAGE_SIZE - 10);

	/* of the pages it looked at it holds one, in the end none */
	KUNIT_EXPECT_EQ(test, resident.index, 2);
	refs = page_count(resident.page);
	get_page(resident.page);
	bid_resident_done(&resident);
	KUNIT_EXPECT_PTR_EQ(test, resident.page, NULL);
	resident.page = find_get_page(file->f_mapping, 2);
	KUNIT_EXPECT_EQ(test, page_count(resident.page), refs + 1);
	put_page(resident.page);
	put_page(resident.page);
}

/* Preemption is off, and the maker of the file decides where its notes are. */
static void looks_at_few_pages(struct kunit *test)
{
	struct file *file = make_hole(test, "a", 2 * PAGE_SIZE);
	struct bid_resident resident;
	u32 i, found = 0;
	u8 byte;

	write_file(test, file, "x", 1, 0);
	write_file(test, file, "y", 1, PAGE_SIZE);
	bid_resident_init(&resident, file_inode(file));
	for (i = 0; i < 100; i++)
		found += !resident.reader.read(&resident.reader, i % 2 * PAGE_SIZE, &byte, 1);
	KUNIT_EXPECT_EQ(test, found, RESIDENT_PAGES);
	/* the one it has costs nothing more */
	KUNIT_EXPECT_PTR_EQ(test, resident.page, NULL);
	bid_resident_done(&resident);
}

static void looks_at_what_is_in_one_page(struct kunit *test)
{
	u8 *bytes = kunit_kzalloc(test, 2 * PAGE_SIZE, GFP_KERNEL);
	struct bid_resident resident;
	struct bid_reader *reader = &resident.reader;
	struct file *file;
	const u8 *seen;
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, bytes);
	for (i = 0; i < 2 * PAGE_SIZE; i++)
		bytes[i] = i * 7 + (i >> 8);
	file = make_hole(test, "a", 3 * PAGE_SIZE);
	write_file(test, file, bytes, 2 * PAGE_SIZE, 0);
	bid_resident_init(&resident, file_inode(file));

	for (i = 0; i < 2; i++) {
		seen = reader->look(reader, i * PAGE_SIZE, PAGE_SIZE);
		KUNIT_ASSERT_NOT_NULL(test, seen);
		KUNIT_EXPECT_MEMEQ(test, seen, bytes + i * PAGE_SIZE, PAGE_SIZE);
	}
	seen = reader->look(reader, PAGE_SIZE - 8, 8);
	KUNIT_ASSERT_NOT_NULL(test, seen);
	KUNIT_EXPECT_MEMEQ(test, seen, bytes + PAGE_SIZE - 8, 8);
	KUNIT_EXPECT_PTR_EQ(test, (const u8 *)reader->look(reader, PAGE_SIZE - 8, 9), NULL);
	KUNIT_EXPECT_PTR_EQ(test, (const u8 *)reader->look(reader, 0, 2 * PAGE_SIZE), NULL);
	KUNIT_EXPECT_PTR_EQ(test, (const u8 *)reader->look(reader, 2 * PAGE_SIZE, 8), NULL);
	bid_resident_done(&resident);
}

static void does_not_wait_for_what_is_not_in_memory(struct kunit *test)
{
	struct file *file = make_hole(test, "a", 3 * PAGE_SIZE);
	struct bid_resident resident;
	struct bid_reader *reader = &resident.reader;
	u8 buf[32];

	write_file(test, file, "x", 1, PAGE_SIZE);
	bid_resident_init(&resident, file_inode(file));
	KUNIT_EXPECT_EQ(test, reader->read(reader, 0, buf, 4), -EAGAIN);
	KUNIT_EXPECT_EQ(test, reader->read(reader, PAGE_SIZE, buf, 4), 0);
	KUNIT_EXPECT_EQ(test, buf[0], 'x');
	KUNIT_EXPECT_EQ(test, reader->read(reader, PAGE_SIZE - 1, buf, 4), -EAGAIN);
	KUNIT_EXPECT_EQ(test, reader->read(reader, 2 * PAGE_SIZE - 1, buf, 4), -EAGAIN);
	KUNIT_EXPECT_EQ(test, reader->read(reader, 2 * PAGE_SIZE - 4, buf, 4), 0);
	bid_resident_done(&resident);
	/* nor did it bring it into memory */
	KUNIT_EXPECT_EQ(test, file->f_mapping->nrpages, 1);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(key_names_the_inode),
	KUNIT_CASE(an_inode_is_what_its_key_and_version_say),
	KUNIT_CASE(version_moves_with_the_content),
	KUNIT_CASE(version_does_not_move_with_reading),
	KUNIT_CASE(version_moves_when_its_filesystem_goes_away),
	KUNIT_CASE(a_disk_has_an_epoch_apart_from_all_that_users_mount),
	KUNIT_CASE(change_counter_moves_when_the_clock_does_not),
	KUNIT_CASE(without_a_change_counter_a_version_just_made_is_racy),
	KUNIT_CASE(a_ctime_has_settled_two_ticks_later),
	KUNIT_CASE(a_file_that_can_be_written_is_unstable),
	KUNIT_CASE(memory_is_read_by_the_inode),
	KUNIT_CASE(a_file_not_open_for_reading_is_never_read),
	KUNIT_CASE(stacked_filesystems_and_bcachefs_are_not_read_by_the_worker),
	KUNIT_CASE(on_ceph_any_reader_may_be_in_the_way),
	KUNIT_CASE(a_device_is_never_read),
	KUNIT_CASE(path_of_a_memfd_is_flagged),
	KUNIT_CASE(a_name_with_deleted_in_it_is_left_alone),
	KUNIT_CASE(path_that_does_not_fit_is_none),
	KUNIT_CASE(reads_what_is_in_memory),
	KUNIT_CASE(looks_at_few_pages),
	KUNIT_CASE(looks_at_what_is_in_one_page),
	KUNIT_CASE(does_not_wait_for_what_is_not_in_memory),
	{},
};

static struct kunit_suite suite = {
	.name = "buildid_file",
	.test_cases = cases,
};

kunit_test_suites(&suite);
