// SPDX-License-Identifier: GPL-2.0
/* Record: the log, the command, and what mon makes of both. */

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"
#include "common/array.h"
#include "common/clock.h"
#include "identities/log.h"

static bool is_started(void)
{
	return !access("started", F_OK);
}

static void a_recording_can_be_shown(void **state)
{
	(void)state;
	put_file(1, 4, 0);
	put_mmap(1, 0);
	put_lost(3);
	assert_int_equal(RUN(record, "-o", "log", "--", "true"), 0);
	assert_string_equal(out, "");
	assert_non_null(strstr(err, "log: 3 records, 3 lost\n"));
	assert_int_equal(RUN(record, "-j", "-o", "other", "true"), 0);
	assert_string_equal(out,
			    "{\"type\":\"record\",\"path\":\"other\",\"records\":0,\"lost\":0}\n");

	assert_int_equal(RUN(mon, "-l", "log"), 0);
	assert_string_equal(out, "     77 worker          7f0000001000 r-xp "
				 "10111213                                 /f\n"
				 "lost 3 records, 3 of mappings (ring full)\n");
	assert_string_equal(
		err, "buildid: 1 mapping of 1 file; lost 3 records, 3 of mappings (ring full)\n");
	assert_int_equal(RUN(mon, "-j", "-l", "log"), 0);
	assert_ptr_equal(strstr(out, "{\"type\":\"mmap\",\"seq\":2,"), out);
}

static void a_recording_can_be_piped(void **state)
{
	pid_t child;

	(void)state;
	put_file(1, 4, 0);
	put_mmap(1, 0);
	child = START(record, "-j", "-o", "-");
	wait_until(all_is_consumed);
	kill(child, SIGTERM);
	assert_int_equal(command_finish(child), 0);
	assert_int_equal(access("-", F_OK), -1);
	assert_non_null(strstr(err, "-: 2 records, 0 lost\n"));
	assert_int_equal(rename("out", "log"), 0);
	assert_int_equal(RUN(mon, "-l", "log"), 0);
	assert_string_equal(out, "     77 worker          7f0000001000 r-xp "
				 "10111213                                 /f\n");
	assert_int_equal(RUN(record, "-o", "-", "true"), 2);
	assert_non_null(strstr(err, "write the log to a file"));
	child = command_start_on_terminal(cmd_record, 80, 24, WORDS("buildid record", "-o", "-"));
	assert_int_equal(command_finish_on_terminal(child), 1);
	assert_non_null(strstr(err, "-: standard output is a terminal; name a file\n"));
}

static void a_link_is_followed_if_it_was_named(void **state)
{
	(void)state;
	assert_int_equal(symlink("behind", "buildid.log"), 0);
	assert_int_equal(RUN(record, "true"), 1);
	assert_non_null(strstr(err, "buildid.log: is no regular file; remove it first\n"));
	assert_int_equal(access("behind", F_OK), -1);
	assert_int_equal(RUN(record, "-o", "buildid.log", "true"), 0);
	assert_int_equal(access("behind", F_OK), 0);
	assert_int_equal(unlink("buildid.log"), 0);
}

static void a_log_that_was_cut_is_shown_as_far_as_it_goes(void **state)
{
	(void)state;
	put_mmap(1, BUILDID_STATE_FOLLOWS);
	put_file(1, 4, 0);
	assert_int_equal(RUN(record, "-o", "log", "sh", "-c", "exit 0"), 0);
	assert_int_equal(truncate("log", 56 + 120 + 7), 0);
	assert_int_equal(RUN(mon, "-l", "log"), 1);
	assert_non_null(strstr(out, "(being-read)"));
	assert_non_null(strstr(err, "log: cut short: ends at byte 183, "
				    "in what starts at byte 176\n"));
}

/* Of the times that are known: two of one day, and one of another. */
static void assert_third_is_of_another_day(void)
{
	static const char key[] = "\"time\":\"2";
	const size_t length = strlen("\"time\":\"2026-11-28");
	const char *first = strstr(out, key), *second, *third;

	assert_non_null(first);
	second = strstr(first + 1, key);
	assert_non_null(second);
	third = strstr(second + 1, key);
	assert_non_null(third);
	assert_memory_equal(first, second, length);
	assert_memory_not_equal(first, third, length);
}

