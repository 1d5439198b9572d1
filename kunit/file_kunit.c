// SPDX-License-Identifier: GPL-2.0
/*
 * Keys, versions, access and paths, on files of shared memory.
 */
#include "files.h"

#include "compat.h"

static s64 stub_now; /* in nanoseconds; 0: the real time */

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

/* Has the version changed since @before? Updates @before. */
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
	struct bid_version version, versions[4];
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
	versions[3].epoch++;
	for (i = 0; i < ARRAY_SIZE(versions); i++)
		KUNIT_EXPECT_FALSE_MSG(test, bid_file_matches(inode, &key, &versions[i]), "%u", i);
	/* the counter may also count changes of atime */
	version.change++;
	KUNIT_EXPECT_TRUE(test, bid_file_matches(inode, &key, &version));

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
	inode_query_iversion(file_inode(file));
	KUNIT_EXPECT_EQ(test, kernel_read(file, buf, sizeof(buf), &at), 7);
	KUNIT_EXPECT_FALSE(test, moved(file, &version));
}

/* A reused device number belongs to another filesystem. */
static void version_moves_when_its_filesystem_goes_away(struct kunit *test)
{
	struct file *file = make_file(test, "a", "content", 7);
	struct super_block *sb = file_inode(file)->i_sb, *other;
	struct bid_version version;
	u32 i;

	other = kunit_kzalloc(test, sizeof(*other), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, other);
	bid_file_version(file_inode(file), &version);
	/* a user's without a device; a disk; a noexec one with the same number */
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

/* Mounts and unmounts by users do not affect what is known about disks. */
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

	KUNIT_EXPECT_TRUE(test, bid_file_counts(file_inode(file)));
	for (i = 0; i < 10; i++) {
		inode_query_iversion(file_inode(file));
		bid_file_version(file_inode(file), &version);
		write_file(test, file, "CONTENT", 7, 0);
		KUNIT_EXPECT_NE(test, bid_file_change(file_inode(file)), version.change);
		KUNIT_EXPECT_TRUE(test, moved(file, &version));
	}
}

static void unlink_moves_the_version_and_not_the_content(struct kunit *test)
{
	const struct bid_version version = { 1, 2, 3, 4, 5, 6 };
	struct bid_version other = version;

	other.ctime++;
	other.change++;
	KUNIT_EXPECT_FALSE(test, bid_version_matches(&version, &other));
	KUNIT_EXPECT_TRUE(test, bid_version_same_content(&version, &other));
	other.mtime++;
	KUNIT_EXPECT_FALSE(test, bid_version_same_content(&version, &other));
}

static ssize_t read_nothing(struct kiocb *iocb, struct iov_iter *to)
{
	return 0;
}

static int fill_nothing(struct file *file, struct folio *folio)
{
	return 0;
}

static const struct address_space_operations pages = { .read_folio = fill_nothing }, no_pages;
static const struct file_operations reads = { .read_iter = read_nothing };

/* A file on any filesystem, with the fields that are used here. */
struct made {
	struct super_block sb;
	struct file_system_type type;
	struct inode inode;
	struct file file;
};

static struct made *make(struct kunit *test, unsigned long magic)
{
	struct made *made = kunit_kzalloc(test, sizeof(*made), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, made);
	made->sb.s_magic = magic;
	made->sb.s_type = &made->type;
	made->sb.s_user_ns = &init_user_ns;
	made->inode.i_sb = &made->sb;
	made->inode.i_mode = S_IFREG;
	made->inode.i_mapping = &made->inode.i_data;
	made->inode.i_data.a_ops = &pages;
	made->file.f_inode = &made->inode;
	made->file.f_op = &reads;
	made->file.f_mode = FMODE_READ | FMODE_CAN_READ;
	return made;
}

