// SPDX-License-Identifier: GPL-2.0
/* Log: what is written is read; what is damaged is reported, with its place. */

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/clock.h"
#include "identities/log.h"
#include "memory.h"
#include "streams.h"

static char path[] = "/tmp/buildid-log.XXXXXX";
static unsigned char bytes[65536];
static size_t size;

/* What the disk says, instead of 0. */
static int disk_error;

int __wrap_fsync(int fd);

int __wrap_fsync(int fd)
{
	(void)fd;
	errno = disk_error;
	return disk_error ? -1 : 0;
}

static int set_up(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	if (fd >= 0)
		close(fd);
	return fd < 0;
}

static int tear_down(void **state)
{
	(void)state;
	return unlink(path);
}

static void write_bytes(size_t count)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, count, file), count);
	assert_int_equal(fclose(file), 0);
}

static void read_bytes(void)
{
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	size = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
}

/* Three records, into the file and into bytes[]. */
static void write_log(void)
{
	struct log_writer *writer;
	struct reason reason;
	union any_record record;

	writer = log_create(path, true, &reason);
	assert_non_null(writer);
	make_file(&record, 1, 20, 0, "/usr/bin/ls");
	assert_int_equal(log_write(writer, &record.header), 0);
	make_mmap(&record, 1, 0, 10);
	assert_int_equal(log_write(writer, &record.header), 0);
	make_lost(&record, 3);
	assert_int_equal(log_write(writer, &record.header), 0);
	assert_int_equal(log_written(writer), 3);
	assert_int_equal(log_finish(writer), 0);
	read_bytes();
}

/* How many records there are before the end; whether that is one. */
static unsigned int read_log(const char **error)
{
	static char text[256];
	const struct buildid_record *record;
	struct log_reader *reader = log_open(path);
	unsigned int count = 0;
	int answer;

	assert_non_null(reader);
	while ((answer = log_next(reader, &record)) == 1)
		count++;
	/* It stays so. */
	assert_int_equal(log_next(reader, &record), answer);
	assert_int_equal(!answer, !log_error(reader));
	snprintf(text, sizeof(text), "%s", answer ? log_error(reader) : "");
	*error = answer ? text : NULL;
	log_close(reader);
	return count;
}

static void assert_error(const char *expected, unsigned int records)
{
	const char *error;

	assert_int_equal(read_log(&error), records);
	assert_non_null(error);
	assert_string_equal(error, expected);
}

static void what_was_written_is_read(void **state)
{
	const struct buildid_record *record;
	const struct log_header *header;
	struct log_reader *reader;
	union any_record expected;
	static const uint8_t zero[16];

	(void)state;
	write_log();
	reader = log_open(path);
	assert_non_null(reader);
	assert_null(log_error(reader));

	header = log_header(reader);
	assert_int_equal(header->abi, BUILDID_ABI_VERSION);
	assert_true(header->time_real > header->time_mono);
	assert_memory_not_equal(header->boot_id, zero, sizeof(zero));

	assert_int_equal(log_next(reader, &record), 1);
	make_file(&expected, 1, 20, 0, "/usr/bin/ls");
	assert_memory_equal(record, &expected, expected.header.size);
	assert_int_equal(log_next(reader, &record), 1);
	make_mmap(&expected, 1, 0, 10);
	assert_memory_equal(record, &expected, expected.header.size);
	assert_int_equal(log_next(reader, &record), 1);
	assert_int_equal(record->type, BUILDID_RECORD_LOST);
	assert_int_equal(log_next(reader, &record), 0);
	assert_null(log_error(reader));
	assert_true(log_ended(reader) >= header->time_mono);
	assert_true(log_ended_real(reader) > log_ended(reader));
	log_close(reader);
}

