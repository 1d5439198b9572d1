// SPDX-License-Identifier: GPL-2.0
/* buildid annotate and list -i: a perf.data and a log, as commands. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "command.h"
#include "identities/log.h"
#include "make_perfdata.h"

#define ID "101112131415161718191a1b1c1d1e1f20212223"

static struct make made;
static int32_t clockid = -1;

#define TEXT 0xffffffff81000000

/* The kernel, as perf has it first. */
static void make_kernel(uint64_t text)
{
	size_t at = made.size;

	make_mmap_event(&made, PERFDATA_MISC_KERNEL, UINT32_MAX, text, 0x1000000, 0,
			"[kernel.kallsyms]_text");
	((struct perfdata_mmap *)(void *)(made.bytes + at))->pgoff = text;
}

/* As make_mmap() has it: 0x7f0000001000 of inode 4711 on 8:1, at 2000. */
static void write_perfdata_of(const char *path, uint64_t text)
{
	FILE *file = fopen(path, "w");

	memset(&made, 0, sizeof(made));
	made.clockid = clockid;
	make_begin(&made);
	if (text)
		make_kernel(text);
	make_mmap2_event(&made, 10, 0x7f0000001000, 0x2000, 0x1000, 4711, 2100, "/lib.so");
	make_mmap2_event(&made, 10, 0x400000, 0x2000, 0x1000, 4712, 2100, "/unknown");
	make_sample(&made, PERFDATA_MISC_USER, 10, 2200, 0x7f0000001010);
	make_end(&made);
	assert_non_null(file);
	assert_int_equal(fwrite(made.bytes, 1, made.size, file), made.size);
	assert_int_equal(fclose(file), 0);
}

static void write_perfdata(const char *path)
{
	write_perfdata_of(path, 0);
}

static void write_log(bool whole)
{
	struct log_writer *writer;
	struct reason reason;
	union any_record record;

	writer = log_create("log", true, &reason);
	assert_non_null(writer);
	make_image(&record, BUILDID_RECORD_KERNEL, 20, "6.1");
	assert_int_equal(log_write(writer, &record.header), 0);
	make_file(&record, 1, 20, 0, "/lib.so");
	assert_int_equal(log_write(writer, &record.header), 0);
	make_mmap(&record, 1, 0, 10);
	assert_int_equal(log_write(writer, &record.header), 0);
	assert_int_equal(log_finish(writer), 0);
	if (!whole)
		assert_int_equal(truncate("log", 56 + 112 + 176 + 120 + 10), 0);
}

static void assert_listed(const char *path)
{
	assert_int_equal(RUN(list, "-i", path), 0);
	assert_string_equal(out, ID " /lib.so\n");
	assert_string_equal(err, "");
}

static void a_log_annotates(void **state)
{
	(void)state;
	write_perfdata("perf.data");
	write_log(true);
	assert_int_equal(RUN(annotate, "--log", "log"), 0);
	assert_string_equal(out, "");
	assert_string_equal(err, "buildid: /unknown: not annotated: there is no record of it\n"
				 "buildid: perf.data: 1 mappings annotated, 0 without a build-id, "
				 "1 not annotated of 1 paths\n");
	assert_listed("perf.data");
}

static void put_module(uint64_t start, uint8_t byte, const char *path)
{
	struct perfdata_mmap2 *mmap = (void *)(made.bytes + made.size);

	make_mmap2_event(&made, UINT32_MAX, start, 0x1000, 0, 0, 0, path);
	mmap->event.misc = PERFDATA_MISC_KERNEL | PERFDATA_MISC_ID;
	mmap->id_size = 20;
	memset(mmap->reserved, 0, sizeof(mmap->reserved));
	memset(mmap->id, byte, 20);
}

