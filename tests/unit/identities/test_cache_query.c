// SPDX-License-Identifier: GPL-2.0
/* Cache query: what the module remembers counts where it is certain, and else does not. */

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "common/clock.h"
#include "identities/netlink.h"
#include "libbuildid/libbuildid.h"
#include "streams.h"

#define SECOND 1000000000LL
#define REAL   (1000000 * SECOND) /* now */
#define PERF   (5000 * SECOND)	  /* the same by perf's clock */

static int64_t real;
static union any_record files[8];
static size_t nr_files, next_file;
static int open_error;

static int fake_open(struct buildid **handle)
{
	*handle = NULL;
	return 0;
}

static int fake_snapshot_next(const struct buildid_record **record)
{
	static union any_record any;

	make_mmap(&any, 1, 0, 1);
	any.header.time_perf = PERF;
	*record = &any.header;
	return 0;
}

static union any_record images[2];
static size_t next_image;

static int fake_next(const struct buildid_record **record)
{
	if (next_image == 2)
		return -EAGAIN;
	*record = &images[next_image++].header;
	return 0;
}

static int fake_netlink_open(struct netlink **netlink)
{
	*netlink = NULL;
	return open_error;
}

static int fake_netlink_next(const struct buildid_record **record)
{
	if (next_file == nr_files)
		return -ENODATA;
	*record = &files[next_file++].header;
	return 0;
}

#define buildid_open(handle)  fake_open(handle)
#define buildid_close(handle) ((void)(handle))
#define buildid_snapshot_new(snapshot, handle, options) \
	(*(snapshot) = NULL, (void)(handle), (void)(options), 0)
#define buildid_snapshot_next(snapshot, record) fake_snapshot_next(record)
#define buildid_snapshot_free(snapshot)		((void)(snapshot))
#define buildid_subscribe(handle, options)	((void)(handle), (void)(options), 0)
#define buildid_next(handle, timeout, record)	fake_next(record)
#define netlink_open(netlink)			fake_netlink_open(netlink)
#define netlink_close(netlink)			((void)(netlink))
#define netlink_dump(netlink, filter)		((void)(netlink), 0)
#define netlink_next(netlink, record)		fake_netlink_next(record)
#define clock_ns(clock)				((uint64_t)real)
#include "identities/cache_query.c"
#undef clock_ns

static struct cache_query *query;
static struct perfdata_identity found;

static int reset(void **state)
{
	(void)state;
	nr_files = next_file = next_image = 0;
	open_error = 0;
	real = REAL;
	query = cache_query_new(PERFDATA_CLOCK_PERF);
	return !query;
}

static int done(void **state)
{
	(void)state;
	cache_query_free(query);
	return 0;
}

/* Changed @ago before now; seen by a user as inode @user_ino of 0:@user_dev. */
static void add(uint64_t file_id, uint8_t byte, int64_t ago, uint32_t user_dev, uint64_t user_ino,
		const char *path)
{
	union any_record *record = &files[nr_files++];

	make_file(record, file_id, 20, 0, path);
	record->file.ctime = REAL - ago;
	record->file.user_dev_major = 0;
	record->file.user_dev_minor = user_dev;
	record->file.user_ino = user_ino;
	memset(data_of(record), byte, 20);
}

/* Of a mapping that was made @ago before now. */
static void look_up(uint32_t major, uint32_t minor, uint64_t ino, int64_t ago)
{
	const struct perfdata_mapping mapping = {
		.path = "/lib.so",
		.kind = PERFDATA_KIND_USER,
		.has_inode = true,
		.major = major,
		.minor = minor,
		.ino = ino,
	};

	memset(&found, 0, sizeof(found));
	cache_query_find(query, &mapping, (uint64_t)(PERF - ago), &found);
}

static void either_inode_leads_to_a_file(void **state)
{
	(void)state;
	add(1, 0x11, 100 * SECOND, 44, 55, "/lib.so");
	look_up(8, 1, 4711, 10 * SECOND);
	assert_int_equal(found.id.size, 20);
	look_up(0, 44, 55, 10 * SECOND);
	assert_int_equal(found.id.size, 20);
	assert_int_equal(found.id.bytes[0], 0x11);
	look_up(0, 44, 4711, 10 * SECOND);
	assert_int_equal(found.id.size, 0);
	assert_null(found.reason);
	look_up(0, 45, 55, 10 * SECOND);
	assert_int_equal(found.id.size, 0);
	assert_null(found.reason);
}

static void without_an_inode_or_a_time_nothing_is_looked_for(void **state)
{
	(void)state;
	add(1, 0x11, 100 * SECOND, 44, 55, "/lib.so");
	look_up(0, 44, 55, PERF);
	assert_int_equal(found.id.size, 0);
	assert_null(found.reason);
	open_error = -ENODEV;
	look_up(0, 44, 0, 10 * SECOND);
	assert_null(found.reason);
}

static void what_has_changed_since_is_not_certain(void **state)
{
	(void)state;
	add(2, 0x22, 50 * SECOND, 44, 55, "/lib.so");
	add(1, 0x11, 100 * SECOND, 44, 55, "/lib.so");
	look_up(0, 44, 55, 60 * SECOND);
	assert_int_equal(found.id.size, 0);
	assert_string_equal(found.reason, "its file has changed since");
	look_up(0, 44, 55, 40 * SECOND);
	assert_int_equal(found.id.bytes[0], 0x22);
	/* A tick, and what clocks may drift apart. */
	look_up(0, 44, 55, 50 * SECOND);
	assert_int_equal(found.id.size, 0);
}