/* Such an end was written first. */
static void an_end_without_the_wall_clock_is_one(void **state)
{
	const struct buildid_record *record;
	struct log_reader *reader;
	const uint32_t end_size = 40;

	(void)state;
	write_log();
	memcpy(bytes + 424 + offsetof(struct buildid_record, size), &end_size, sizeof(end_size));
	write_bytes(464);
	reader = log_open(path);
	assert_non_null(reader);
	while (log_next(reader, &record) == 1)
		;
	assert_null(log_error(reader));
	assert_true(log_ended(reader) > 0);
	assert_int_equal(log_ended_real(reader), 0);
	log_close(reader);
}

static void a_log_is_for_its_owner(void **state)
{
	struct stat stat_;

	(void)state;
	unlink(path);
	write_log();
	assert_int_equal(stat(path, &stat_), 0);
	assert_int_equal(stat_.st_mode & 0777, 0600);
}

static void an_old_log_is_replaced(void **state)
{
	const char *error;

	(void)state;
	memset(bytes, 'x', sizeof(bytes));
	memcpy(bytes, LOG_MAGIC, strlen(LOG_MAGIC));
	write_bytes(sizeof(bytes));
	write_log();
	assert_int_equal(read_log(&error), 3);
	assert_null(error);
}

static void nothing_else_is_replaced(void **state)
{
	struct reason reason;

	(void)state;
	memset(bytes, 'x', sizeof(bytes));
	write_bytes(sizeof(bytes));
	assert_null(log_create(path, true, &reason));
	assert_string_equal(reason.text, "exists and is something else; remove it first");
	unlink(path);
}

static void more_than_a_buffer_is_written(void **state)
{
	const unsigned int count = 5000;
	struct log_writer *writer;
	struct reason reason;
	union any_record record;
	const char *error;
	unsigned int i;

	(void)state;
	writer = log_create(path, true, &reason);
	assert_non_null(writer);
	for (i = 0; i < count; i++) {
		make_file(&record, i, 20, 0, "/usr/bin/ls");
		assert_int_equal(log_write(writer, &record.header), 0);
	}
	assert_int_equal(log_finish(writer), 0);
	assert_int_equal(read_log(&error), count);
	assert_null(error);
}

static void what_was_flushed_survives(void **state)
{
	struct log_writer *writer;
	struct reason reason;
	union any_record record;
	const char *error;

	(void)state;
	writer = log_create(path, true, &reason);
	assert_non_null(writer);
	make_mmap(&record, 1, 0, 10);
	assert_int_equal(log_write(writer, &record.header), 0);
	assert_int_equal(log_flush(writer), 0);
	assert_int_equal(read_log(&error), 1);
	assert_non_null(error);
	assert_int_equal(log_finish(writer), 0);
}

/* All records of it. */
static struct log_reader *read_all(void)
{
	const struct buildid_record *record;
	struct log_reader *reader = log_open(path);

	assert_non_null(reader);
	while (log_next(reader, &record) == 1)
		assert_int_not_equal(record->type, LOG_RECORD_CLOCK);
	return reader;
}

#define HOUR 3600000000000LL

/* What a recorder that is killed leaves. */
static void a_flush_writes_where_the_clock_is(void **state)
{
	uint64_t begin = clock_ns(CLOCK_MONOTONIC);
	struct log_writer *writer;
	struct log_reader *reader;
	struct reason reason;
	union any_record record;

	(void)state;
	writer = log_create(path, true, &reason);
	assert_non_null(writer);
	make_mmap(&record, 1, 0, 10);
	assert_int_equal(log_write(writer, &record.header), 0);
	assert_int_equal(log_flush(writer), 0);
	reader = read_all();
	assert_true(log_clocks(reader)->until > log_header(reader)->time_mono);
	assert_true(log_clocks(reader)->until < clock_ns(CLOCK_MONOTONIC));
	assert_true(log_clocks(reader)->ahead.max - log_clocks(reader)->ahead.min < HOUR);
	assert_false(log_clocks(reader)->has_before);
	log_close(reader);

	/* Without a record there is nothing to say. */
	read_bytes();
	assert_int_equal(size,
			 offsetof(struct log_header, source) + 120 + sizeof(struct log_clock));
	assert_int_equal(log_flush(writer), 0);
	read_bytes();
	assert_int_equal(size,
			 offsetof(struct log_header, source) + 120 + sizeof(struct log_clock));

	/* More than a buffer, of which the last part is not written yet. */
	while (log_written(writer) < 5000)
		assert_int_equal(log_write(writer, &record.header), 0);
	reader = read_all();
	assert_non_null(log_error(reader));
	assert_true(log_clocks(reader)->until > begin);
	log_close(reader);
	assert_int_equal(log_finish(writer), 0);
	reader = read_all();
	assert_null(log_error(reader));
	assert_true(log_clocks(reader)->until == UINT64_MAX);
	assert_int_equal(log_ended(reader) / HOUR, begin / HOUR);
	log_close(reader);
}

