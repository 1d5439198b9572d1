// SPDX-License-Identifier: GPL-2.0
/* Identities: which record a mapping in a perf.data is of. */

#include <string.h>
#include <unistd.h>

#include "content/vdso.h"
#include "identities/boot.h"
#include "identities/identities.h"
#include "identities/identity.h"
#include "streams.h"

#define ADDR   0x7f0000001000
#define SECOND 1000000000ULL
#define MS     1000000ULL
/* CLOCK_REALTIME as perf's clock is at 0; with a fraction of a second, as most times have. */
#define REAL 1700000000123456789ULL

static struct identities *ids;
static uint64_t now; /* by perf's clock; CLOCK_MONOTONIC is 7 s ahead */
static struct perfdata_identity found;

static int reset(void **state)
{
	(void)state;
	now = SECOND;
	ids = identities_new(PERFDATA_CLOCK_PERF);
	return !ids;
}

static int done(void **state)
{
	(void)state;
	identities_free(ids);
	return 0;
}

static void set_time(union any_record *record, uint64_t time)
{
	now = time;
	record->header.time_perf = time;
	record->header.time_mono = time + 7 * SECOND;
}

static void add(const union any_record *record)
{
	assert_int_equal(identities_add(ids, &record->header), 0);
}

/* Of inode 4711 unless @ino; its id is 20 times @byte. */
static void add_file(uint64_t file_id, uint64_t ino, uint8_t byte)
{
	union any_record record;

	make_file(&record, file_id, 20, 0, "/lib.so");
	record.file.ino = ino;
	record.file.user_ino = ino;
	memset(data_of(&record), byte, 20);
	add(&record);
}

static void add_mmap(uint64_t file_id, uint32_t pid, uint64_t time)
{
	union any_record record;

	make_mmap(&record, file_id, 0, pid);
	set_time(&record, time);
	add(&record);
}

/* The same, of a content that was written at @ctime, by perf's clock. */
static void add_version(uint64_t file_id, uint8_t byte, uint64_t ctime)
{
	union any_record record;

	make_file(&record, file_id, 20, 0, "/lib.so");
	record.file.ino = record.file.user_ino = 10;
	record.file.ctime = record.file.mtime = (int64_t)(REAL + ctime);
	set_time(&record, now);
	memset(data_of(&record), byte, 20);
	add(&record);
}

static void set_clock(void)
{
	identities_wall_clock(ids, 7 * SECOND, REAL);
}

static void add_lost(uint64_t time)
{
	union any_record record;

	make_lost(&record, 3);
	set_time(&record, time);
	add(&record);
}

static struct perfdata_mapping mapping_of(uint32_t pid, uint64_t ino, uint64_t time)
{
	return (struct perfdata_mapping){
		.path = "/lib.so",
		.kind = PERFDATA_KIND_USER,
		.pid = pid,
		.tid = pid,
		.start = ADDR,
		.len = 0x2000,
		.pgoff = 0x1000,
		.time = time,
		.has_inode = true,
		.major = 8,
		.minor = 1,
		.ino = ino,
	};
}

static void look_up(const struct perfdata_mapping *mapping)
{
	memset(&found, 0, sizeof(found));
	identities_find(ids, mapping, &found);
}

static void assert_is(uint32_t pid, uint64_t ino, uint64_t time, uint8_t byte)
{
	struct perfdata_mapping mapping = mapping_of(pid, ino, time);

	look_up(&mapping);
	assert_int_equal(found.id.size, 20);
	assert_int_equal(found.id.bytes[19], byte);
}

static void assert_unknown(uint32_t pid, uint64_t ino, uint64_t time, const char *reason)
{
	struct perfdata_mapping mapping = mapping_of(pid, ino, time);

	look_up(&mapping);
	assert_int_equal(found.id.size, 0);
	assert_false(found.known);
	assert_string_equal(found.reason, reason);
}

static void ready(uint64_t begin)
{
	assert_int_equal(identities_ready(ids, begin), 0);
}

static void the_record_just_before_is_the_one(void **state)
{
	(void)state;
	add_file(1, 10, 0x11);
	add_mmap(1, 5, 1000);
	add_file(2, 10, 0x22);
	add_mmap(2, 5, 2000);
	add_file(3, 10, 0x33);
	add_mmap(3, 5, 3000);
	ready(500);
	assert_is(5, 10, 1001, 0x11);
	assert_is(5, 10, 2000, 0x22);
	assert_is(5, 10, 2999, 0x22);
	assert_is(5, 10, 3500, 0x33);
}

/* Five of them, as their processors come to it. */
static void records_of_processes_may_be_in_any_order(void **state)
{
	uint32_t number, pid, turn;

	(void)state;
	for (number = 0; number < 100; number++) {
		pid = 5 + number * 7 % 5;
		turn = number / 5;
		add_file(1 + number, 10, (uint8_t)(pid * 20 + turn));
		add_mmap(1 + number, pid, 1000 + 100 * turn + pid);
	}
	ready(500);
	for (number = 0; number < 100; number++) {
		pid = 5 + number / 20;
		turn = number % 20;
		assert_is(pid, 10, 1000 + 100 * turn + pid, (uint8_t)(pid * 20 + turn));
		assert_is(pid, 10, 1099 + 100 * turn + pid, (uint8_t)(pid * 20 + turn));
	}
}

static void the_clock_is_perf_s(void **state)
{
	(void)state;
	identities_free(ids);
	ids = identities_new(PERFDATA_CLOCK_MONO);
	add_file(1, 10, 0x11);
	add_mmap(1, 5, 1000);
	add_file(2, 10, 0x22);
	add_mmap(2, 5, 2000);
	ready(500);
	assert_is(5, 10, 7 * SECOND + 1500, 0x11);
	assert_is(5, 10, 7 * SECOND + 2500, 0x22);
}

static void another_inode_is_not_the_one(void **state)
{
	(void)state;
	add_file(1, 10, 0x11);
	add_mmap(1, 5, 1000);
	ready(500);
	assert_unknown(5, 11, 1001, "there is no record of it");
}

static void a_generation_counts_when_it_is_known(void **state)
{
	struct perfdata_mapping mapping = mapping_of(5, 10, 1001);

	(void)state;
	add_file(1, 10, 0x11);
	add_mmap(1, 5, 1000);
	ready(500);
	mapping.generation = 99;
	look_up(&mapping);
	assert_int_equal(found.id.size, 20);
	mapping.generation = 98;
	look_up(&mapping);
	assert_int_equal(found.id.size, 0);
}

/* It was there before perf, so perf has no time for it. */
static void what_was_there_is_in_the_snapshot(void **state)
{
	(void)state;
	add_file(1, 10, 0x11);
	add_mmap(1, 5, 1000);
	add_file(2, 10, 0x22);
	add_mmap(2, 5, 9000);
	ready(5000);
	assert_is(5, 10, 0, 0x11);
	assert_is(5, 10, 9001, 0x22);
}

static void a_fork_has_what_its_parent_had(void **state)
{
	(void)state;
	add_file(1, 10, 0x11);
	add_mmap(1, 5, 1000);
	ready(5000);
	assert_is(6, 10, 0, 0x11);
}