/* As when perf record links what was hit into ~/.debug, and the program runs once more. */
static void a_link_does_not_change_a_file(void **state)
{
	(void)state;
	add(3, 0x11, 30 * SECOND, 44, 55, "/lib.so");
	add(1, 0x11, 100 * SECOND, 44, 55, "/lib.so");
	add(2, 0x11, 50 * SECOND, 44, 55, "/lib.so");
	look_up(0, 44, 55, 60 * SECOND);
	assert_int_equal(found.id.size, 20);
	assert_int_equal(found.id.bytes[0], 0x11);
	/* What it was before is not known. */
	look_up(0, 44, 55, 200 * SECOND);
	assert_int_equal(found.id.size, 0);
	assert_string_equal(found.reason, "its file has changed since");
}

/* The content is the same at the end, but somebody wrote to the file, or had it rebuilt. */
static void a_write_may_have_changed_a_file(void **state)
{
	(void)state;
	add(1, 0x11, 100 * SECOND, 44, 55, "/lib.so");
	add(2, 0x11, 50 * SECOND, 44, 55, "/lib.so");
	files[1].file.mtime++;
	look_up(0, 44, 55, 60 * SECOND);
	assert_string_equal(found.reason, "its file has changed since");
	files[1].file.mtime--;
	files[1].file.file_size++;
	done(NULL);
	query = cache_query_new(PERFDATA_CLOCK_PERF);
	next_file = 0;
	look_up(0, 44, 55, 60 * SECOND);
	assert_string_equal(found.reason, "its file has changed since");
	/* In between it was another. */
	add(3, 0x22, 40 * SECOND, 44, 55, "/lib.so");
	add(4, 0x11, 30 * SECOND, 44, 55, "/lib.so");
	files[1].file.file_size--;
	done(NULL);
	query = cache_query_new(PERFDATA_CLOCK_PERF);
	next_file = 0;
	look_up(0, 44, 55, 60 * SECOND);
	assert_string_equal(found.reason, "its file has changed since");
	look_up(0, 44, 55, 20 * SECOND);
	assert_int_equal(found.id.bytes[0], 0x11);
}

/* As on btrfs: of inode 4711 of 8:1 there is one in each subvolume. */
static void files_with_one_inode_number_are_distinguished_by_path(void **state)
{
	(void)state;
	add(1, 0x11, 100 * SECOND, 44, 4711, "/lib.so");
	add(2, 0x22, 90 * SECOND, 45, 4711, "/other.so");
	look_up(8, 1, 4711, 10 * SECOND);
	assert_int_equal(found.id.bytes[0], 0x11);
	look_up(0, 45, 4711, 10 * SECOND);
	assert_int_equal(found.id.bytes[0], 0x22);
}

static void several_of_one_path_are_not_certain(void **state)
{
	(void)state;
	add(1, 0x11, 100 * SECOND, 44, 4711, "/lib.so");
	add(2, 0x22, 90 * SECOND, 45, 4711, "/lib.so");
	look_up(8, 1, 4711, 10 * SECOND);
	assert_int_equal(found.id.size, 0);
	assert_string_equal(found.reason, "several files have its inode number");
}

static void elsewhere_the_reason_is_reported(void **state)
{
	(void)state;
	open_error = -ENODEV;
	look_up(8, 1, 4711, SECOND);
	assert_string_equal(found.reason,
			    "the module answers in the initial network namespace only");
}

/* sysfs of this machine, looked at from a time far behind or ahead of it. */
static void modules_count_that_were_there_before(void **state)
{
	struct identities *identities;

	(void)state;
	cache_query_free(query);
	real = 100LL * 365 * 24 * 3600 * SECOND;
	query = cache_query_new(PERFDATA_CLOCK_PERF);
	assert_true(was_loaded(query, "kernel", PERF - 10 * SECOND));
	assert_false(was_loaded(query, "no such", PERF - 10 * SECOND));
	assert_false(was_loaded(query, "kernel", PERF + 10 * SECOND));
	real = SECOND;
	cache_query_free(query);
	query = cache_query_new(PERFDATA_CLOCK_PERF);
	assert_false(was_loaded(query, "kernel", PERF - 10 * SECOND));

	make_image(&images[0], BUILDID_RECORD_KERNEL, 20, "6.1");
	make_image(&images[1], BUILDID_RECORD_MODULE, 20, "kernel");
	identities = identities_new(PERFDATA_CLOCK_PERF);
	cache_query_images(query, PERF - 10 * SECOND, identities);
	assert_int_equal(identities_ready(identities, PERF), 0);
	identities_find(identities,
			&(struct perfdata_mapping){
				.path = "[kernel]",
				.kind = PERFDATA_KIND_MODULE,
				.start = images[1].image.addr,
			},
			&found);
	assert_int_equal(found.id.size, 0);
	identities_find(identities,
			&(struct perfdata_mapping){
				.path = "[kernel.kallsyms]_text",
				.kind = PERFDATA_KIND_KERNEL,
			},
			&found);
	assert_int_equal(found.id.size, 20);
	identities_free(identities);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, reset, done)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(either_inode_leads_to_a_file),
		TEST(without_an_inode_or_a_time_nothing_is_looked_for),
		TEST(what_has_changed_since_is_not_certain),
		TEST(a_link_does_not_change_a_file),
		TEST(a_write_may_have_changed_a_file),
		TEST(files_with_one_inode_number_are_distinguished_by_path),
		TEST(several_of_one_path_are_not_certain),
		TEST(elsewhere_the_reason_is_reported),
		TEST(modules_count_that_were_there_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