static void a_clock_that_was_set_is_in_the_log(void **state)
{
	int64_t ahead = clock_real();
	const struct wall_range set = { ahead - HOUR, ahead + 2 * HOUR };
	const struct wall_range earlier = { ahead - 3 * HOUR, ahead };
	struct log_writer *writer;
	struct log_reader *reader;
	struct reason reason;
	const char *error;

	(void)state;
	writer = log_create(path, true, &reason);
	assert_non_null(writer);
	log_clock_before(writer, &earlier);
	assert_int_equal(log_flush(writer), 0);
	reader = read_all();
	assert_true(log_clocks(reader)->has_before);
	assert_true(log_clocks(reader)->before.min == earlier.min);
	assert_true(log_clocks(reader)->before.max == earlier.max);
	assert_true(log_clocks(reader)->ahead.min > earlier.min);
	log_close(reader);
	assert_int_equal(log_clock_set(writer, &set), 0);
	assert_int_equal(log_finish(writer), 0);
	reader = read_all();
	assert_true(log_clocks(reader)->ahead.min == set.min);
	assert_true(log_clocks(reader)->ahead.max == set.max);
	log_close(reader);
	assert_int_equal(read_log(&error), 0);
	assert_null(error);
}

/* For times of day: what comes after a step, and what is found after it and is of before. */
static void what_was_before_a_step_has_the_clock_of_before(void **state)
{
	struct log_reader *reader;
	struct log_clock clock = {
		.header = { .type = LOG_RECORD_CLOCK, .size = sizeof(clock) },
	};
	uint64_t begin;
	int64_t ahead;

	(void)state;
	write_log();
	memcpy(&begin, bytes + offsetof(struct log_header, time_mono), sizeof(begin));
	ahead = (int64_t)(((struct log_header *)(void *)bytes)->time_real - begin);
	clock.header.time_mono = begin + 1000;
	clock.time_real = clock.header.time_mono + (uint64_t)ahead + HOUR;
	clock.ahead_min = clock.ahead_max = ahead + HOUR;
	memcpy(bytes + 424, &clock, sizeof(clock));
	write_bytes(424 + sizeof(clock));
	reader = read_all();
	assert_true(log_ahead(reader, begin + 999) == ahead);
	assert_true(log_ahead(reader, begin + 1000) == ahead + HOUR);
	assert_true(log_clocks(reader)->until == begin + 1000);
	log_close(reader);
	/* A record that is too short does not count. */
	clock.header.size = 40;
	memcpy(bytes + 424, &clock, sizeof(clock));
	write_bytes(424 + sizeof(clock));
	assert_error("damaged: no record at byte 424", 3);
}

static void every_cut_is_reported(void **state)
{
	const char *error;
	unsigned int count;
	size_t cut;

	(void)state;
	write_log();
	assert_int_equal(size, 56 + 184 + 120 + 64 + 48);
	for (cut = 0; cut < size; cut++) {
		write_bytes(cut);
		count = read_log(&error);
		assert_non_null(error);
		assert_int_equal(count, (cut >= 240) + (cut >= 360) + (cut >= 424));
		if (cut >= 8)
			assert_non_null(strstr(error, "cut short"));
	}
}