/* Of another process, elsewhere, and not executable: it has no record. */
static void look_up_data(uint64_t time)
{
	struct perfdata_mapping mapping = mapping_of(6, 10, time);

	mapping.start = 0x1000;
	mapping.data = true;
	look_up(&mapping);
}

static void assert_data(uint64_t time, uint8_t byte)
{
	look_up_data(time);
	assert_int_equal(found.id.size, 20);
	assert_int_equal(found.id.bytes[0], byte);
}

static void assert_no_data(uint64_t time)
{
	look_up_data(time);
	assert_int_equal(found.id.size, 0);
	assert_false(found.known);
}

/* ld.so maps what is not executable first. */
static void data_has_the_content_since_its_file_changed(void **state)
{
	(void)state;
	set_clock();
	add_version(1, 0x11, 2 * SECOND);
	add_mmap(1, 5, 10 * SECOND);
	add_version(2, 0x22, 20 * SECOND);
	add_mmap(2, 5, 30 * SECOND);
	ready(5 * SECOND);
	assert_no_data(SECOND);
	assert_data(3 * SECOND, 0x11);
	assert_data(10 * SECOND - 1, 0x11);
	assert_data(10 * SECOND + 1, 0x11);
	assert_data(21 * SECOND, 0x22);
	assert_data(30 * SECOND - 1, 0x22);
	assert_data(60 * SECOND, 0x22);
	/* It may have changed more than once. */
	assert_no_data(15 * SECOND);
}

static void within_a_tick_nothing_is_certain(void **state)
{
	(void)state;
	set_clock();
	add_version(1, 0x11, 2 * SECOND);
	add_mmap(1, 5, 10 * SECOND);
	add_mmap(1, 5, 20 * SECOND - 50 * MS);
	add_version(2, 0x22, 20 * SECOND);
	add_mmap(2, 5, 30 * SECOND);
	ready(5 * SECOND);
	assert_data(20 * SECOND - 40 * MS, 0x11);
	assert_no_data(20 * SECOND - 5 * MS);
	assert_no_data(20 * SECOND + 5 * MS);
	assert_data(20 * SECOND + 40 * MS, 0x22);
}

/* FAT counts in steps of two seconds. */
static void within_a_coarser_tick_likewise(void **state)
{
	uint64_t whole = SECOND - REAL % SECOND;

	(void)state;
	set_clock();
	add_version(1, 0x11, whole);
	add_mmap(1, 5, 30 * SECOND);
	ready(5 * SECOND);
	assert_no_data(whole + SECOND);
	assert_data(whole + 3 * SECOND, 0x11);
}

/* As by chmod, or by a link: who wrote twice in between was seen by mtime. */
static void a_ctime_alone_changes_nothing(void **state)
{
	union any_record record;

	(void)state;
	set_clock();
	add_version(1, 0x11, 2 * SECOND);
	add_mmap(1, 5, 10 * SECOND);
	add_lost(12 * SECOND);
	make_file(&record, 2, 20, 0, "/lib.so");
	record.file.ino = record.file.user_ino = 10;
	set_time(&record, now);
	record.file.mtime = (int64_t)(REAL + 2 * SECOND);
	record.file.ctime = (int64_t)(REAL + 20 * SECOND);
	memset(data_of(&record), 0x11, 20);
	add(&record);
	add_mmap(2, 5, 30 * SECOND);
	ready(5 * SECOND);
	assert_data(15 * SECOND, 0x11);
	assert_data(20 * SECOND, 0x11);
}

/* The clock was set while the log was written, nobody knows when. */
static void a_clock_that_was_set_tells_less(void **state)
{
	(void)state;
	set_clock();
	identities_wall_clock(ids, 107 * SECOND, REAL + 90 * SECOND);
	add_version(1, 0x11, 2 * SECOND);
	add_mmap(1, 5, 20 * SECOND);
	add_mmap(1, 5, 35 * SECOND);
	add_version(2, 0x22, 40 * SECOND);
	add_mmap(2, 5, 60 * SECOND);
	ready(5 * SECOND);
	assert_data(35 * SECOND - 1, 0x11);
	assert_no_data(45 * SECOND);
	assert_data(51 * SECOND, 0x22);
}

static void so_does_one_that_was_set_ahead(void **state)
{
	(void)state;
	set_clock();
	identities_wall_clock(ids, 107 * SECOND, REAL + 110 * SECOND);
	add_version(1, 0x11, 2 * SECOND);
	add_mmap(1, 5, 20 * SECOND);
	add_version(2, 0x22, 40 * SECOND);
	add_mmap(2, 5, 60 * SECOND);
	ready(5 * SECOND);
	assert_data(20 * SECOND, 0x11);
	assert_no_data(35 * SECOND);
	assert_data(41 * SECOND, 0x22);
}

/*
 * Changed at 40 s, when the clock was a minute behind, and set by the end: by its ctime at 22 s.
 * Of a stream that was cut short at 30 s nobody knows.
 */
static void a_clock_that_is_not_known_tells_nothing(void **state)
{
	(void)state;
	set_clock();
	identities_wall_clock_until(ids, 37 * SECOND);
	add_version(1, 0x11, 2 * SECOND);
	add_mmap(1, 5, 10 * SECOND);
	now = 50 * SECOND;
	add_version(2, 0x22, 22 * SECOND);
	add_mmap(2, 5, 60 * SECOND);
	ready(5 * SECOND);
	assert_no_data(30 * SECOND);
	assert_data(61 * SECOND, 0x22);
}

static void a_clock_that_was_set_before_is_another_until_the_stream_begins(void **state)
{
	const struct wall_range before = { (int64_t)(REAL - 7 * SECOND - 20 * SECOND),
					   (int64_t)(REAL - 7 * SECOND) };

	(void)state;
	set_clock();
	/* From 40 s on it is as it is now, and was up to 20 s behind. */
	identities_wall_clock_before(ids, 47 * SECOND, &before);
	now = 50 * SECOND;
	add_version(1, 0x11, 30 * SECOND);
	now = 70 * SECOND;
	add_version(2, 0x22, 60 * SECOND);
	ready(5 * SECOND);
	assert_no_data(31 * SECOND);
	assert_no_data(39 * SECOND);
	assert_data(41 * SECOND, 0x11);
	assert_no_data(60 * SECOND);
	assert_data(61 * SECOND, 0x22);
}

/* The program began while perf still looked at what was there, and its file is new as well. */
static void what_began_while_perf_looked_has_its_own_later_record(void **state)
{
	(void)state;
	set_clock();
	now = 20 * SECOND;
	add_version(1, 0x11, 15 * SECOND);
	add_mmap(1, 5, 20 * SECOND);
	add_mmap(1, 6, 21 * SECOND);
	ready(10 * SECOND);
	assert_is(5, 10, 0, 0x11);
	assert_unknown(7, 10, 0, "there is no record of it");
	assert_unknown(5, 11, 0, "there is no record of it");
	/* It has a time, and is of before. */
	assert_unknown(5, 10, 12 * SECOND, "there is no record of it");
}