/* How long after a change the time stamps show the next one. */
static const struct age {
	const char *name;
	unsigned long magic;
	u32 gran;
	bool disk;
	s64 settled; /* -1: never */
} ages[] = {
	{ "memory", TMPFS_MAGIC, 1, false, 2 * TICK_NSEC },
	{ "a disk", EXT4_SUPER_MAGIC, 1, true, 2 * TICK_NSEC },
	{ "a disk of coarse time stamps", HPFS_SUPER_MAGIC, NSEC_PER_SEC, true,
	  NSEC_PER_SEC + TICK_NSEC },
	{ "exFAT", EXFAT_SUPER_MAGIC, 10000000, true, 2 * NSEC_PER_SEC + TICK_NSEC },
	{ "a server", NFS_SUPER_MAGIC, 1, false, 2 * NSEC_PER_SEC + TICK_NSEC },
	{ "FUSE on a disk", FUSE_SUPER_MAGIC, 1, true, 2 * NSEC_PER_SEC + TICK_NSEC },
	{ "FAT", MSDOS_SUPER_MAGIC, 1, true, -1 },
	{ "HFS", HFS_SUPER_MAGIC, 1, true, -1 },
};

KUNIT_ARRAY_PARAM_DESC(ages, ages, name);

static void time_stamps_have_settled_on(struct kunit *test)
{
	const struct age *of = test->param_value;
	struct made *made = make(test, of->magic);
	const struct bid_version version = { .ctime = 1000 * NSEC_PER_SEC };
	bool before, then;

	made->sb.s_time_gran = of->gran;
	made->sb.s_bdev = of->disk ? (void *)made : NULL;
	stub_now = version.ctime + (of->settled < 0 ? 1LL << 60 : of->settled - 1);
	before = bid_file_racy(&made->inode, &version);
	stub_now++;
	then = bid_file_racy(&made->inode, &version);
	stub_now = 0;
	KUNIT_EXPECT_TRUE(test, before);
	KUNIT_EXPECT_EQ(test, then, of->settled < 0);
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

static const struct access_case {
	const char *name;
	unsigned long magic;
	enum bid_access access;
	u8 reason;
	bool disk;
	u32 i_flags;
	unsigned long s_iflags;
	umode_t mode;
	fmode_t lacks;
	bool no_pages;
	bool overlay; /* by an overlay's descriptor */
} accesses[] = {
	{ "memory", TMPFS_MAGIC, BID_ACCESS_PAGES, .no_pages = true },
	{ "memory through an overlay", TMPFS_MAGIC, BID_ACCESS_PAGES, .overlay = true },
	{ "ramfs", RAMFS_MAGIC, BID_ACCESS_PAGES },
	{ "a disk", EXT4_SUPER_MAGIC, BID_ACCESS_PAGES, .disk = true },
	{ "a disk through an overlay", EXT4_SUPER_MAGIC, BID_ACCESS_PAGES, .disk = true,
	  .overlay = true },
	{ "a disk without pages", EXT4_SUPER_MAGIC, BID_ACCESS_READ, .disk = true,
	  .no_pages = true },
	{ "DAX", EXT4_SUPER_MAGIC, S_DAX ? BID_ACCESS_READ : BID_ACCESS_PAGES, .disk = true,
	  .i_flags = S_DAX },
	{ "bcachefs", BCACHEFS_SUPER_MAGIC, BID_ACCESS_READ, .disk = true },
	{ "gfs2", GFS2_SUPER_MAGIC, BID_ACCESS_READ, .disk = true },
	{ "ocfs2", OCFS2_SUPER_MAGIC, BID_ACCESS_READ, .disk = true },
	{ "FUSE", FUSE_SUPER_MAGIC, BID_ACCESS_PAGES },
	{ "FUSE through an overlay", FUSE_SUPER_MAGIC, BID_ACCESS_READ, .overlay = true },
	{ "NFS", NFS_SUPER_MAGIC, BID_ACCESS_PAGES },
	{ "a server of another kind", CEPH_SUPER_MAGIC, BID_ACCESS_READ },
	{ "what cannot be read", CEPH_SUPER_MAGIC, BID_ACCESS_NEVER, BUILDID_REASON_UNREADABLE,
	  .lacks = FMODE_CAN_READ },
	{ "what is not open for reading", TMPFS_MAGIC, BID_ACCESS_NEVER, BUILDID_REASON_UNREADABLE,
	  .lacks = FMODE_READ },
	{ "a device", TMPFS_MAGIC, BID_ACCESS_NEVER, BUILDID_REASON_NOT_REGULAR, .mode = S_IFCHR },
	{ "secret memory", SECRETMEM_MAGIC, BID_ACCESS_NEVER, BUILDID_REASON_SECRET },
	{ "huge pages", HUGETLBFS_MAGIC, BID_ACCESS_NEVER, BUILDID_REASON_HUGETLB },
	{ "anonymous memory", TMPFS_MAGIC, BID_ACCESS_NEVER, BUILDID_REASON_ANONYMOUS,
	  .i_flags = S_PRIVATE },
	{ "sysfs", SYSFS_MAGIC, BID_ACCESS_NEVER, BUILDID_REASON_PSEUDO, .s_iflags = SB_I_NOEXEC },
};

KUNIT_ARRAY_PARAM_DESC(accesses, accesses, name);

static void has_access_to(struct kunit *test)
{
	const struct access_case *of = test->param_value;
	struct made *made = make(test, of->magic), *overlay = make(test, OVERLAYFS_SUPER_MAGIC);
	u8 reason = 0xff;

	made->type.fs_flags = of->disk ? FS_REQUIRES_DEV : 0;
	made->sb.s_bdev = of->disk ? (void *)made : NULL;
	made->sb.s_iflags = of->s_iflags;
	made->inode.i_flags = of->i_flags;
	made->inode.i_mode = of->mode ?: S_IFREG;
	made->inode.i_data.a_ops = of->no_pages ? &no_pages : &pages;
	made->file.f_mode &= ~of->lacks;
	if (of->overlay)
		made->file.f_inode = &overlay->inode;
	KUNIT_EXPECT_EQ(test, bid_file_access(&made->file, &made->inode, &reason), of->access);
	KUNIT_EXPECT_EQ(test, reason, of->reason);
}

/* The lower filesystem of a stacked one may have been mounted by a user. */
static void a_read_may_wait_for_any_user_on_fuse_and_the_like(struct kunit *test)
{
	struct user_namespace *other = kunit_kzalloc(test, sizeof(*other), GFP_KERNEL);
	struct made *made = make(test, EXT4_SUPER_MAGIC);

	KUNIT_ASSERT_NOT_NULL(test, other);
	KUNIT_EXPECT_FALSE(test, bid_file_served(&made->file));
	made->sb.s_stack_depth = 1;
	KUNIT_EXPECT_TRUE(test, bid_file_served(&made->file));
	made->sb.s_stack_depth = 0;
	made->sb.s_user_ns = other;
	KUNIT_EXPECT_TRUE(test, bid_file_served(&made->file));
	KUNIT_EXPECT_FALSE(test, bid_file_counts(&made->inode));
	made->sb.s_user_ns = &init_user_ns;
	made->file.f_mode |= FMODE_WRITE;
	KUNIT_EXPECT_TRUE(test, bid_file_served(&made->file));
	made->file.f_mode &= ~FMODE_WRITE;
	made->sb.s_magic = FUSE_SUPER_MAGIC;
	KUNIT_EXPECT_TRUE(test, bid_file_served(&made->file));
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

/* A user chooses the name, but must not set the flag by it. */
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

static struct kunit_case cases[] = {
	KUNIT_CASE(key_names_the_inode),
	KUNIT_CASE(an_inode_is_what_its_key_and_version_say),
	KUNIT_CASE(version_moves_with_the_content),
	KUNIT_CASE(version_does_not_move_with_reading),
	KUNIT_CASE(version_moves_when_its_filesystem_goes_away),
	KUNIT_CASE(a_disk_has_an_epoch_apart_from_all_that_users_mount),
	KUNIT_CASE(change_counter_moves_when_the_clock_does_not),
	KUNIT_CASE(unlink_moves_the_version_and_not_the_content),
	KUNIT_CASE_PARAM(time_stamps_have_settled_on, ages_gen_params),
	KUNIT_CASE(a_file_that_can_be_written_is_unstable),
	KUNIT_CASE_PARAM(has_access_to, accesses_gen_params),
	KUNIT_CASE(a_read_may_wait_for_any_user_on_fuse_and_the_like),
	KUNIT_CASE(path_of_a_memfd_is_flagged),
	KUNIT_CASE(a_name_with_deleted_in_it_is_left_alone),
	KUNIT_CASE(path_that_does_not_fit_is_none),
	{},
};

static struct kunit_suite suite = {
	.name = "buildid_file",
	.test_cases = cases,
};

kunit_test_suites(&suite);