/* As of one that was set ahead by ten days at 2 s, which was written at once. */
static void times_of_day_are_those_of_the_clock_then(void **state)
{
	static const int64_t days = 10LL * 24 * 3600 * 1000000000;
	union any_record record;
	struct log_writer *writer;
	struct reason reason;
	struct log_clock clock = {
		.header = {
			.type = LOG_RECORD_CLOCK,
			.size = sizeof(clock),
			.time_mono = 2000000000,
		},
		.time_real = (uint64_t)(clock_real() + 2000000000 + days),
	};

	(void)state;
	clock.ahead_min = clock.ahead_max = (int64_t)(clock.time_real - 2000000000);
	writer = log_create("log", true, &reason);
	assert_non_null(writer);
	make_file(&record, 1, 20, 0, "/f");
	assert_int_equal(log_write(writer, &record.header), 0);
	make_mmap(&record, 1, 0, 10);
	record.header.time_mono = 1000000000;
	assert_int_equal(log_write(writer, &record.header), 0);
	assert_int_equal(log_write(writer, &clock.header), 0);
	/* found in the ring only then */
	record.header.time_mono = 1000000001;
	record.mmap.pid = 11;
	assert_int_equal(log_write(writer, &record.header), 0);
	record.header.time_mono = 2000000001;
	record.mmap.pid = 12;
	assert_int_equal(log_write(writer, &record.header), 0);
	assert_int_equal(log_finish(writer), 0);

	RUN(mon, "-j", "-l", "log");
	assert_third_is_of_another_day();

	RUN(users, "-j", "-l", "log", "101112131415161718191a1b1c1d1e1f20212223");
	assert_third_is_of_another_day();
}

static void what_follows_a_mapping_is_shown_with_it(void **state)
{
	(void)state;
	put_mmap(1, BUILDID_STATE_FOLLOWS);
	put_mmap(0, BUILDID_STATE_UNRESOLVED);
	/* For whoever mapped it first: a log has no paths of all the others. */
	put_file_of(5, 1, 4, "/a");
	put_mmap(1, BUILDID_STATE_FOLLOWS);
	assert_int_equal(RUN(record, "-o", "log", "true"), 0);
	assert_int_equal(RUN(mon, "-l", "log"), 0);
	assert_string_equal(out, "     77 worker          7f0000001000 r-xp "
				 "(unresolved)                             -\n"
				 "     77 worker          7f0000001000 r-xp "
				 "10111213                                 /a\n"
				 "     77 worker          7f0000001000 r-xp "
				 "10111213                                 /a\n");
	/* The log's id, and one that is mapped now begins with it. */
	assert_int_equal(RUN(users, "-l", "log", "10111213"), 1);
	assert_non_null(strstr(err, "which of these: 10111213 10111213"));
}

static void a_file_that_does_not_come_is_asked_for(void **state)
{
	(void)state;
	put_mmap(1, BUILDID_STATE_FOLLOWS);
	put_lost(1);
	assert_int_equal(RUN(record, "-o", "log", "true"), 0);
	assert_int_equal(fake.resolved.file_id, 1);
	assert_non_null(strstr(err, "log: 3 records, 1 lost\n"));
	assert_int_equal(RUN(mon, "-l", "log"), 0);
	assert_non_null(strstr(out, " /resolved\n"));
	/* Nor does the module know it. */
	put_mmap(2, BUILDID_STATE_FOLLOWS);
	fake.resolve_error = ENOENT;
	assert_int_equal(RUN(record, "-o", "log", "true"), 0);
	assert_int_equal(fake.resolved.file_id, 2);
	assert_non_null(strstr(err, "log: 1 records, 0 lost\n"));
}

static void record_exits_as_its_command(void **state)
{
	(void)state;
	assert_int_equal(RUN(record, "-o", "log", "sh", "-c", "exit 3"), 3);
	assert_int_equal(
		command_finish_killed(START(record, "-o", "log", "sh", "-c", "kill -9 $$")), 9);
	assert_int_equal(RUN(record, "-o", "log", "/nonexistent"), 127);
	assert_string_equal(err, "buildid: /nonexistent: No such file or directory\n");
	assert_int_equal(RUN(record, "-o", "log", "/tmp"), 126);
	assert_int_equal(RUN(record, "-o", "log", "--", "sh", "-c", "echo -o"), 0);
	assert_string_equal(out, "-o\n");
}