/* Maybe it was forked by one that has the other, where programs are not at random places. */
static void a_later_record_does_not_do_for_several_contents(void **state)
{
	(void)state;
	set_clock();
	add_version(1, 0x11, 12 * SECOND);
	add_mmap(1, 4, 18 * SECOND);
	now = 20 * SECOND;
	add_version(2, 0x22, 19 * SECOND);
	add_mmap(2, 5, 20 * SECOND);
	ready(10 * SECOND);
	assert_unknown(5, 10, 0, "there is no record of it");
	assert_is(5, 10, 20 * SECOND, 0x22);
}

static void a_later_record_does_not_do_behind_a_loss(void **state)
{
	(void)state;
	set_clock();
	add_file(9, 77, 0x99);
	add_mmap(9, 4, SECOND);
	add_lost(15 * SECOND);
	now = 20 * SECOND;
	add_version(1, 0x11, 16 * SECOND);
	add_mmap(1, 5, 20 * SECOND);
	ready(10 * SECOND);
	assert_unknown(5, 10, 0, "records were lost");
}

/* Within an hour the clocks of this machine are 10 s apart. */
static void a_clock_that_drifts_is_followed(void **state)
{
	union any_record record;
	uint64_t time;

	(void)state;
	set_clock();
	add_version(1, 0x11, 2 * SECOND);
	add_mmap(1, 5, 10 * SECOND);
	for (time = 10 * SECOND; time < 3600 * SECOND; time += SECOND) {
		make_mmap(&record, 99, 0, 7);
		record.header.time_mono = 7 * SECOND + time;
		record.header.time_perf = time + time / 360;
		add(&record);
	}
	/* Written at 3000 s, which are 3008 by perf's clock. */
	add_version(2, 0x22, 3000 * SECOND);
	add_mmap(2, 5, 3100 * SECOND);
	add_mmap(1, 5, 3005 * SECOND);
	ready(5 * SECOND);
	assert_data(3005 * SECOND, 0x11);
	assert_data(3008 * SECOND + SECOND / 2, 0x22);
}

/* Out of a damaged log. */
static void times_may_be_any(void **state)
{
	static const uint64_t times[] = { 0, 1, INT64_MAX, (uint64_t)INT64_MAX + 1, UINT64_MAX };
	size_t i;

	(void)state;
	for (i = 0; i < 625; i++) {
		union any_record record;

		identities_free(ids);
		ids = identities_new(PERFDATA_CLOCK_PERF);
		identities_wall_clock(ids, times[i % 5], times[i / 5 % 5]);
		make_file(&record, 1, 20, 0, "/lib.so");
		record.file.ino = record.file.user_ino = 10;
		record.file.ctime = (int64_t)times[i / 25 % 5];
		record.header.time_mono = times[i / 125];
		record.header.time_perf = times[i % 3];
		add(&record);
		make_mmap(&record, 1, 0, 5);
		record.header.time_mono = times[i % 4];
		record.header.time_perf = times[i / 125];
		add(&record);
		assert_int_equal(identities_ended(ids, times[i % 5]), 0);
		ready(times[i / 5 % 5]);
		look_up_data(times[i / 25 % 5]);
		identities_real_begin(ids);
	}
}

/* A file from a server, whose clock is another, or from before somebody set ours. */
static void what_was_seen_counts_more_than_a_ctime(void **state)
{
	(void)state;
	set_clock();
	add_version(1, 0x11, 500 * SECOND);
	add_mmap(1, 5, 10 * SECOND);
	add_mmap(1, 5, 20 * SECOND);
	add_version(2, 0x22, 3 * SECOND);
	add_mmap(2, 5, 30 * SECOND);
	ready(5 * SECOND);
	assert_no_data(9 * SECOND);
	assert_data(15 * SECOND, 0x11);
	assert_data(30 * SECOND, 0x22);
}

/* Without the wall clock, or where the log was cut. */
static void what_was_seen_counts_without_a_clock(void **state)
{
	(void)state;
	add_file(1, 10, 0x11);
	add_mmap(1, 5, 10 * SECOND);
	add_mmap(1, 5, 20 * SECOND);
	add_file(2, 10, 0x22);
	add_mmap(2, 5, 30 * SECOND);
	ready(5 * SECOND);
	assert_no_data(9 * SECOND);
	assert_data(15 * SECOND, 0x11);
	assert_no_data(25 * SECOND);
	assert_data(31 * SECOND, 0x22);
}

/* Of btrfs: the same number in two subvolumes. */
static void files_of_one_inode_number_are_distinguished_by_path(void **state)
{
	static const char *const paths[] = { "/lib.so", "/snapshot/lib.so" };
	struct perfdata_mapping mapping = mapping_of(6, 10, 20 * SECOND);
	union any_record record;
	uint32_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		make_file(&record, i + 1, 20, 0, paths[i]);
		record.file.ino = record.file.user_ino = 10;
		record.file.user_dev_minor = 40 + i;
		memset(data_of(&record), 0x11 * (int)(i + 1), 20);
		add(&record);
		add_mmap(i + 1, 5, (10 + i) * SECOND);
	}
	ready(5 * SECOND);
	mapping.start = 0x1000;
	look_up(&mapping);
	assert_int_equal(found.id.bytes[0], 0x11);
	mapping.path = "/snapshot/lib.so (deleted)";
	look_up(&mapping);
	assert_int_equal(found.id.bytes[0], 0x22);
	mapping.path = "/elsewhere";
	look_up(&mapping);
	assert_int_equal(found.id.size, 0);
}

/* Where only one subvolume is known, the number is enough: the file may have been renamed. */
static void a_file_of_one_subvolume_has_any_path(void **state)
{
	struct perfdata_mapping mapping = mapping_of(6, 10, 20 * SECOND);
	union any_record record;
	uint32_t i;

	(void)state;
	for (i = 0; i < 2; i++) {
		make_file(&record, i + 1, 20, 0, "/lib.so");
		record.file.ino = record.file.user_ino = 10;
		record.file.user_dev_minor = 40;
		memset(data_of(&record), 0x11 * (int)(i + 1), 20);
		add(&record);
		add_mmap(i + 1, 5, (10 + i) * SECOND);
	}
	ready(5 * SECOND);
	mapping.start = 0x1000;
	mapping.path = "/renamed.so";
	look_up(&mapping);
	assert_int_equal(found.id.bytes[0], 0x22);
}

static void a_loss_makes_it_uncertain(void **state)
{
	struct perfdata_mapping mapping = mapping_of(6, 10, 3000);

	(void)state;
	add_file(1, 10, 0x11);
	add_mmap(1, 5, 1000);
	add_mmap(1, 5, 2000);
	add_lost(2500);
	ready(500);
	mapping.start = 0x1000;
	look_up(&mapping);
	assert_string_equal(found.reason, "records were lost");
	/* Before the loss, and between two sights of the same. */
	mapping.time = 1500;
	look_up(&mapping);
	assert_int_equal(found.id.size, 20);
	/* A record of long ago is not of this mapping. */
	assert_unknown(5, 10, 2000 + 2 * SECOND, "records were lost");
}

