// SPDX-License-Identifier: GPL-2.0
/* buildid annotate and list -i: a perf.data and a log, as commands. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "log.h"
#include "make_perfdata.h"

#define ID "101112131415161718191a1b1c1d1e1f20212223"

static struct make made;

/* As make_mmap() has it: 0x7f0000001000 of inode 4711 on 8:1, at 2000. */
static void write_perfdata(const char *path)
{
	FILE *file = fopen(path, "w");

	memset(&made, 0, sizeof(made));
	made.clockid = -1;
	make_begin(&made);
	make_mmap2_event(&made, 10, 0x7f0000001000, 0x2000, 0x1000, 4711, 2100, "/lib.so");
	make_mmap2_event(&made, 10, 0x400000, 0x2000, 0x1000, 4712, 2100, "/unknown");
	make_sample(&made, PERFDATA_MISC_USER, 10, 2200, 0x7f0000001010);
	make_end(&made);
	assert_non_null(file);
	assert_int_equal(fwrite(made.bytes, 1, made.size, file), made.size);
	assert_int_equal(fclose(file), 0);
}

static void write_log(bool whole)
{
	struct log_writer *writer;
	union any_record record;

	assert_int_equal(log_create(&writer, "log"), 0);
	make_file(&record, 1, 20, 0, "/lib.so");
	assert_int_equal(log_write(writer, &record.header), 0);
	make_mmap(&record, 1, 0, 10, "");
	assert_int_equal(log_write(writer, &record.header), 0);
	assert_int_equal(log_finish(writer), 0);
	if (!whole)
		assert_int_equal(truncate("log", 56 + 160 + 104 + 10), 0);
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
	assert_string_equal(err, "buildid: /unknown: left alone: there is no record of it\n"
			    "buildid: perf.data: 1 mappings annotated, 0 of files without "
			    "a build-id, 1 of 1 paths left alone\n");
	assert_listed("perf.data");
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

static void what_is_wrong_is_told(void **state)
{
	(void)state;
	write_perfdata("perf.data");
	write_log(true);
	assert_int_equal(RUN(annotate, "--log", "none", "perf.data"), 1);
	assert_string_equal(err, "buildid: none: No such file or directory\n");
	assert_int_equal(RUN(annotate, "--log", "log", "none"), 1);
	assert_string_equal(err, "buildid: none: No such file or directory\n");
	assert_int_equal(RUN(annotate, "--log", "log", "log"), 1);
	assert_string_equal(err, "buildid: log: no perf.data\n");
	assert_int_equal(RUN(list, "-i", "log"), 1);
	assert_string_equal(err, "buildid: log: no perf.data\n");
	assert_int_equal(RUN(annotate, "a", "b"), 2);
	assert_int_equal(RUN(list, "-H"), 2);
	assert_int_equal(RUN(annotate, "--log", "-", "-"), 2);
}

#define TEST(name) cmocka_unit_test_setup(name, fake_reset)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_log_annotates),
		TEST(a_log_that_was_cut_does_as_far_as_it_goes),
		TEST(list_knows_hits_and_json),
		TEST(what_is_wrong_is_told),
	};

	return cmocka_run_group_tests(tests, command_set_up, command_tear_down);
}