static void modules_with_one_build_id_are_doubtful(void **state)
{
	FILE *file = fopen("perf.data", "w");

	(void)state;
	memset(&made, 0, sizeof(made));
	make_begin(&made);
	put_module(0x10000, 0x11, "[one]");
	put_module(0x20000, 0x11, "[other]");
	put_module(0x30000, 0x22, "[third]");
	make_end(&made);
	assert_non_null(file);
	assert_int_equal(fwrite(made.bytes, 1, made.size, file), made.size);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(RUN(list, "-m", "-i", "perf.data"), 0);
	assert_non_null(strstr(out, " [one] (doubtful)\n"));
	assert_non_null(strstr(out, " [other] (doubtful)\n"));
	assert_non_null(strstr(out, " [third]\n"));
	assert_non_null(strstr(err, "2 modules have a build-id that another one has, too"));
	assert_int_equal(RUN(list, "-m", "-j", "-i", "perf.data"), 0);
	assert_non_null(strstr(out, "\"flags\":[\"doubtful\"]"));
}

static void the_summary_is_an_object_that_spares_the_data(void **state)
{
	static const char summary[] = "{\"type\":\"annotate\",\"path\":\"perf.data\","
				      "\"annotated\":1,";

	(void)state;
	write_perfdata("perf.data");
	write_log(true);
	assert_int_equal(RUN(annotate, "-j", "--log", "log", "-o", "other", "-i", "perf.data"), 0);
	assert_non_null(strstr(
		out, "{\"type\":\"error\",\"error\":\"not annotated: there is no record of it\","
		     "\"object\":\"/unknown\"}\n"));
	assert_non_null(strstr(out, summary));
	assert_int_equal(RUN(annotate, "-j", "--log", "log", "-o", "-"), 0);
	assert_memory_equal(out, "PERFILE2", 8);
	assert_non_null(strstr(err, summary));
}

static void a_log_that_was_cut_does_as_far_as_it_goes(void **state)
{
	(void)state;
	write_perfdata("perf.data");
	write_log(false);
	assert_int_equal(RUN(annotate, "--log", "log", "-o", "other", "perf.data"), 0);
	assert_non_null(strstr(err, "buildid: log: cut short"));
	assert_listed("other");
}

static void list_knows_hits_and_json(void **state)
{
	(void)state;
	write_perfdata("perf.data");
	write_log(true);
	assert_int_equal(RUN(annotate, "--log", "log", "perf.data"), 0);
	assert_int_equal(RUN(list, "-H", "-j", "-i", "perf.data"), 0);
	assert_string_equal(out, "{\"type\":\"file\",\"build_id\":\"" ID
				 "\",\"path\":\"/lib.so\",\"flags\":[\"hit\"]}\n");
	assert_int_equal(RUN(list, "-k", "-i", "perf.data"), 0);
	assert_string_equal(out, "");
}

static void what_is_wrong_is_reported(void **state)
{
	(void)state;
	write_perfdata("perf.data");
	write_log(true);
	assert_int_equal(RUN(annotate, "--log", "none", "perf.data"), 1);
	assert_string_equal(err, "buildid: none: No such file or directory\n");
	assert_int_equal(RUN(annotate, "--log", "log", "none"), 1);
	assert_string_equal(err, "buildid: none: No such file or directory\n");
	assert_int_equal(RUN(annotate, "--log", "log", "log"), 1);
	assert_string_equal(err, "buildid: log: not a perf.data file\n");
	assert_int_equal(RUN(list, "-i", "log"), 1);
	assert_string_equal(err, "buildid: log: not a perf.data file\n");
	assert_int_equal(RUN(annotate, "a", "b"), 2);
	assert_int_equal(RUN(annotate, "-i", "a", "b"), 2);
	assert_int_equal(RUN(list, "-H"), 2);
	assert_int_equal(RUN(annotate, "--log", "-", "-"), 2);
}