/* What was mapped there again meanwhile is lost, and may be anything. */
static void a_record_from_before_a_loss_is_not_the_one(void **state)
{
	(void)state;
	set_clock();
	add_version(1, 0x11, SECOND);
	add_mmap(1, 5, 10 * SECOND);
	add_lost(10 * SECOND + 800 * MS);
	ready(5 * SECOND);
	assert_unknown(5, 10, 10 * SECOND + 500 * MS, "records were lost");
	assert_unknown(5, 10, 0 + 10 * SECOND + 900 * MS, "records were lost");
	/* It is of the call itself. */
	assert_is(5, 10, 10 * SECOND + 50000, 0x11);
}

/* Unless the file had that content before and after. */
static void a_loss_between_two_sights_is_none(void **state)
{
	(void)state;
	set_clock();
	add_version(1, 0x11, SECOND);
	add_mmap(1, 5, 10 * SECOND);
	add_lost(10 * SECOND + 800 * MS);
	add_mmap(1, 8, 12 * SECOND);
	ready(5 * SECOND);
	assert_is(5, 10, 10 * SECOND + 500 * MS, 0x11);
}

/* Its file has another inode in each overlayfs, so that only the process tells. */
static void a_pid_that_is_used_again_is_another_process(void **state)
{
	static const uint16_t types[] = { BUILDID_RECORD_EXIT, BUILDID_RECORD_EXEC,
					  BUILDID_RECORD_FORK, BUILDID_RECORD_MMAP };
	struct perfdata_mapping mapping = mapping_of(6, 77, 0);
	size_t i;

	(void)state;
	mapping.minor = 45;
	for (i = 0; i < 4; i++) {
		union any_record record;

		identities_free(ids);
		ids = identities_new(PERFDATA_CLOCK_PERF);
		make_file(&record, 1, 20, 0, "/lib.so");
		record.file.user_dev_minor = 44;
		record.file.user_ino = 55;
		add(&record);
		add_mmap(1, 6, 2 * SECOND);
		if (types[i] == BUILDID_RECORD_MMAP) {
			make_mmap(&record, 1, 0, 6);
			record.mmap.addr = 0x1000;
			record.mmap.start_time = 99;
		} else {
			make_process(&record, types[i], 6, 0);
			if (types[i] == BUILDID_RECORD_FORK)
				record.task.start_time = 99;
		}
		record.header.time_perf = 3 * SECOND;
		add(&record);
		ready(5 * SECOND);
		look_up(&mapping);
		assert_int_equal(found.id.size, 0);
		/* Of before. */
		mapping.time = 2 * SECOND + 1;
		look_up(&mapping);
		assert_int_equal(found.id.size, 20);
		mapping.time = 0;
	}
}

/* Each of these would take minutes if it took a step for each of the others. */
#define MANY 200000

/* As of a program that is not PIE, and is run again and again. */
static void many_processes_at_one_place(void **state)
{
	uint32_t i;

	(void)state;
	add_file(1, 10, 0x11);
	for (i = 0; i < MANY; i++)
		add_mmap(1, i, (i + 1) * MS);
	ready(MANY * MS);
	for (i = 0; i < MANY; i++) {
		assert_is(i, 10, (i + 1) * MS + 1, 0x11);
		assert_is(MANY + i, 10, 0, 0x11);
	}
}

/* As of a host of plug-ins, which loads each at the place of the last. */
static void many_files_at_one_place(void **state)
{
	uint32_t i;

	(void)state;
	for (i = 0; i < MANY; i++) {
		add_file(i + 1, i + 1, (uint8_t)i);
		add_mmap(i + 1, 5, (i + 1) * MS);
	}
	ready(MANY * MS);
	for (i = 0; i < MANY; i++)
		assert_is(5, i + 1, (i + 1) * MS + 1, (uint8_t)i);
}

/* At one place, and all of a process, or of its parent. */
static void many_without_times(void **state)
{
	uint32_t i;

	(void)state;
	identities_free(ids);
	ids = identities_new(PERFDATA_CLOCK_NONE);
	add_file(1, 10, 0x11);
	for (i = 0; i < MANY; i++) {
		add_mmap(1, 5, i);
		/* of one content, beside another file */
		add_file(2 * i + 2, 20, 0x22);
		add_mmap(2 * i + 2, 6, i);
		add_file(2 * i + 3, 30, 0x33);
		add_mmap(2 * i + 3, 6, i);
	}
	ready(0);
	for (i = 0; i < MANY; i++) {
		assert_is(5, 10, 0, 0x11);
		assert_is(6, 20, 0, 0x22);
		assert_is(7, 30, 0, 0x33);
	}
}

static void many_files_at_one_place_without_times(void **state)
{
	uint32_t i;

	(void)state;
	identities_free(ids);
	ids = identities_new(PERFDATA_CLOCK_NONE);
	for (i = 0; i < MANY; i++) {
		add_file(i + 1, i + 1, (uint8_t)i);
		add_mmap(i + 1, 5, i);
	}
	ready(0);
	for (i = 0; i < MANY; i++)
		assert_is(5, i + 1, 0, (uint8_t)i);
}

static void many_versions_and_losses(void **state)
{
	uint32_t i;

	(void)state;
	for (i = 0; i < MANY; i++) {
		add_file(i + 1, 10, (uint8_t)i);
		add_mmap(i + 1, 5, (i + 1) * MS);
		add_lost((i + 1) * MS + 1000);
	}
	ready(MANY * MS);
	for (i = 0; i < MANY; i++) {
		assert_data((i + 1) * MS, (uint8_t)i);
		assert_no_data((i + 1) * MS + 500);
	}
}

/* What was lost was so before the record that reports it. */
static void a_loss_is_a_hole_that_begins_before_it(void **state)
{
	struct perfdata_mapping mapping = mapping_of(6, 10, 2000);

	(void)state;
	add_file(1, 10, 0x11);
	add_mmap(1, 5, 1000);
	add_lost(2500);
	ready(500);
	mapping.start = 0x1000;
	look_up(&mapping);
	assert_int_equal(found.id.size, 0);
	/* Which was before the hole. */
	assert_is(5, 10, 1001, 0x11);
}

/* The last record is of 1000; the log ends 500 later. */
static void behind_the_end_nothing_is_known(void **state)
{
	struct perfdata_mapping mapping = mapping_of(6, 10, 1400);

	(void)state;
	add_file(1, 10, 0x11);
	add_mmap(1, 5, 1000);
	assert_int_equal(identities_ended(ids, 7 * SECOND + 1500), 0);
	ready(500);
	mapping.start = 0x1000;
	look_up(&mapping);
	assert_int_equal(found.id.size, 20);
	mapping.time = 1600;
	look_up(&mapping);
	assert_int_equal(found.id.size, 0);
	assert_string_equal(found.reason, "there is no record of it");
	assert_int_equal(identities_lost(ids), 0);
	assert_false(identities_ended_before(ids));
}

