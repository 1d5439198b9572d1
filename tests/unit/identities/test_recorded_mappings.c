// SPDX-License-Identifier: GPL-2.0
/* Recorded mappings: what a log says of an address at a time. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "identities/log.h"
#include "identities/recorded_mappings.h"
#include "memory.h"
#include "streams.h"

static char directory[32], path[64];
static struct log_writer *writer;
static struct recorded_mappings *mappings;

static int set_up(void **state)
{
	struct reason reason;

	(void)state;
	strcpy(directory, "/tmp/buildid-log.XXXXXX");
	if (!mkdtemp(directory))
		return -1;
	snprintf(path, sizeof(path), "%s/log", directory);
	writer = log_create(path, true, &reason);
	return !writer;
}

static int tear_down(void **state)
{
	(void)state;
	recorded_mappings_free(mappings);
	mappings = NULL;
	unlink(path);
	return rmdir(directory);
}

static void put(union any_record *record, uint64_t time)
{
	record->header.time_mono = time;
	record->header.time_perf = time + 1000;
	assert_int_equal(log_write(writer, &record->header), 0);
}

static void put_file(uint64_t file_id, uint16_t id_len, const char *name)
{
	union any_record record;

	make_file(&record, file_id, id_len, id_len ? 0 : BUILDID_REASON_NOT_READ, name);
	put(&record, 1);
}

/* 0x1000 bytes at @addr, of the file from 0x2000 on. */
static void put_mmap(uint64_t file_id, uint32_t pid, uint64_t addr, uint64_t time, uint16_t flags,
		     uint64_t start_time)
{
	union any_record record;

	make_mmap(&record, file_id, BUILDID_STATE_KNOWN, pid);
	record.mmap.addr = addr;
	record.mmap.len = 0x1000;
	record.mmap.pgoff = 0x2000;
	record.mmap.start_time = start_time;
	record.header.flags = flags;
	put(&record, time);
}

static void put_task(uint16_t type, uint32_t pid, uint32_t parent, uint64_t time)
{
	union any_record record;

	make_process(&record, type, pid, parent);
	record.task.start_time = 5000;
	put(&record, time);
}

static void read_it(enum perfdata_clock clock)
{
	struct reason reason;

	assert_int_equal(log_finish(writer), 0);
	mappings = recorded_mappings_read(path, clock, &reason);
	assert_non_null(mappings);
	assert_string_equal(reason.text, "");
	assert_true(recorded_mappings_now(mappings));
}

static void expect(uint32_t pid, uint64_t addr, uint64_t time, const char *name)
{
	struct recorded_file file;

	assert_int_equal(recorded_mappings_find(mappings, pid, addr, time, &file), RECORDED_FOUND);
	assert_string_equal(file.path, name);
	assert_int_equal(file.offset, 0x2000 + (addr & 0xfff));
	assert_int_equal(file.identity.id.size, 20);
}

static void expect_not(uint32_t pid, uint64_t addr, uint64_t time, enum recorded_result result)
{
	struct recorded_file file;

	assert_int_equal(recorded_mappings_find(mappings, pid, addr, time, &file), result);
}

static void the_last_mapping_at_a_time_counts(void **state)
{
	(void)state;
	put_file(1, 20, "/one");
	put_file(2, 20, "/two");
	put_mmap(1, 7, 0x10000, 100, 0, 5000);
	put_mmap(2, 7, 0x10000, 200, 0, 5000);
	read_it(PERFDATA_CLOCK_MONO);
	expect_not(7, 0x10000, 99, RECORDED_NO_MAPPING);
	expect(7, 0x10123, 100, "/one");
	expect(7, 0x10fff, 199, "/one");
	expect(7, 0x10fff, 200, "/two");
	expect(7, 0x10fff, UINT64_MAX, "/two");
	expect_not(7, 0x11000, UINT64_MAX, RECORDED_NO_MAPPING);
	expect_not(8, 0x10000, UINT64_MAX, RECORDED_NO_PROCESS);
}

/* As perf has it of a process that was gone when its record was read. */
static void a_start_that_is_not_known_is_no_other_process(void **state)
{
	uint64_t start_time;

	(void)state;
	put_file(1, 20, "/one");
	put_file(2, 20, "/two");
	put_mmap(1, 7, 0x10000, 100, 0, 5000);
	put_mmap(2, 7, 0x20000, 200, 0, 0);
	put_mmap(1, 8, 0x10000, 100, 0, 0);
	put_mmap(2, 8, 0x20000, 200, 0, 6000);
	read_it(PERFDATA_CLOCK_MONO);
	expect(7, 0x10000, 300, "/one");
	expect(8, 0x10000, 300, "/one");
	assert_true(recorded_mappings_last(mappings, 8, 300, &start_time));
	assert_int_equal(start_time, 6000);
}

static void a_path_stays_until_there_is_another(void **state)
{
	(void)state;
	put_file(1, 20, "/one");
	put_file(1, 20, "");
	put_file(2, 20, "/two");
	put_file(2, 20, "/renamed");
	put_mmap(1, 7, 0x10000, 100, 0, 5000);
	put_mmap(2, 7, 0x20000, 100, 0, 5000);
	read_it(PERFDATA_CLOCK_MONO);
	expect(7, 0x10000, 100, "/one");
	expect(7, 0x20000, 100, "/renamed");
}

static void times_are_by_the_clock_asked_for(void **state)
{
	(void)state;
	put_file(1, 20, "/one");
	put_mmap(1, 7, 0x10000, 100, 0, 5000);
	read_it(PERFDATA_CLOCK_PERF);
	expect_not(7, 0x10000, 1099, RECORDED_NO_MAPPING);
	expect(7, 0x10000, 1100, "/one");
}