static void what_moves_the_cursor_is_escaped_in_a_reason(void **state)
{
	(void)state;
	write_perfdata("perf.data");
	write_log(true);
	assert_int_equal(mkdir("\033[2J", 0700), 0);
	assert_int_equal(RUN(annotate, "-j", "--log", "log", "-o", "\033[2J", "perf.data"), 1);
	assert_non_null(strstr(err, "/\\033[2J: not a regular file\n"));
	assert_non_null(strstr(out, "/\\u001b[2J: not a regular file\","));
}

static void a_log_of_another_boot_is_refused(void **state)
{
	char before[4096], now[4096];

	(void)state;
	write_log(true);
	write_perfdata_of("perf.data", TEXT + 0x200000);
	command_slurp("perf.data", before, sizeof(before));
	assert_int_equal(RUN(annotate, "--log", "log", "perf.data"), 1);
	assert_string_equal(err, "buildid: log: from another boot than the recording\n");
	command_slurp("perf.data", now, sizeof(now));
	assert_memory_equal(now, before, made.size);
	write_perfdata_of("perf.data", TEXT);
	assert_int_equal(RUN(annotate, "--log", "log", "perf.data"), 0);
}

static void assert_refused(const char *why)
{
	char before[4096], after[4096], expected[256];

	command_slurp("perf.data", before, sizeof(before));
	assert_int_equal(RUN(annotate, "--log", "log", "perf.data"), 1);
	snprintf(expected, sizeof(expected), "buildid: log: %s\n", why);
	assert_string_equal(err, expected);
	command_slurp("perf.data", after, sizeof(after));
	assert_memory_equal(before, after, made.size);
}

static void write_one_mapping(uint32_t pid, uint64_t time)
{
	FILE *file = fopen("perf.data", "w");

	memset(&made, 0, sizeof(made));
	made.clockid = clockid;
	make_begin(&made);
	make_mmap2_event(&made, pid, 0x7f0000001000, 0x2000, 0x1000, 4711, time, "/lib.so");
	make_end(&made);
	assert_non_null(file);
	assert_int_equal(fwrite(made.bytes, 1, made.size, file), made.size);
	assert_int_equal(fclose(file), 0);
}

/* Of user space alone, it does not say where the kernel was. */
static void a_recording_that_cannot_be_of_the_log_is_refused(void **state)
{
	const struct timespec longer_ago[] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
	struct timespec now;
	uint64_t later;

	(void)state;
	write_log(true);
	write_perfdata("perf.data");
	assert_int_equal(utimensat(AT_FDCWD, "perf.data", longer_ago, 0), 0);
	assert_refused("from another boot than the recording, which was last written to before "
		       "it would have begun in that of the log");

	clock_gettime(CLOCK_MONOTONIC, &now);
	later = (uint64_t)(now.tv_sec + 3600) * 1000000000;
	write_one_mapping(10, later);
	assert_refused("ended before the recording began, or is of another boot");

	write_one_mapping(11, 2100);
	assert_refused("none of the recording's mappings is in it; it is of another boot, or of "
		       "other processes");
	write_one_mapping(10, 2100);
	assert_int_equal(RUN(annotate, "--log", "log", "perf.data"), 0);
	/* Of what was there before, records may be of the parent. */
	write_one_mapping(11, 0);
	assert_int_equal(RUN(annotate, "--log", "log", "perf.data"), 0);
}

/* One mapping, of now. */
static int answer_maps(struct buildid_maps *request)
{
	union any_record record;

	make_file(&record, 7, 20, 0, "/self");
	fake_add_map(request, &record);
	make_mmap(&record, 7, 0, request->pid);
	fake_add_map(request, &record);
	request->cursor = BUILDID_MAPS_END;
	return 0;
}

static void put_kernel(void)
{
	union any_record record;

	make_image(&record, BUILDID_RECORD_KERNEL, 20, "6.1");
	assert_true(fake_put(&record));
}