/* Two overlayfs over one file: its record has the inode that the first shows. */
static void another_file_system_over_the_same_file(void **state)
{
	struct perfdata_mapping mapping = mapping_of(6, 77, 2001);
	union any_record record;

	(void)state;
	make_file(&record, 1, 20, 0, "/lib.so");
	record.file.user_dev_minor = 44;
	record.file.user_ino = 55;
	memset(data_of(&record), 0x11, 20);
	add(&record);
	add_mmap(1, 5, 1000);
	add_mmap(1, 6, 2000);
	ready(500);
	mapping.minor = 45;
	look_up(&mapping);
	assert_int_equal(found.id.size, 20);
	/* As data it has no record, and that of the process is of other code. */
	mapping.data = true;
	look_up(&mapping);
	assert_int_equal(found.id.size, 0);
	/* On its own file system it would be another file. */
	mapping.data = false;
	mapping.minor = 1;
	look_up(&mapping);
	assert_int_equal(found.id.size, 0);
	/* Nor with a hole in between. */
	identities_free(ids);
	ids = identities_new(PERFDATA_CLOCK_PERF);
	add(&record);
	add_mmap(1, 6, 2000);
	add_lost(2100);
	ready(500);
	mapping.minor = 45;
	mapping.time = 2200;
	look_up(&mapping);
	assert_int_equal(found.id.size, 0);
}

static void without_times_only_one_content_is_certain(void **state)
{
	(void)state;
	identities_free(ids);
	ids = identities_new(PERFDATA_CLOCK_NONE);
	add_file(1, 10, 0x11);
	add_mmap(1, 5, 1000);
	add_mmap(1, 5, 2000);
	add_mmap(1, 6, 2000);
	add_file(2, 10, 0x22);
	add_mmap(2, 6, 3000);
	ready(0);
	assert_is(5, 10, 0, 0x11);
	assert_unknown(6, 10, 0, "without times its contents cannot be told apart");
}

static void an_id_already_there_has_no_inode(void **state)
{
	struct perfdata_mapping mapping = mapping_of(5, 0, 1001);

	(void)state;
	add_file(1, 10, 0x11);
	add_mmap(1, 5, 400);
	add_mmap(1, 5, 1000);
	ready(500);
	mapping.has_inode = false;
	look_up(&mapping);
	assert_int_equal(found.id.size, 20);
	/* Of another process only under the same name. */
	mapping.pid = 6;
	mapping.time = 0;
	look_up(&mapping);
	assert_int_equal(found.id.size, 20);
	mapping.path = "/other";
	look_up(&mapping);
	assert_int_equal(found.id.size, 0);
}

static void a_loss_hides_what_a_path_was_before(void **state)
{
	struct perfdata_mapping mapping = mapping_of(6, 0, 0);

	(void)state;
	add_file(1, 10, 0x11);
	add_mmap(1, 5, 400);
	add_lost(450);
	ready(500);
	mapping.has_inode = false;
	look_up(&mapping);
	assert_int_equal(found.id.size, 0);
}

static void a_log_may_end_before_the_recording_begins(void **state)
{
	(void)state;
	add_file(1, 10, 0x11);
	add_mmap(1, 5, 1000);
	assert_int_equal(identities_ended(ids, 7 * SECOND + 1500), 0);
	ready(100 * SECOND);
	assert_true(identities_ended_before(ids));
}

static void what_does_not_fit_is_reported(void **state)
{
	union any_record record;

	(void)state;
	make_file(&record, 1, 32, 0, "/long");
	record.file.ino = 10;
	add(&record);
	add_mmap(1, 5, 1000);
	make_file(&record, 2, 0, BUILDID_REASON_NO_NOTE, "/none");
	record.file.ino = 11;
	add(&record);
	add_mmap(2, 5, 1000);
	make_file(&record, 3, 0, BUILDID_REASON_INTERRUPTED, "/interrupted");
	record.file.ino = 12;
	add(&record);
	add_mmap(3, 5, 1000);
	ready(500);
	assert_unknown(5, 10, 1001, "its build-id is longer than the 20 bytes that fit");
	look_up(&(struct perfdata_mapping){
		.path = "/none",
		.kind = PERFDATA_KIND_USER,
		.pid = 5,
		.start = ADDR,
		.len = 0x2000,
		.pgoff = 0x1000,
		.time = 1001,
		.has_inode = true,
		.major = 8,
		.minor = 1,
		.ino = 11,
	});
	assert_int_equal(found.id.size, 0);
	assert_true(found.known);
	assert_unknown(5, 12, 1001, "it could not be read");
}

/* perf reads such a file itself, and may well find an id in it. */
static void what_was_not_read_is_not_known_to_have_no_id(void **state)
{
	static const struct {
		uint16_t reason;
		bool known;
	} reasons[] = {
		{ BUILDID_REASON_NOT_ELF, true },     { BUILDID_REASON_NO_NOTE, true },
		{ BUILDID_REASON_ANONYMOUS, true },   { BUILDID_REASON_TRUNCATED, false },
		{ BUILDID_REASON_MALFORMED, false },  { BUILDID_REASON_LIMIT, false },
		{ BUILDID_REASON_IO, false },	      { BUILDID_REASON_INTERRUPTED, false },
		{ BUILDID_REASON_NOT_READ, false },   { BUILDID_REASON_NOT_REGULAR, false },
		{ BUILDID_REASON_SECRET, false },     { BUILDID_REASON_HUGETLB, false },
		{ BUILDID_REASON_CHANGING, false },   { BUILDID_REASON_UNREADABLE, false },
		{ BUILDID_REASON_PSEUDO, false },     { BUILDID_REASON_DENIED, false },
		{ BUILDID_REASON_DENIED + 1, false },
	};
	struct perfdata_identity identity;
	union any_record record;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		make_file(&record, 1, 0, reasons[i].reason, "/file");
		identity_of_file(&record.file, &identity);
		assert_int_equal(identity.id.size, 0);
		assert_non_null(identity.reason);
		if (identity.known != reasons[i].known)
			fail_msg("%s", buildid_reason_name(reasons[i].reason));
	}
	/* The hash of a file says no more of it. */
	make_file(&record, 1, 16, BUILDID_REASON_LIMIT, "/file");
	record.file.kind = BUILDID_KIND_HTLHASH;
	identity_of_file(&record.file, &identity);
	assert_false(identity.known);
	record.file.reason = BUILDID_REASON_NO_NOTE;
	identity_of_file(&record.file, &identity);
	assert_true(identity.known);
}

static void a_file_may_be_read_after_it_was_mapped(void **state)
{
	(void)state;
	add_mmap(1, 5, 10 * SECOND);
	add_mmap(2, 5, 20 * SECOND);
	add_file(2, 10, 0x22);
	add_file(1, 10, 0x11);
	ready(5 * SECOND);
	assert_is(5, 10, 10 * SECOND + 1, 0x11);
	assert_is(5, 10, 20 * SECOND + 1, 0x22);
}

/* And nothing says that it is what was there before. */
static void a_file_that_was_never_read_is_not_known(void **state)
{
	(void)state;
	add_file(1, 10, 0x11);
	add_mmap(1, 5, 10 * SECOND);
	add_mmap(2, 5, 20 * SECOND);
	ready(5 * SECOND);
	assert_is(5, 10, 10 * SECOND + 1, 0x11);
	assert_unknown(5, 10, 20 * SECOND + 1, "it was not read in time");
}

/* ----------------------------------------------------------------- images -- */