static void what_was_there_before_was_there_for_ever(void **state)
{
	(void)state;
	put_file(1, 20, "/one");
	/* It forked before the snapshot came to it. */
	put_task(BUILDID_RECORD_FORK, 8, 7, 50);
	put_mmap(1, 7, 0x10000, 100, BUILDID_RECORD_SNAPSHOT, 5000);
	read_it(PERFDATA_CLOCK_MONO);
	expect(7, 0x10000, 1, "/one");
	expect(8, 0x10000, 60, "/one");
}

static void a_child_has_what_its_parent_had_until_exec(void **state)
{
	(void)state;
	put_file(1, 20, "/one");
	put_file(2, 20, "/two");
	put_mmap(1, 7, 0x10000, 100, 0, 5000);
	put_task(BUILDID_RECORD_FORK, 8, 7, 150);
	put_mmap(2, 7, 0x10000, 200, 0, 5000);
	put_task(BUILDID_RECORD_FORK, 9, 8, 250);
	put_task(BUILDID_RECORD_EXEC, 8, 0, 300);
	put_mmap(2, 8, 0x20000, 310, 0, 5000);
	put_task(BUILDID_RECORD_EXIT, 9, 0, 400);
	read_it(PERFDATA_CLOCK_MONO);
	expect(8, 0x10000, 299, "/one");
	expect(9, 0x10000, UINT64_MAX, "/one");
	expect_not(8, 0x10000, 300, RECORDED_NO_MAPPING);
	expect(8, 0x20000, UINT64_MAX, "/two");
}

static void a_pid_that_is_used_again_is_another_process(void **state)
{
	uint64_t start_time;

	(void)state;
	put_file(1, 20, "/one");
	put_mmap(1, 7, 0x10000, 100, 0, 5000);
	put_mmap(1, 7, 0x20000, 200, 0, 9000);
	read_it(PERFDATA_CLOCK_MONO);
	expect(7, 0x10000, 199, "/one");
	expect_not(7, 0x10000, 200, RECORDED_NO_MAPPING);
	expect(7, 0x20000, 200, "/one");
	assert_false(recorded_mappings_last(mappings, 7, 199, &start_time));
	assert_true(recorded_mappings_last(mappings, 7, 200, &start_time));
	assert_int_equal(start_time, 9000);
	assert_false(recorded_mappings_last(mappings, 8, 200, &start_time));
}

static void losses_are_counted(void **state)
{
	union any_record record;

	(void)state;
	make_lost(&record, 3);
	put(&record, 10);
	put(&record, 20);
	read_it(PERFDATA_CLOCK_MONO);
	assert_int_equal(recorded_mappings_lost(mappings), 6);
}

static void an_identity_may_come_later(void **state)
{
	(void)state;
	put_file(1, 0, "/one");
	put_mmap(1, 7, 0x10000, 100, 0, 5000);
	put_file(1, 20, "/one");
	read_it(PERFDATA_CLOCK_MONO);
	expect(7, 0x10000, 100, "/one");
}

static off_t last_size(void)
{
	struct stat stat_;

	assert_int_equal(stat(path, &stat_), 0);
	return stat_.st_size;
}

static void a_log_that_was_cut_short_is_used_as_far_as_it_goes(void **state)
{
	struct reason reason;

	(void)state;
	put_file(1, 20, "/one");
	put_mmap(1, 7, 0x10000, 100, 0, 5000);
	assert_int_equal(log_finish(writer), 0);
	assert_int_equal(truncate(path, last_size() - 8), 0);
	mappings = recorded_mappings_read(path, PERFDATA_CLOCK_MONO, &reason);
	assert_non_null(strstr(reason.text, "cut short"));
	assert_non_null(mappings);
	expect(7, 0x10000, 100, "/one");
	assert_int_equal(truncate(path, 100), 0);
	assert_null(recorded_mappings_read(path, PERFDATA_CLOCK_MONO, &reason));
	assert_non_null(strstr(reason.text, "cut short"));
	assert_null(recorded_mappings_read("/nonexistent", PERFDATA_CLOCK_MONO, &reason));
	assert_string_equal(reason.text, "No such file or directory");
}

static void without_memory_there_is_no_answer(void **state)
{
	struct reason reason;
	size_t n;

	(void)state;
	put_mmap(1, 7, 0x10000, 100, 0, 5000);
	put_task(BUILDID_RECORD_FORK, 8, 7, 150);
	put_file(2, 20, "/two");
	put_mmap(2, 8, 0x20000, 200, 0, 5000);
	put_file(1, 20, "/one");
	assert_int_equal(log_finish(writer), 0);
	/* Each allocation alone. */
	for (n = 0;; n++) {
		memory_fails = n;
		mappings = recorded_mappings_read(path, PERFDATA_CLOCK_MONO, &reason);
		memory_fails = SIZE_MAX;
		if (mappings)
			break;
		assert_string_equal(reason.text, "Cannot allocate memory");
	}
	assert_true(n > 8);
	expect(8, 0x10000, 200, "/one");
	expect(8, 0x20000, 200, "/two");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(the_last_mapping_at_a_time_counts),
		TEST(a_start_that_is_not_known_is_no_other_process),
		TEST(a_path_stays_until_there_is_another),
		TEST(times_are_by_the_clock_asked_for),
		TEST(what_was_there_before_was_there_for_ever),
		TEST(a_child_has_what_its_parent_had_until_exec),
		TEST(a_pid_that_is_used_again_is_another_process),
		TEST(losses_are_counted),
		TEST(an_identity_may_come_later),
		TEST(a_log_that_was_cut_short_is_used_as_far_as_it_goes),
		TEST(without_memory_there_is_no_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