static void write_script(const char *path, const char *text)
{
	FILE *script = fopen(path, "w");

	assert_non_null(script);
	fputs(text, script);
	fclose(script);
	assert_int_equal(chmod(path, 0755), 0);
}

/* As shells and execvp(3) do it. */
static void a_script_needs_no_interpreter_line(void **state)
{
	(void)state;
	write_script("script", "exit $1\n");
	assert_int_equal(RUN(record, "-o", "log", "./script", "5"), 5);
}

static int run_itself(int argc, char **argv)
{
	(void)argc;
	return execvp(argv[0], argv);
}

static void record_leaves_its_command_no_trace(void **state)
{
	static const char look[] = "grep -E 'Sig(Blk|Ign)' /proc/self/status; ls /proc/self/fd";
	char without[sizeof(out)];
	pid_t child;

	(void)state;
	child = command_start(run_itself, WORDS("sh", "-c", look));
	assert_int_equal(command_finish(child), 0);
	strcpy(without, out);
	assert_int_equal(RUN(record, "-o", "log", "sh", "-c", look), 0);
	assert_string_equal(out, without);
}

static void record_without_a_command_ends_by_signals(void **state)
{
	pid_t child;

	(void)state;
	put_mmap(0, BUILDID_STATE_UNRESOLVED);
	child = START(record);
	wait_until(all_is_consumed);
	kill(child, SIGINT);
	assert_int_equal(command_finish(child), 0);
	assert_string_equal(err, "buildid: buildid.log: 1 records, 0 lost\n");
	assert_int_equal(access("buildid.log", R_OK), 0);
}

/* What somebody sends to us alone; from a terminal the command has it already. */
static void record_passes_signals_on_and_ends_alike(void **state)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2 };
	pid_t child;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		unlink("started");
		child = START(record, "-o", "log", "sh", "-c",
			      "ulimit -c 0; touch started; exec sleep 60");
		wait_until(is_started);
		kill(child, numbers[i]);
		assert_int_equal(command_finish_killed(child), numbers[i]);
		assert_non_null(strstr(err, "log: 0 records, 0 lost\n"));
	}
}

static void a_command_may_take_a_signal_and_go_on(void **state)
{
	pid_t child;

	(void)state;
	unlink("started");
	child = START(record, "-o", "log", "sh", "-c",
		      "trap 'echo usr2; exit 4' USR2; touch started;"
		      "while :; do sleep 0.01; done");
	wait_until(is_started);
	kill(child, SIGUSR2);
	assert_int_equal(command_finish(child), 4);
	assert_string_equal(out, "usr2\n");
}

static void a_perf_that_writes_nothing_is_reported(void **state)
{
	(void)state;
	write_script("perf", "#!/bin/sh\nexit $STATUS\n");
	setenv("STATUS", "0", 1);
	assert_int_equal(RUN(record, "./perf", "record", "-o", "data", "true"), 1);
	assert_string_equal(err,
			    "buildid: data: nothing was written as far as can be seen\n"
			    "buildid: data.buildid: kept, as what perf wrote is not annotated; "
			    "see: buildid help annotate\n");
	assert_int_equal(access("data.buildid", R_OK), 0);
	assert_int_equal(unlink("data.buildid"), 0);
	/* Then it has said why itself. */
	setenv("STATUS", "129", 1);
	assert_int_equal(RUN(record, "./perf", "record", "-o", "data", "true"), 129);
	assert_string_equal(err, "");
	assert_int_equal(access("data.buildid", R_OK), -1);
}

static void a_perf_that_does_not_record_gets_a_word(void **state)
{
	static const char word[] = "buildid: record: nothing is annotated, as the command does "
				   "not record with perf as far as can be seen\n";

	(void)state;
	write_script("perf", "#!/bin/sh\nexit 0\n");
	assert_int_equal(RUN(record, "-o", "log", "./perf", "stat", "true"), 0);
	assert_non_null(strstr(err, word));
	assert_int_equal(RUN(record, "-o", "log", "echo", "./perf", "record", "true"), 0);
	assert_non_null(strstr(err, word));
	assert_string_equal(out, "./perf record true\n");
	assert_int_equal(RUN(record, "-o", "log", "true"), 0);
	assert_null(strstr(err, word));
}