/* Its hostname is MAKE_HOSTNAME. */
static void what_was_recorded_elsewhere_needs_a_log(void **state)
{
	(void)state;
	fake.maps = answer_maps;
	write_perfdata_of("perf.data", TEXT + 0x200000);
	put_kernel();
	assert_int_equal(RUN(annotate, "perf.data"), 1);
	assert_string_equal(err, "buildid: perf.data: recorded on another machine or in another "
				 "boot; give a log with --log\n");
	fake_reset(NULL);
	fake.maps = answer_maps;
	fake.open_error = ENOENT;
	assert_int_equal(RUN(annotate, "perf.data"), 1);
	assert_string_equal(err, "buildid: perf.data: the module is not accessible; give a log "
				 "with --log, or load it: modprobe buildid\n");
	clockid = CLOCK_BOOTTIME;
	write_perfdata("perf.data");
	clockid = -1;
	assert_int_equal(RUN(annotate, "perf.data"), 1);
	assert_string_equal(err, "buildid: perf.data: its clock is neither perf's default nor "
				 "CLOCK_MONOTONIC; give a log with --log\n");
	fake_reset(NULL);
	fake.maps = answer_maps;
	write_perfdata_of("perf.data", TEXT);
	put_kernel();
	assert_int_equal(RUN(annotate, "perf.data"), 1);
	assert_string_equal(err, "buildid: perf.data: recorded on a machine of another name; give "
				 "a log with --log\n");
}

/* Behind a perf that does what a script says. */
static void each_of_several_outputs_is_annotated(void **state)
{
	static const char script[] = "#!/bin/sh\ncp perf.data data.2026010100000001\n"
				     "cp perf.data data.2026010100000002\n";
	union any_record record;
	FILE *file;

	(void)state;
	write_perfdata("perf.data");
	file = fopen("perf", "w");
	assert_non_null(file);
	fputs(script, file);
	fclose(file);
	assert_int_equal(chmod("perf", 0755), 0);
	make_file(&record, 1, 20, 0, "/lib.so");
	assert_true(fake_put(&record));
	make_mmap(&record, 1, 0, 10);
	assert_true(fake_put(&record));
	assert_int_equal(
		RUN(record, "--", "./perf", "record", "--switch-output", "-o", "data", "true"), 0);
	assert_listed("data.2026010100000001");
	assert_listed("data.2026010100000002");
	assert_int_equal(access("data.buildid", F_OK), -1);

	/* Of what cannot be annotated the log stays, and the rest is. */
	file = fopen("perf", "w");
	assert_non_null(file);
	fputs("#!/bin/sh\necho none >data.2026010100000003\n"
	      "cp perf.data data.2026010100000004\n",
	      file);
	fclose(file);
	fake_reset(NULL);
	make_file(&record, 1, 20, 0, "/lib.so");
	assert_true(fake_put(&record));
	make_mmap(&record, 1, 0, 10);
	assert_true(fake_put(&record));
	assert_int_equal(
		RUN(record, "--", "./perf", "record", "--switch-output", "-o", "data", "true"), 1);
	assert_non_null(strstr(err, "buildid: data.buildid: kept, as data.2026010100000003 is "
				    "not annotated; "));
	assert_listed("data.2026010100000004");
	assert_int_equal(access("data.buildid", F_OK), 0);
}

#define TEST(name) cmocka_unit_test_setup(name, fake_reset)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_log_annotates),
		TEST(modules_with_one_build_id_are_doubtful),
		TEST(the_summary_is_an_object_that_spares_the_data),
		TEST(a_log_that_was_cut_does_as_far_as_it_goes),
		TEST(list_knows_hits_and_json),
		TEST(what_is_wrong_is_reported),
		TEST(what_moves_the_cursor_is_escaped_in_a_reason),
		TEST(a_log_of_another_boot_is_refused),
		TEST(a_recording_that_cannot_be_of_the_log_is_refused),
		TEST(what_was_recorded_elsewhere_needs_a_log),
		TEST(each_of_several_outputs_is_annotated),
	};

	return cmocka_run_group_tests(tests, command_set_up, command_tear_down);
}
