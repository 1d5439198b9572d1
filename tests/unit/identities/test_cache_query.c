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
#define MONO   (4000 * SECOND)	  /* and by CLOCK_MONOTONIC */

#define MAY_HAVE                                                                                   \
	"its file may have changed since: the clock was set or the machine slept, and only a log " \
	"can show when"

static int64_t real;
static int64_t asleep;	       /* since the machine was booted */
static struct buildid_info at; /* of which the clocks count */
static int info_error;
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
	any.header.time_mono = MONO;
	*record = &any.header;
	return 0;
}

/* Without a word to the contrary nobody ever set the clock. */
static int fake_get_info(struct buildid_info *info)
{
	*info = at;
	if (!at.real_offset_max)
		info->real_offset_min = info->real_offset_max = real - MONO;
	return info_error;
}

static uint64_t fake_clock(clockid_t clock)
{
	switch (clock) {
	case CLOCK_MONOTONIC:
		return MONO;
	case CLOCK_BOOTTIME:
		return MONO + (uint64_t)asleep;
	default:
		return (uint64_t)real;
	}
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
#define buildid_get_info(handle, info, size)	((void)(handle), (void)(size), fake_get_info(info))
#define clock_ns(clock)				fake_clock(clock)
#define clock_real()				(real - MONO)
#include "identities/cache_query.c"
#include "identities/wall_clock.c"
#undef clock_ns
#undef clock_real

static struct cache_query *query;
static struct perfdata_identity found;

static int reset(void **state)
{
	(void)state;
	nr_files = next_file = next_image = 0;
	open_error = 0;
	real = REAL;
	asleep = 0;
	at = (struct buildid_info){};
	info_error = 0;
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

/* What a writer stores in a mapping, or has stored by now, need not move a time stamp. */
static void a_file_that_was_open_for_writing_is_not_certain(void **state)
{
	(void)state;
	add(1, 0x11, 100 * SECOND, 44, 55, "/lib.so");
	files[0].file.flags |= BUILDID_FILE_UNSTABLE;
	look_up(0, 44, 55, 60 * SECOND);
	assert_int_equal(found.id.size, 0);
	assert_string_equal(found.reason,
			    "its file was open for writing, and may have changed unseen");
	/* Nor is what it was in between, though it is the same now. */
	files[0].file.flags = 0;
	add(2, 0x11, 50 * SECOND, 44, 55, "/lib.so");
	files[1].file.flags |= BUILDID_FILE_UNSTABLE;
	done(NULL);
	query = cache_query_new(PERFDATA_CLOCK_PERF);
	next_file = 0;
	look_up(0, 44, 55, 60 * SECOND);
	assert_int_equal(found.id.size, 0);
	assert_string_equal(found.reason,
			    "its file was open for writing, and may have changed unseen");
	/* It is one of before any that counts. */
	add(3, 0x33, 40 * SECOND, 44, 55, "/lib.so");
	done(NULL);
	query = cache_query_new(PERFDATA_CLOCK_PERF);
	next_file = 0;
	look_up(0, 44, 55, 20 * SECOND);
	assert_int_equal(found.id.bytes[0], 0x33);
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

static void renew(enum perfdata_clock clock)
{
	cache_query_free(query);
	next_file = 0;
	query = cache_query_new(clock);
	assert_non_null(query);
}

/* It was @back behind and @ahead of what it is now, at some time since the module was loaded. */
static void clock_was(int64_t back, int64_t ahead)
{
	at.real_offset_min = real - MONO - back;
	at.real_offset_max = real - MONO + ahead;
}

/* Written 50 s ago, when the clock was a minute behind, by which that is 110 s. */
static void a_clock_that_was_set_forward_does_not_make_a_file_older(void **state)
{
	(void)state;
	add(1, 0x22, 110 * SECOND, 44, 55, "/lib.so");
	clock_was(60 * SECOND, 0);
	renew(PERFDATA_CLOCK_PERF);
	look_up(0, 44, 55, 80 * SECOND);
	assert_int_equal(found.id.size, 0);
	assert_string_equal(found.reason, MAY_HAVE);
	/* What lies before any doubt is known as ever. */
	look_up(0, 44, 55, 40 * SECOND);
	assert_int_equal(found.id.bytes[0], 0x22);
}

/* A mapping of so long ago, by CLOCK_MONOTONIC. */
static void look_up_of_mono(uint64_t ago)
{
	const struct perfdata_mapping mapping = {
		.path = "/lib.so",
		.kind = PERFDATA_KIND_USER,
		.has_inode = true,
		.minor = 44,
		.ino = 55,
	};

	memset(&found, 0, sizeof(found));
	cache_query_find(query, &mapping, MONO - ago, &found);
}

/* There and back: now it is where it was. */
static void a_clock_that_was_set_and_set_back_was_wrong_meanwhile(void **state)
{
	(void)state;
	add(1, 0x22, 110 * SECOND, 44, 55, "/lib.so");
	clock_was(60 * SECOND, 30 * SECOND);
	renew(PERFDATA_CLOCK_MONO);
	look_up_of_mono(80 * SECOND);
	assert_int_equal(found.id.size, 0);
	assert_string_equal(found.reason, MAY_HAVE);
	/* Of what is certain by any of them it says so. */
	look_up(0, 44, 55, 130 * SECOND);
	assert_string_equal(found.reason, "its file has changed since");
}

/* By a clock that stands still as long the mapping was made 20 s ago, and the file changed since. */
static void sleep_does_not_make_a_file_older(void **state)
{
	(void)state;
	add(1, 0x22, 30 * SECOND, 44, 55, "/lib.so");
	clock_was(15 * SECOND, 0);
	at.slept = 15 * SECOND;
	asleep = 15 * SECOND;
	renew(PERFDATA_CLOCK_MONO);
	look_up_of_mono(20 * SECOND);
	assert_int_equal(found.id.size, 0);
	assert_string_equal(found.reason, MAY_HAVE);
}

/* A recording may be older than that. */
static void sleep_before_the_module_was_loaded_counts_too(void **state)
{
	(void)state;
	add(1, 0x22, 30 * SECOND, 44, 55, "/lib.so");
	asleep = 15 * SECOND;
	renew(PERFDATA_CLOCK_PERF);
	look_up(0, 44, 55, 20 * SECOND);
	assert_int_equal(found.id.size, 0);
	look_up(0, 44, 55, 10 * SECOND);
	assert_int_equal(found.id.bytes[0], 0x22);
}

static void without_knowing_the_clock_nothing_is_known(void **state)
{
	(void)state;
	info_error = -EIO;
	assert_null(cache_query_new(PERFDATA_CLOCK_PERF));
}

static void assert_boot(int64_t back, int64_t ahead)
{
	struct wall_range boot = cache_query_boot(query);

	assert_int_equal(boot.min, REAL - MONO - back);
	assert_int_equal(boot.max, REAL - MONO + ahead);
}

/* As the clock was set, and not by what the machine slept. */
static void a_boot_was_at_any_time_by_a_clock_that_was_set(void **state)
{
	(void)state;
	assert_boot(0, 0);
	clock_was(0, 3600 * SECOND);
	renew(PERFDATA_CLOCK_PERF);
	assert_boot(0, 3600 * SECOND);
	clock_was(60 * SECOND, 0);
	renew(PERFDATA_CLOCK_PERF);
	assert_boot(60 * SECOND, 0);
	clock_was(3600 * SECOND, 0);
	at.slept = 3600 * SECOND;
	asleep = 3600 * SECOND;
	renew(PERFDATA_CLOCK_PERF);
	assert_boot(7200 * SECOND, -3600 * SECOND);
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
	/* It may have been loaded when the clock was as far behind. */
	clock_was(real, 0);
	renew(PERFDATA_CLOCK_PERF);
	assert_false(was_loaded(query, "kernel", PERF - 10 * SECOND));
	at = (struct buildid_info){};
	real = SECOND;
	cache_query_free(query);
	query = cache_query_new(PERFDATA_CLOCK_PERF);
	assert_false(was_loaded(query, "kernel", PERF - 10 * SECOND));

	make_image(&images[0], BUILDID_RECORD_KERNEL, 20, "6.1");
	make_image(&images[1], BUILDID_RECORD_MODULE, 20, "kernel");
	identities = identities_new(PERFDATA_CLOCK_PERF);
	cache_query_images(query, PERF - 10 * SECOND, identities);
	assert_int_equal(identities_ready(identities, PERF), 0);
	memset(&found, 0, sizeof(found));
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
		TEST(a_file_that_was_open_for_writing_is_not_certain),
		TEST(files_with_one_inode_number_are_distinguished_by_path),
		TEST(several_of_one_path_are_not_certain),
		TEST(elsewhere_the_reason_is_reported),
		TEST(a_clock_that_was_set_forward_does_not_make_a_file_older),
		TEST(a_clock_that_was_set_and_set_back_was_wrong_meanwhile),
		TEST(sleep_does_not_make_a_file_older),
		TEST(sleep_before_the_module_was_loaded_counts_too),
		TEST(without_knowing_the_clock_nothing_is_known),
		TEST(a_boot_was_at_any_time_by_a_clock_that_was_set),
		TEST(modules_count_that_were_there_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