static void an_image_s_id_of_another_kind_is_none_of_perf_s(void **state)
{
	struct perfdata_identity identity;
	union any_record record;

	(void)state;
	make_image(&record, BUILDID_RECORD_MODULE, 20, "a");
	identity_of_image(&record.image, &identity);
	assert_int_equal(identity.id.size, 20);
	assert_null(identity.reason);
	record.image.kind = BUILDID_KIND_GO;
	identity_of_image(&record.image, &identity);
	assert_int_equal(identity.id.size, 0);
	assert_non_null(identity.reason);
	assert_false(identity.known);
	make_image(&record, BUILDID_RECORD_MODULE, 0, "a");
	record.image.reason = BUILDID_REASON_IO;
	identity_of_image(&record.image, &identity);
	assert_false(identity.known);
	record.image.reason = BUILDID_REASON_NO_NOTE;
	identity_of_image(&record.image, &identity);
	assert_true(identity.known);
}

static void add_image(uint16_t type, const char *name, uint64_t addr, uint64_t time, uint8_t byte,
		      uint32_t flags, uint16_t header_flags)
{
	union any_record record;

	make_image(&record, type, 20, name);
	record.header.flags = header_flags;
	record.header.time_perf = time;
	record.image.addr = addr;
	record.image.len = 0x1000;
	record.image.flags = flags;
	memset(data_of(&record), byte, 20);
	add(&record);
}

static void look_up_image_at(enum perfdata_kind space, const char *path, uint64_t start,
			     uint64_t time)
{
	const struct perfdata_mapping mapping = {
		.path = path,
		.kind = space,
		.pid = UINT32_MAX,
		.start = start,
		.len = 0x1000,
		.time = time,
	};

	look_up(&mapping);
}

static void look_up_image(enum perfdata_kind space, const char *path, uint64_t start)
{
	look_up_image_at(space, path, start, 0);
}

static void kernel_and_modules_are_found(void **state)
{
	(void)state;
	add_image(BUILDID_RECORD_KERNEL, "6.1.0", 0xffffffff81000000, 10, 0xaa, 0,
		  BUILDID_RECORD_SNAPSHOT);
	add_image(BUILDID_RECORD_MODULE, "a_b", 0xffffffffc0000000, 10, 0xbb, 0,
		  BUILDID_RECORD_SNAPSHOT);
	add_image(BUILDID_RECORD_MODULE, "c", 0, 10, 0xcc, 0, BUILDID_RECORD_SNAPSHOT);
	ready(100);
	look_up_image(PERFDATA_KIND_KERNEL, "[kernel.kallsyms]_text", 0xffffffff81000000);
	assert_int_equal(found.id.bytes[0], 0xaa);
	look_up_image(PERFDATA_KIND_MODULE, "/lib/modules/6.1.0/kernel/a-b.ko.xz",
		      0xffffffffc0000000);
	assert_int_equal(found.id.bytes[0], 0xbb);
	look_up_image(PERFDATA_KIND_MODULE, "[a_b]", 0xffffffffc0000000);
	assert_int_equal(found.id.bytes[0], 0xbb);
	look_up_image(PERFDATA_KIND_MODULE, "[a_b]", 0xffffffffc1000000);
	assert_int_equal(found.id.size, 0);
	/* The recorder may not see addresses. */
	look_up_image(PERFDATA_KIND_MODULE, "[c]", 0xffffffffc2000000);
	assert_int_equal(found.id.bytes[0], 0xcc);
	look_up_image(PERFDATA_KIND_MODULE, "[none]", 0xffffffffc2000000);
	assert_int_equal(found.id.size, 0);
}

static void modules_that_come_and_go(void **state)
{
	const struct perfdata_module_event *loads;

	(void)state;
	add_image(BUILDID_RECORD_MODULE, "m", 0x1000, 10, 0x11, 0, BUILDID_RECORD_SNAPSHOT);
	add_image(BUILDID_RECORD_MODULE, "m", 0x1000, 200, 0x11, BUILDID_IMAGE_UNLOAD, 0);
	add_image(BUILDID_RECORD_MODULE, "m", 0x1000, 300, 0x22, 0, 0);
	add_image(BUILDID_RECORD_MODULE, "m", 0x1000, 400, 0x22, BUILDID_IMAGE_UNLOAD, 0);
	add_image(BUILDID_RECORD_MODULE, "m", 0x2000, 500, 0x11, 0, 0);
	/* Before perf began: it is among those that perf finds. */
	add_image(BUILDID_RECORD_MODULE, "n", 0x3000, 50, 0x33, 0, 0);
	ready(100);
	assert_int_equal(identities_module_events(ids, &loads), 4);
	assert_true(loads[0].unload);
	assert_string_equal(loads[0].path, "/sys/module/m/m.ko");
	assert_false(loads[1].unload);
	assert_int_equal(loads[1].id.bytes[0], 0x22);
	/* perf distinguishes contents of a module by name only. */
	assert_string_equal(loads[1].path, "/sys/module/m/m@22222222.ko");
	assert_string_equal(loads[2].path, "/sys/module/m/m@22222222.ko");
	assert_string_equal(loads[3].path, "/sys/module/m/m.ko");
	assert_int_equal(loads[3].start, 0x2000);
}

/* Loaded; its id differs from others' in the last byte only. */
static void add_image_numbered(const char *name, uint64_t addr, uint64_t time, uint8_t number)
{
	union any_record record;

	make_image(&record, BUILDID_RECORD_MODULE, 20, name);
	record.header.flags = 0;
	record.header.time_perf = time;
	record.image.addr = addr;
	record.image.len = 0x1000;
	record.image.flags = 0;
	memset(data_of(&record), 0x11, 20);
	((uint8_t *)data_of(&record))[19] = number;
	add(&record);
}

static void modules_whose_ids_begin_alike(void **state)
{
	const struct perfdata_module_event *loads;

	(void)state;
	add_image_numbered("m", 0x1000, 200, 1);
	add_image_numbered("m", 0x2000, 300, 2);
	add_image_numbered("m", 0x3000, 400, 3);
	ready(100);
	assert_int_equal(identities_module_events(ids, &loads), 3);
	assert_string_equal(loads[0].path, "/sys/module/m/m.ko");
	assert_string_equal(loads[1].path,
			    "/sys/module/m/m@1111111111111111111111111111111111111102.ko");
	assert_string_equal(loads[2].path,
			    "/sys/module/m/m@1111111111111111111111111111111111111103.ko");
}

static void assert_m(uint64_t start, uint64_t time, uint8_t byte)
{
	look_up_image_at(PERFDATA_KIND_MODULE, "[m]", start, time);
	assert_int_equal(found.id.bytes[0], byte);
}

