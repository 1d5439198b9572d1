// SPDX-License-Identifier: GPL-2.0
/* Record: the log, the command, and what mon makes of both. */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"

static bool is_started(void)
{
	return !access("started", F_OK);
}

static void a_recording_can_be_shown(void **state)
{
	(void)state;
	put_file(1, 4, 0);
	put_mmap(1, 0, "/a");
	put_lost(3);
	assert_int_equal(RUN(record, "-o", "log", "--", "true"), 0);
	assert_string_equal(out, "");
	assert_non_null(strstr(err, "log: 3 records, 3 lost\n"));
	assert_int_equal(RUN(record, "-j", "-o", "other", "true"), 0);
	assert_string_equal(out,
			    "{\"type\":\"record\",\"path\":\"other\",\"records\":0,\"lost\":0}\n");

	assert_int_equal(RUN(mon, "-l", "log"), 0);
	assert_string_equal(out, "     77 worker          7f0000001000 r-xp "
				 "10111213                                 /a\n"
				 "lost 3 records, 3 of mappings (ring full)\n");
	assert_string_equal(
		err, "buildid: 1 mapping of 1 file; lost 3 records, 3 of mappings (ring full)\n");
	assert_int_equal(RUN(mon, "-j", "-l", "log"), 0);
	assert_ptr_equal(strstr(out, "{\"type\":\"mmap\",\"seq\":2,"), out);
}

static void a_log_that_was_cut_is_shown_as_far_as_it_goes(void **state)
{
	(void)state;
	put_file(1, 0, BUILDID_REASON_PENDING);
	put_mmap(1, BUILDID_STATE_PENDING, "/held");
	assert_int_equal(RUN(record, "-o", "log", "sh", "-c", "exit 0"), 0);
	assert_int_equal(truncate("log", 56 + 136 + 120 + 7), 0);
	assert_int_equal(RUN(mon, "-l", "log"), 1);
	assert_non_null(strstr(out, "/held\n"));
	assert_non_null(strstr(err, "log: cut short: ends at byte 319, "
				    "in what starts at byte 312\n"));
}

static void record_exits_as_its_command(void **state)
{
	(void)state;
	assert_int_equal(RUN(record, "-o", "log", "sh", "-c", "exit 3"), 3);
	assert_int_equal(RUN(record, "-o", "log", "sh", "-c", "kill -9 $$"), 128 + 9);
	assert_int_equal(RUN(record, "-o", "log", "/nonexistent"), 127);
	assert_string_equal(err, "buildid: /nonexistent: No such file or directory\n");
	assert_int_equal(RUN(record, "-o", "log", "/tmp"), 126);
	assert_int_equal(RUN(record, "-o", "log", "--", "sh", "-c", "echo -o"), 0);
	assert_string_equal(out, "-o\n");
}

/* As shells and execvp(3) do it. */
static void a_script_needs_no_interpreter_line(void **state)
{
	FILE *script = fopen("script", "w");

	(void)state;
	assert_non_null(script);
	fputs("exit $1\n", script);
	fclose(script);
	assert_int_equal(chmod("script", 0755), 0);
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
	put_mmap(0, BUILDID_STATE_UNRESOLVED, "/a");
	child = START(record);
	wait_until(all_is_consumed);
	kill(child, SIGINT);
	assert_int_equal(command_finish(child), 0);
	assert_string_equal(err, "buildid: buildid.log: 1 records, 0 lost\n");
	assert_int_equal(access("buildid.log", R_OK), 0);
}

static void record_passes_sigterm_on(void **state)
{
	pid_t child;

	(void)state;
	child = START(record, "-o", "log", "sh", "-c", "touch started; exec sleep 60");
	wait_until(is_started);
	kill(child, SIGINT);
	kill(child, SIGTERM);
	assert_int_equal(command_finish(child), 128 + SIGTERM);
}

static void record_reports_a_full_disk(void **state)
{
	(void)state;
	put_mmap(0, BUILDID_STATE_UNRESOLVED, "/a");
	assert_int_equal(RUN(record, "-o", "/dev/full", "sh", "-c", "echo done"), 1);
	assert_string_equal(err, "buildid: /dev/full: No space left on device\n");
	/* The command is none the worse for it. */
	assert_string_equal(out, "done\n");
	assert_int_equal(RUN(record, "-o", "/nonexistent/log", "touch", "ran"), 1);
	assert_int_equal(access("ran", F_OK), -1);
	assert_int_equal(RUN(record, "--ring-size", "128M", "touch", "ran"), 1);
	assert_string_equal(err, "buildid: --ring-size: the module allows 67108864 bytes "
				 "at most\n");
	assert_int_equal(access("ran", F_OK), -1);
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
	fclose(fopen("group/cgroup.procs", "w"));
	assert_int_equal(RUN(record, "-o", "log", "-p", "1", "--children", "-u", "12", "--cgroup",
			     "group", "true"),
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
		TEST(a_log_that_was_cut_is_shown_as_far_as_it_goes),
		TEST(record_exits_as_its_command),
		TEST(a_script_needs_no_interpreter_line),
		TEST(record_leaves_its_command_no_trace),
		TEST(record_without_a_command_ends_by_signals),
		TEST(record_passes_sigterm_on),
		TEST(record_reports_a_full_disk),
		TEST(record_filters_at_the_source),
	};

	return cmocka_run_group_tests(tests, command_set_up, command_tear_down);
}
