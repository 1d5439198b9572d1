// SPDX-License-Identifier: GPL-2.0
/* Perf: what its users type, by record's options and by buildid perf. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"

/* It fails, as then nothing is said of what it has not written. */
#define STATUS 7

static char said[4096];

/* A perf that writes its words, and what its standard output is, to "said". */
static int perf_set_up(void **state)
{
	FILE *script;

	if (command_set_up(state))
		return -1;
	script = fopen("perf", "w");
	if (!script)
		return -1;
	fprintf(script, "#!/bin/sh\necho \"$@\" > said\nexit %d\n", STATUS);
	fclose(script);
	return chmod("perf", 0755) || setenv("PATH", ".:/usr/bin:/bin", 1);
}

static void assert_perf_got(const char *words)
{
	command_slurp("said", said, sizeof(said));
	said[strcspn(said, "\n")] = '\0';
	assert_string_equal(said, words);
	assert_int_equal(unlink("said"), 0);
}

static void options_of_perf_run_it(void **state)
{
	(void)state;
	assert_int_equal(RUN(record, "-a", "sleep", "1"), STATUS);
	assert_perf_got("record -B -a -- sleep 1");
	assert_int_equal(RUN(record, "-ge", "a", "-F99", "--event=b:u", "-o", "data", "true", "-x"),
			 STATUS);
	assert_perf_got("record -B -g -e a -F 99 -e b:u -o data -- true -x");
	assert_int_equal(RUN(record, "--call-graph", "dwarf", "--", "true"), STATUS);
	assert_perf_got("record -B --call-graph dwarf -- true");
	assert_int_equal(access("data.buildid", F_OK), -1);
	assert_int_equal(access("buildid.log", F_OK), -1);
}

/* With no filter of ours, as perf takes their children, too. */
static void processes_are_perf_s(void **state)
{
	(void)state;
	assert_int_equal(RUN(record, "-p", "1,2", "-u", "12", "--tasks"), STATUS);
	assert_perf_got("record -B -p 1,2 -u 12");
	assert_int_equal(fake.subscribed.flags, BUILDID_SUB_KERNEL | BUILDID_SUB_TASKS);
	assert_int_equal(fake.subscribed.nr_pids, 0);
}

static void a_log_alone_runs_no_perf(void **state)
{
	(void)state;
	assert_int_equal(RUN(record, "--no-annotate", "-o", "log", "-p", "1", "true"), 0);
	assert_int_equal(access("said", F_OK), -1);
	assert_int_equal(access("log", F_OK), 0);
	assert_int_equal(fake.pids[0], 1);
}

static void what_cannot_be_meant_is_refused(void **state)
{
	static const struct {
		const char *words[8];
		const char *said;
	} cases[] = {
		{ { "record", "-p", "1", "--", "perf", "record", "true" },
		  "buildid: -p: COMMAND is perf record, behind which perf's options go\n" },
		{ { "record", "-a", "nice", "perf", "record", "true" },
		  "buildid: -a: COMMAND is perf record, " },
		{ { "record", "-a", "--cgroup", "." }, "buildid: --cgroup: of a log, " },
		{ { "record", "-p", "1", "--children" }, "buildid: --children: of a log, " },
		{ { "record", "-g", "--no-annotate" }, "buildid: -g: of perf record, " },
		{ { "record", "-b" }, "buildid: for all options of perf record: " },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(command_finish(command_start(cmd_record, cases[i].words)), 2);
		assert_non_null(strstr(err, cases[i].said));
		assert_int_equal(access("said", F_OK), -1);
	}
}

static void buildid_perf_passes_words_on(void **state)
{
	(void)state;
	assert_int_equal(RUN(perf, "record", "-e", "a", "-j", "any", "-b", "true"), STATUS);
	assert_perf_got("record -B -e a -j any -b true");
	assert_int_equal(RUN(perf, "mem", "record", "true"), STATUS);
	assert_perf_got("mem record -B true");
	assert_int_equal(RUN(perf, "report", "--stdio"), STATUS);
	assert_perf_got("report --stdio");
	assert_int_equal(RUN(perf, "--", "--no-pager", "report"), STATUS);
	assert_perf_got("--no-pager report");
	assert_int_equal(RUN(perf), 2);
	assert_int_equal(RUN(perf, "--help"), 0);
	assert_non_null(strstr(out, "Usage: buildid perf "));
}

static void without_perf_its_package_is_named(void **state)
{
	static const char remedy[] = "buildid: perf: not found in PATH; it is in Debian's "
				     "linux-perf: apt install linux-perf\n";
	char *path = strdup(getenv("PATH"));

	(void)state;
	setenv("PATH", "/nonexistent", 1);
	assert_int_equal(RUN(record, "-a"), 127);
	assert_string_equal(err, remedy);
	assert_int_equal(RUN(perf, "report"), 127);
	assert_string_equal(err, remedy);
	setenv("PATH", path, 1);
	free(path);
}

static void the_user_s_file_is_named_and_not_its_log(void **state)
{
	(void)state;
	assert_int_equal(RUN(record, "-a", "-o", "no/data", "true"), 1);
	assert_string_equal(err, "buildid: no/data: no log beside it: No such file or directory\n");
	assert_int_equal(access("said", F_OK), -1);
}

#define TEST(name) cmocka_unit_test_setup(name, fake_reset)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(options_of_perf_run_it),
		TEST(processes_are_perf_s),
		TEST(a_log_alone_runs_no_perf),
		TEST(what_cannot_be_meant_is_refused),
		TEST(buildid_perf_passes_words_on),
		TEST(without_perf_its_package_is_named),
		TEST(the_user_s_file_is_named_and_not_its_log),
	};

	return cmocka_run_group_tests(tests, perf_set_up, command_tear_down);
}