static void the_last_module_at_an_address_is_the_one(void **state)
{
	const struct perfdata_module_event *loads;

	(void)state;
	add_image(BUILDID_RECORD_MODULE, "l", 0x1000, 150, 0x01, 0, 0);
	add_image(BUILDID_RECORD_MODULE, "m", 0x2000, 250, 0x33, 0, 0);
	add_image(BUILDID_RECORD_MODULE, "m", 0x1000, 300, 0x22, 0, 0);
	add_image(BUILDID_RECORD_MODULE, "m", 0x1000, 200, 0x11, 0, 0);
	add_image(BUILDID_RECORD_MODULE, "m", 0x1000, 300, 0x23, 0, 0);
	add_image(BUILDID_RECORD_MODULE, "m", 0x1000, 350, 0x24, BUILDID_IMAGE_UNLOAD, 0);
	add_image(BUILDID_RECORD_MODULE, "m", 0, 400, 0x44, 0, BUILDID_RECORD_SNAPSHOT);
	add_image(BUILDID_RECORD_MODULE, "n", 0x1000, 220, 0x02, 0, 0);
	ready(100);
	assert_m(0x1000, 150, 0x11);
	assert_m(0x1000, 200, 0x11);
	assert_m(0x1000, 299, 0x11);
	assert_m(0x1000, 300, 0x23);
	assert_m(0x1000, 399, 0x23);
	assert_m(0x1000, 400, 0x44);
	assert_m(0x2000, 240, 0x33);
	assert_m(0x2000, 399, 0x33);
	assert_m(0x2000, 500, 0x44);
	/* Only that one, of an address that is not known, may be there. */
	assert_m(0x3000, 200, 0x44);
	/* The name is that of the first record's. */
	assert_int_equal(identities_module_events(ids, &loads), 7);
	assert_string_equal(loads[1].path, "/sys/module/m/m@11111111.ko");
	assert_string_equal(loads[3].path, "/sys/module/m/m.ko");
}

static void this_boot_is_known(void **state)
{
	uint8_t id[16] = {}, other[16] = { 1 };

	(void)state;
	assert_false(boot_is_now(id));
	assert_false(boot_is_now(other));
	boot_id_read(id);
	assert_true(boot_is_now(id));
	assert_true(boot_time() > 0);
}

static void the_vdso_has_a_build_id(void **state)
{
	struct build_id id;

	(void)state;
	assert_true(vdso_build_id(&id));
	assert_int_equal(id.size, 20);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, reset, done)

/* -------------------------------------------------------------- of perf -- */

#define US     1000ULL
#define NEVER  "there is no record of it"
#define UNSURE "by its clock its contents cannot be told apart"

static void add_file_of_perf(uint64_t file_id, uint64_t ino, uint8_t byte, uint64_t time)
{
	union any_record record;

	make_file(&record, file_id, byte ? 20 : 0, byte ? 0 : BUILDID_REASON_NOT_READ, "/lib.so");
	record.file.ino = record.file.user_ino = ino;
	memset(data_of(&record), byte, byte ? 20 : 0);
	set_time(&record, time);
	add(&record);
}

/* Records of perf have no inode beside an id; what is in a snapshot has. */
static void of_perf_since(uint64_t time)
{
	identities_of_perf(ids);
	add_file_of_perf(1, 0, 0x11, time);
	add_file_of_perf(2, 0, 0x22, time);
	add_file_of_perf(3, 10, 0x33, time);
	add_file_of_perf(4, 10, 0, time);
}

static void of_perf(void)
{
	of_perf_since(SECOND);
}

static void the_record_of_perf_may_be_the_later_one(void **state)
{
	(void)state;
	of_perf();
	add_mmap(1, 6, SECOND);
	add_mmap(1, 5, 2 * SECOND);
	add_mmap(2, 5, 2 * SECOND + 300 * US);
	ready(500);
	assert_is(5, 10, 2 * SECOND - 20 * US, 0x11);
	assert_is(5, 11, 2 * SECOND + 20 * US, 0x11);
	assert_is(5, 10, 2 * SECOND + 280 * US, 0x22);
	assert_is(5, 10, 2 * SECOND + 320 * US, 0x22);
	/* Neither is near enough. */
	assert_unknown(5, 10, 2 * SECOND + 150 * US, UNSURE);
	assert_unknown(5, 10, 2 * SECOND + 900 * MS, UNSURE);
	/* The only one may come late. */
	assert_is(6, 10, SECOND + 700 * MS, 0x11);
	assert_unknown(6, 10, 2 * SECOND + 1, NEVER);
}

static void two_at_once_are_not_told_apart(void **state)
{
	(void)state;
	of_perf();
	add_mmap(1, 5, 2 * SECOND);
	add_mmap(2, 5, 2 * SECOND + 50 * US);
	ready(500);
	assert_unknown(5, 10, 2 * SECOND, UNSURE);
}

static void what_was_before_the_records_of_perf_is_not_in_them(void **state)
{
	(void)state;
	of_perf_since(2 * SECOND);
	add_mmap(3, 5, 2 * SECOND);
	ready(500);
	assert_unknown(5, 10, 2 * SECOND - 200 * US, NEVER);
	assert_is(5, 10, 2 * SECOND - 50 * US, 0x33);
}

static void by_records_of_perf_an_inode_has_no_content(void **state)
{
	struct perfdata_mapping mapping = mapping_of(5, 10, 2 * SECOND);

	(void)state;
	of_perf();
	add_mmap(3, 6, SECOND);
	add_mmap(3, 5, 2 * SECOND);
	ready(500);
	assert_unknown(7, 10, 2 * SECOND, NEVER);
	mapping.path = "/other.so";
	look_up(&mapping);
	assert_int_equal(found.id.size, 0);
	mapping.path = "/lib.so (deleted)";
	look_up(&mapping);
	assert_int_equal(found.id.size, 20);
	mapping.data = true;
	look_up(&mapping);
	assert_string_equal(found.reason, "without the module mappings of data are not recorded");
}

static void what_was_inherited_has_the_only_content_of_its_place(void **state)
{
	struct perfdata_mapping mapping = mapping_of(7, 10, 0);

	(void)state;
	of_perf();
	add_mmap(1, 5, 2 * SECOND);
	add_mmap(1, 6, 4 * SECOND);
	ready(3 * SECOND);
	assert_is(5, 10, 0, 0x11);
	assert_is(7, 10, 0, 0x11);
	mapping.start += 0x1000;
	look_up(&mapping);
	assert_string_equal(found.reason, NEVER);
	done(NULL);

	reset(NULL);
	of_perf();
	add_mmap(1, 5, 2 * SECOND);
	add_mmap(2, 6, 4 * SECOND);
	ready(3 * SECOND);
	assert_is(5, 10, 0, 0x11);
	assert_unknown(7, 10, 0, NEVER);
	done(NULL);

	reset(NULL);
	of_perf();
	add_mmap(1, 5, 2 * SECOND);
	add_lost(5 * SECOND);
	ready(3 * SECOND);
	assert_unknown(7, 10, 0, "records were lost");
}

static void a_place_that_is_not_random_says_nothing_of_others(void **state)
{
	struct perfdata_mapping mapping = mapping_of(7, 10, 0);
	union any_record record;

	(void)state;
	of_perf();
	make_mmap(&record, 1, 0, 5);
	record.mmap.addr = mapping.start = 0x400000;
	set_time(&record, 2 * SECOND);
	add(&record);
	ready(3 * SECOND);
	look_up(&mapping);
	assert_string_equal(found.reason, NEVER);
	mapping.pid = 5;
	look_up(&mapping);
	assert_int_equal(found.id.bytes[0], 0x11);
	done(NULL);

	/* perf has listed a program that was just starting. */
	reset(NULL);
	of_perf();
	set_time(&record, 4 * SECOND);
	add(&record);
	ready(3 * SECOND);
	look_up(&mapping);
	assert_int_equal(found.id.bytes[0], 0x11);
}