static void record_reports_a_full_disk(void **state)
{
	(void)state;
	put_mmap(0, BUILDID_STATE_UNRESOLVED);
	assert_int_equal(RUN(record, "-o", "/dev/full", "sh", "-c", "echo done"), 1);
	assert_string_equal(err, "buildid: /dev/full: No space left on device\n");
	/* The command is none the worse for it. */
	assert_string_equal(out, "done\n");
	assert_int_equal(RUN(record, "-o", "/nonexistent/log", "touch", "ran"), 1);
	assert_int_equal(access("ran", F_OK), -1);
}

static void record_tells_which_rings_there_can_be(void **state)
{
	static const char *const refused[] = { "8k", "128M" };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(refused); i++) {
		assert_int_equal(RUN(record, "--ring-size", refused[i], "touch", "ran"), 1);
		assert_string_equal(err, "buildid: --ring-size: the module allows 16384 to "
					 "67108864 bytes\n");
		assert_int_equal(access("ran", F_OK), -1);
	}
}

static void a_malformed_record_is_the_device_s(void **state)
{
	(void)state;
	put_mmap(0, BUILDID_STATE_UNRESOLVED);
	fake_break_size(8);
	assert_int_equal(RUN(record, "-o", "log", "true"), 1);
	assert_string_equal(err, "buildid: /dev/buildid: malformed record\n");
}

static void record_filters_at_the_source(void **state)
{
	(void)state;
	assert_int_equal(mkdir("group", 0755), 0);
	assert_int_equal(RUN(record, "--cgroup", "group", "touch", "ran"), 1);
	assert_string_equal(err, "buildid: group: not a cgroup v2 directory\n");
	assert_int_equal(RUN(record, "--children", "touch", "ran"), 2);
	assert_int_equal(RUN(record, "-u", "no user", "touch", "ran"), 2);
	assert_int_equal(access("ran", F_OK), -1);
	assert_int_equal(RUN(record, "--tasks", "true"), 0);
	assert_true(fake.subscribed.flags & BUILDID_SUB_TASKS);
	fclose(fopen("group/cgroup.procs", "w"));
	assert_int_equal(RUN(record, "--no-annotate", "-o", "log", "-p", "1", "--children", "-u",
			     "12", "--cgroup", "group", "true"),
			 0);
	assert_int_equal(fake.subscribed.flags, BUILDID_SUB_KERNEL | BUILDID_SUB_CHILDREN |
							BUILDID_SUB_UID | BUILDID_SUB_CGROUP);
	assert_int_equal(fake.pids[0], 1);
	assert_int_equal(fake.subscribed.uid, 12);
	assert_true(fake.subscribed.cgroup_fd > 2);
}

#define TEST(name) cmocka_unit_test_setup(name, fake_reset)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_recording_can_be_shown),
		TEST(a_recording_can_be_piped),
		TEST(a_link_is_followed_if_it_was_named),
		TEST(a_log_that_was_cut_is_shown_as_far_as_it_goes),
		TEST(times_of_day_are_those_of_the_clock_then),
		TEST(what_follows_a_mapping_is_shown_with_it),
		TEST(a_file_that_does_not_come_is_asked_for),
		TEST(record_exits_as_its_command),
		TEST(a_script_needs_no_interpreter_line),
		TEST(record_leaves_its_command_no_trace),
		TEST(record_without_a_command_ends_by_signals),
		TEST(record_passes_signals_on_and_ends_alike),
		TEST(a_command_may_take_a_signal_and_go_on),
		TEST(a_perf_that_writes_nothing_is_reported),
		TEST(a_perf_that_does_not_record_gets_a_word),
		TEST(record_reports_a_full_disk),
		TEST(record_tells_which_rings_there_can_be),
		TEST(a_malformed_record_is_the_device_s),
		TEST(record_filters_at_the_source),
	};

	return cmocka_run_group_tests(tests, command_set_up, command_tear_down);
}