static void a_cut_is_reported_with_its_place(void **state)
{
	(void)state;
	write_log();
	write_bytes(7);
	assert_error("not a log of buildid record", 0);
	write_bytes(8);
	assert_error("cut short: ends at byte 8, in what starts at byte 0", 0);
	write_bytes(56);
	assert_error("cut short: no end at byte 56", 0);
	write_bytes(241);
	assert_error("cut short: ends at byte 241, in what starts at byte 240", 1);
	write_bytes(424);
	assert_error("cut short: no end at byte 424", 3);
	write_bytes(size - 1);
	assert_error("cut short: ends at byte 471, in what starts at byte 424", 3);
}

/* Any value anywhere: no crash, and an end. */
static void every_damage_is_survived(void **state)
{
	static const unsigned char values[] = { 0x00, 0x01, 0x7f, 0x80, 0xff };
	const char *error;
	size_t at, i;

	(void)state;
	write_log();
	for (at = 0; at < size; at++) {
		unsigned char saved = bytes[at];

		for (i = 0; i < sizeof(values); i++) {
			bytes[at] = values[i];
			write_bytes(size);
			assert_true(read_log(&error) <= size / sizeof(struct buildid_record));
		}
		bytes[at] = saved;
	}
}

static void damage_is_reported_with_its_place(void **state)
{
	struct log_header *header = (void *)bytes;
	uint32_t saved;

	(void)state;
	write_log();
	memset(bytes + 240 + 4, 0, 4);
	write_bytes(size);
	assert_error("damaged: no record at byte 240", 1);

	write_log();
	memset(bytes + 240 + 4, 0xff, 4);
	write_bytes(size);
	assert_error("damaged: no record at byte 240", 1);

	write_log();
	bytes[size] = 'x';
	write_bytes(size + 1);
	assert_error("damaged: goes on at byte 472, behind its end", 3);

	write_log();
	bytes[size - 16]++;
	write_bytes(size);
	assert_error("damaged: no record at byte 424", 3);

	write_log();
	saved = header->byte_order;
	header->byte_order = __builtin_bswap32(saved);
	write_bytes(size);
	assert_error("written on a machine of the other byte order", 0);
	header->byte_order = saved;
	/* That of 0.2.0. */
	header->version = 1;
	write_bytes(size);
	assert_error("a log of version 1; this buildid reads versions 2 and 3", 0);
	header->version = LOG_VERSION;
	header->abi = 7;
	write_bytes(size);
	assert_error("records of ABI 7; this buildid reads ABI 2", 0);
}

static void a_record_longer_than_any_is_refused(void **state)
{
	const uint32_t too_long = 4 * BUILDID_RECORD_MAX;

	(void)state;
	write_log();
	memset(bytes + size, 0xff, too_long);
	memcpy(bytes + 240 + 4, &too_long, sizeof(too_long));
	write_bytes(size + too_long);
	assert_error("damaged: no record at byte 240", 1);
}

static void a_longer_header_is_skipped(void **state)
{
	struct log_header *header = (void *)bytes;
	const char *error;

	(void)state;
	write_log();
	memmove(bytes + 72, bytes + 56, size - 56);
	header->size = 72;
	write_bytes(size + 16);
	assert_int_equal(read_log(&error), 3);
	assert_null(error);
}