static void what_perf_lost_may_have_been_another_content(void **state)
{
	(void)state;
	of_perf();
	add_mmap(1, 5, 2 * SECOND);
	add_mmap(1, 6, 2 * SECOND + 100 * MS);
	add_lost(2 * SECOND + 200 * MS);
	add_mmap(1, 6, 5 * SECOND);
	assert_int_equal(identities_ended(ids, 12 * SECOND + 100 * MS), 0);
	ready(500);
	assert_is(5, 10, 2 * SECOND + 50 * US, 0x11);
	assert_unknown(5, 10, 2 * SECOND + 50 * MS, "records were lost");
	/* One of another processor may be from before the last record. */
	assert_unknown(6, 10, 2 * SECOND + 99 * MS, "records were lost");
	/* What is behind the end is not lost, as it is later than perf's. */
	assert_is(6, 10, 5 * SECOND - 300 * US, 0x11);
	assert_unknown(6, 10, 5 * SECOND + 200 * MS, "records were lost");
}

static void by_a_clock_that_is_computed_nothing_is_at_once(void **state)
{
	(void)state;
	identities_free(ids);
	ids = identities_new(PERFDATA_CLOCK_MONO);
	of_perf();
	add_mmap(1, 5, 2 * SECOND);
	add_mmap(1, 6, 2 * SECOND);
	add_mmap(2, 5, 2 * SECOND + 300 * US);
	ready(500);
	assert_unknown(5, 10, 9 * SECOND, UNSURE);
	assert_is(6, 10, 9 * SECOND + 500 * US, 0x11);
}

/* One whose process was gone is not another's. */
static void who_is_gone_is_not_another_process(void **state)
{
	union any_record record;

	(void)state;
	of_perf();
	add_mmap(1, 5, 2 * SECOND);
	make_mmap(&record, 2, 0, 5);
	record.mmap.addr = ADDR + 0x10000;
	record.mmap.start_time = 0;
	set_time(&record, 2 * SECOND + 50 * US);
	add(&record);
	ready(500);
	assert_is(5, 10, 2 * SECOND, 0x11);
}

static void perf_says_not_why_there_is_no_build_id(void **state)
{
	(void)state;
	of_perf();
	add_mmap(4, 5, 2 * SECOND);
	ready(500);
	assert_unknown(5, 10, 2 * SECOND, "perf found no build-id in memory when it was mapped");
}

static void without_times_records_of_perf_are_of_one_content(void **state)
{
	union any_record record;

	(void)state;
	identities_free(ids);
	ids = identities_new(PERFDATA_CLOCK_OTHER);
	of_perf();
	make_file(&record, 5, 20, 0, "/alike.so");
	record.file.ino = record.file.user_ino = 0;
	memset(data_of(&record), 0x11, 20);
	add(&record);
	add_mmap(5, 5, 1 * SECOND);
	add_mmap(1, 5, 2 * SECOND);
	add_mmap(1, 6, 2 * SECOND);
	add_mmap(2, 6, 3 * SECOND);
	add_mmap(3, 8, 3 * SECOND);
	ready(500);
	assert_is(5, 10, 2 * SECOND, 0x11);
	assert_unknown(6, 10, 2 * SECOND, "without times its contents cannot be told apart");
	assert_unknown(7, 10, 2 * SECOND, NEVER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_record_just_before_is_the_one),
		TEST(records_of_processes_may_be_in_any_order),
		TEST(the_clock_is_perf_s),
		TEST(another_inode_is_not_the_one),
		TEST(a_generation_counts_when_it_is_known),
		TEST(what_was_there_is_in_the_snapshot),
		TEST(a_fork_has_what_its_parent_had),
		TEST(data_has_the_content_since_its_file_changed),
		TEST(within_a_tick_nothing_is_certain),
		TEST(within_a_coarser_tick_likewise),
		TEST(a_ctime_alone_changes_nothing),
		TEST(a_clock_that_was_set_tells_less),
		TEST(so_does_one_that_was_set_ahead),
		TEST(what_began_while_perf_looked_has_its_own_later_record),
		TEST(a_later_record_does_not_do_for_several_contents),
		TEST(a_later_record_does_not_do_behind_a_loss),
		TEST(a_clock_that_is_not_known_tells_nothing),
		TEST(a_clock_that_was_set_before_is_another_until_the_stream_begins),
		TEST(a_clock_that_drifts_is_followed),
		TEST(times_may_be_any),
		TEST(what_was_seen_counts_more_than_a_ctime),
		TEST(what_was_seen_counts_without_a_clock),
		TEST(files_of_one_inode_number_are_distinguished_by_path),
		TEST(a_file_of_one_subvolume_has_any_path),
		TEST(a_loss_makes_it_uncertain),
		TEST(a_record_from_before_a_loss_is_not_the_one),
		TEST(a_loss_between_two_sights_is_none),
		TEST(a_pid_that_is_used_again_is_another_process),
		TEST(many_processes_at_one_place),
		TEST(many_files_at_one_place),
		TEST(many_without_times),
		TEST(many_files_at_one_place_without_times),
		TEST(many_versions_and_losses),
		TEST(a_loss_is_a_hole_that_begins_before_it),
		TEST(behind_the_end_nothing_is_known),
		TEST(another_file_system_over_the_same_file),
		TEST(without_times_only_one_content_is_certain),
		TEST(an_id_already_there_has_no_inode),
		TEST(a_loss_hides_what_a_path_was_before),
		TEST(a_log_may_end_before_the_recording_begins),
		TEST(what_does_not_fit_is_reported),
		TEST(what_was_not_read_is_not_known_to_have_no_id),
		TEST(a_file_may_be_read_after_it_was_mapped),
		TEST(a_file_that_was_never_read_is_not_known),
		TEST(an_image_s_id_of_another_kind_is_none_of_perf_s),
		TEST(kernel_and_modules_are_found),
		TEST(modules_that_come_and_go),
		TEST(modules_whose_ids_begin_alike),
		TEST(the_last_module_at_an_address_is_the_one),
		TEST(this_boot_is_known),
		TEST(the_vdso_has_a_build_id),
		TEST(the_record_of_perf_may_be_the_later_one),
		TEST(two_at_once_are_not_told_apart),
		TEST(what_was_before_the_records_of_perf_is_not_in_them),
		TEST(by_records_of_perf_an_inode_has_no_content),
		TEST(what_was_inherited_has_the_only_content_of_its_place),
		TEST(a_place_that_is_not_random_says_nothing_of_others),
		TEST(what_perf_lost_may_have_been_another_content),
		TEST(by_a_clock_that_is_computed_nothing_is_at_once),
		TEST(who_is_gone_is_not_another_process),
		TEST(perf_says_not_why_there_is_no_build_id),
		TEST(without_times_records_of_perf_are_of_one_content),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