/* A reader of version 2 alone would take its records for the module's. */
static void a_log_of_another_source_says_so(void **state)
{
	struct log_header *header = (void *)bytes;
	struct log_writer *writer;
	struct log_reader *reader;
	struct reason reason;
	union any_record record;
	const char *error;

	(void)state;
	writer = log_create(path, true, &reason);
	assert_non_null(writer);
	log_set_source(writer, LOG_SOURCE_PERF);
	make_mmap(&record, 1, 0, 10);
	assert_int_equal(log_write(writer, &record.header), 0);
	assert_int_equal(log_finish(writer), 0);
	assert_int_equal(read_log(&error), 1);
	assert_null(error);
	reader = log_open(path);
	assert_int_equal(log_source(reader), LOG_SOURCE_PERF);
	assert_int_equal(log_header(reader)->version, 3);
	log_close(reader);

	read_bytes();
	header->source = 2;
	write_bytes(size);
	assert_error("records of source 2, which this buildid does not know", 0);
	header->source = LOG_SOURCE_PERF;
	header->size = 56;
	write_bytes(size);
	assert_error("damaged: no size at byte 16", 0);
	header->size = 64;
	write_bytes(60);
	assert_error("cut short: ends at byte 60, in what starts at byte 0", 0);

	write_log();
	assert_int_equal(header->version, 2);
	reader = log_open(path);
	assert_int_equal(log_source(reader), LOG_SOURCE_MODULE);
	log_close(reader);
}

static void what_is_no_file_is_reported(void **state)
{
	struct log_reader *reader;

	(void)state;
	reader = log_open("/nonexistent/log");
	assert_non_null(reader);
	assert_string_equal(log_error(reader), strerror(ENOENT));
	log_close(reader);
	reader = log_open("/tmp");
	assert_non_null(reader);
	assert_non_null(strstr(log_error(reader), strerror(EISDIR)));
	log_close(reader);
}

static void a_full_disk_is_an_error(void **state)
{
	struct log_writer *writer;
	struct reason reason;

	(void)state;
	writer = log_create("/dev/full", true, &reason);
	assert_non_null(writer);
	assert_int_equal(log_finish(writer), -ENOSPC);
	assert_null(log_create("/nonexistent/log", true, &reason));
	assert_string_equal(reason.text, "No such file or directory");
	memory_left = 0;
	assert_null(log_create(path, true, &reason));
	memory_left = SIZE_MAX;
	assert_string_equal(reason.text, "Cannot allocate memory");
}

static int finish_with(int error)
{
	struct log_writer *writer;
	struct reason reason;
	int err;

	writer = log_create(path, true, &reason);
	assert_non_null(writer);
	disk_error = error;
	err = log_finish(writer);
	disk_error = 0;
	return err;
}

static void a_disk_that_fails_is_an_error(void **state)
{
	(void)state;
	assert_int_equal(finish_with(EIO), -EIO);
	assert_int_equal(finish_with(0), 0);
	/* A pipe has no disk. */
	assert_int_equal(finish_with(EINVAL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_written_is_read),
		cmocka_unit_test(an_end_without_the_wall_clock_is_one),
		cmocka_unit_test(a_log_is_for_its_owner),
		cmocka_unit_test(an_old_log_is_replaced),
		cmocka_unit_test(nothing_else_is_replaced),
		cmocka_unit_test(more_than_a_buffer_is_written),
		cmocka_unit_test(what_was_flushed_survives),
		cmocka_unit_test(a_flush_writes_where_the_clock_is),
		cmocka_unit_test(a_clock_that_was_set_is_in_the_log),
		cmocka_unit_test(what_was_before_a_step_has_the_clock_of_before),
		cmocka_unit_test(every_cut_is_reported),
		cmocka_unit_test(a_cut_is_reported_with_its_place),
		cmocka_unit_test(every_damage_is_survived),
		cmocka_unit_test(damage_is_reported_with_its_place),
		cmocka_unit_test(a_record_longer_than_any_is_refused),
		cmocka_unit_test(a_longer_header_is_skipped),
		cmocka_unit_test(a_log_of_another_source_says_so),
		cmocka_unit_test(what_is_no_file_is_reported),
		cmocka_unit_test(a_full_disk_is_an_error),
		cmocka_unit_test(a_disk_that_fails_is_an_error),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
