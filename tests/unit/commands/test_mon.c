// SPDX-License-Identifier: GPL-2.0
/* Mon: what is shown, what is held back, and how it ends. */

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command.h"

static void mon_stops_after_its_count(void **state)
{
	(void)state;
	put_file(1, 4, 0);
	put_mmap(1, 0, "/a");
	put_lost(12);
	put_mmap(1, 0, "/b");
	put_mmap(1, 0, "/c");
	assert_int_equal(RUN(mon, "--count", "2"), 0);
	assert_string_equal(out, "     77 worker          7f0000001000 r-xp "
				 "10111213                                 /a\n"
				 "lost 12 records, 12 of mappings (ring full)\n"
				 "     77 worker          7f0000001000 r-xp "
				 "10111213                                 /b\n");
	assert_string_equal(err, "buildid: 2 events, 12 lost\n");
}

static void mon_asks_for_what_it_was_asked_for(void **state)
{
	union any_record record;

	(void)state;
	make_mmap(&record, 0, BUILDID_STATE_UNRESOLVED, 1, "/a");
	assert_true(fake_put(&record));
	assert_int_equal(RUN(mon, "--count", "1", "-p", "1"), 0);
	assert_int_equal(fake.subscribed.flags, BUILDID_SUB_PATH);
	assert_int_equal(fake.subscribed.nr_pids, 1);
	assert_int_equal(fake.pids[0], 1);

	assert_true(fake_put(&record));
	assert_int_equal(RUN(mon, "--count", "1", "--data"), 0);
	assert_int_equal(fake.subscribed.flags, BUILDID_SUB_PATH | BUILDID_SUB_DATA);
	assert_int_equal(fake.subscribed.nr_pids, 0);

	assert_true(fake_put(&record));
	assert_int_equal(RUN(mon, "--count", "1", "--ring-size", "64k"), 0);
	assert_int_equal(fake.subscribed.ring_size, 65536);

	assert_int_equal(RUN(mon, "-p", "2147483647"), 1);
	assert_string_equal(err, "buildid: pid 2147483647: No such process\n");
	assert_int_equal(RUN(mon, "-j", "-p", "2147483647"), 1);
	assert_string_equal(out, "{\"error\":\"No such process\","
				 "\"object\":\"pid 2147483647\"}\n");
}

static void mon_filters_at_the_source(void **state)
{
	union any_record record;

	(void)state;
	assert_int_equal(mkdir("group", 0755), 0);
	assert_int_equal(RUN(mon, "--cgroup", "group"), 1);
	assert_string_equal(err, "buildid: group: not a cgroup v2 directory\n");
	fclose(fopen("group/cgroup.procs", "w"));
	make_mmap(&record, 0, BUILDID_STATE_UNRESOLVED, 4242, "/a");
	assert_true(fake_put(&record));
	/* Whose child 4242 is is not for mon to know. */
	assert_int_equal(RUN(mon, "--count", "1", "-p", "1", "--children", "-u", "12", "--cgroup",
			     "group", "--with-kernel"),
			 0);
	assert_int_equal(fake.subscribed.flags, BUILDID_SUB_PATH | BUILDID_SUB_CHILDREN |
							BUILDID_SUB_UID | BUILDID_SUB_CGROUP |
							BUILDID_SUB_KERNEL);
	assert_int_equal(fake.subscribed.uid, 12);
	assert_true(fake.subscribed.cgroup_fd > 2);
	assert_non_null(strstr(out, "4242"));
	assert_int_equal(RUN(mon, "--cgroup", "nowhere"), 1);
	assert_string_equal(err, "buildid: nowhere: No such file or directory\n");
}

static void put_others(void)
{
	union any_record record;

	fake_reset(NULL);
	make_image(&record, BUILDID_RECORD_KERNEL, 4, "6.12.1");
	assert_true(fake_put(&record));
	make_cookie(&record, 77, 4);
	assert_true(fake_put(&record));
	put_mmap(0, BUILDID_STATE_UNRESOLVED, "/a");
}

static void mon_shows_the_kernel_when_asked(void **state)
{
	(void)state;
	put_others();
	assert_int_equal(RUN(mon, "--count", "1"), 0);
	assert_null(strstr(out, "6.12.1"));
	put_others();
	assert_int_equal(RUN(mon, "--count", "1", "--with-kernel"), 0);
	assert_non_null(strstr(out, "10111213                                 6.12.1\n"));
}

static void mon_shows_cookies(void **state)
{
	(void)state;
	put_others();
	assert_int_equal(RUN(mon, "--count", "1"), 0);
	assert_non_null(strstr(out, "cookie:10111213                          [cookie]\n"));
	put_others();
	assert_int_equal(RUN(mon, "--count", "1", "--path", "/a"), 0);
	assert_null(strstr(out, "cookie"));
	put_others();
	put_mmap(0, BUILDID_STATE_UNRESOLVED, "/b");
	assert_int_equal(RUN(mon, "--count", "2", "-c", "worker"), 0);
	assert_non_null(strstr(out, "cookie"));
}

static void mon_shows_tasks_when_asked(void **state)
{
	union any_record record;

	(void)state;
	make_process(&record, BUILDID_RECORD_FORK, 4, 3);
	assert_true(fake_put(&record));
	put_mmap(0, BUILDID_STATE_UNRESOLVED, "/a");
	assert_int_equal(RUN(mon, "--count", "1", "--tasks"), 0);
	assert_int_equal(fake.subscribed.flags, BUILDID_SUB_PATH | BUILDID_SUB_TASKS);
	assert_non_null(strstr(out, "      4 worker          fork of 3\n"));
}

static void mon_warns_when_nothing_is_seen(void **state)
{
	(void)state;
	fake.status = 0;
	put_mmap(0, BUILDID_STATE_UNRESOLVED, "/a");
	assert_int_equal(RUN(mon, "--count", "1"), 0);
	assert_non_null(strstr(err, "buildid: /dev/buildid: no mapping is seen"));
	assert_non_null(strstr(err, "sysctl kernel.ftrace_enabled=1"));
	assert_non_null(strstr(err, "/sys/kernel/debug/kprobes/enabled"));
}

static void mon_filters(void **state)
{
	(void)state;
	put_file(1, 4, 0);
	put_mmap(1, 0, "/lib/libc.so.6");
	put_mmap(1, 0, "/lib/libm.so.6");
	assert_int_equal(RUN(mon, "--count", "1", "--path", "*libm*", "-c", "worker"), 0);
	assert_null(strstr(out, "libc"));
	assert_non_null(strstr(out, "libm"));
}

static void mon_waits_for_identities(void **state)
{
	(void)state;
	put_file(1, 0, BUILDID_REASON_PENDING);
	put_mmap(1, BUILDID_STATE_PENDING, "/a");
	put_file(2, 4, 0);
	put_mmap(2, 0, "/b");
	put_file(1, 8, 0);
	assert_int_equal(RUN(mon, "--count", "2"), 0);
	assert_string_equal(out, "     77 worker          7f0000001000 r-xp "
				 "1011121314151617                         /a\n"
				 "     77 worker          7f0000001000 r-xp "
				 "10111213                                 /b\n");
}

static void mon_does_not_wait_for_ever(void **state)
{
	(void)state;
	put_file(1, 0, BUILDID_REASON_PENDING);
	put_mmap(1, BUILDID_STATE_PENDING, "/a");
	assert_int_equal(RUN(mon, "--count", "1"), 0);
	assert_non_null(strstr(out, "(pending)"));
}

static void end_by(int signal_)
{
	pid_t child;

	fake_reset(NULL);
	put_file(1, 0, BUILDID_REASON_PENDING);
	put_mmap(1, BUILDID_STATE_PENDING, "/held");
	child = START(mon);
	wait_until(all_is_consumed);
	kill(child, signal_);
	assert_int_equal(command_finish(child), 0);
	assert_non_null(strstr(out, "(pending)"));
	assert_non_null(strstr(out, "/held\n"));
	assert_string_equal(err, "buildid: 1 events, 0 lost\n");
}

static void mon_ends_by_signals(void **state)
{
	(void)state;
	end_by(SIGINT);
	end_by(SIGTERM);
}

static void mon_prints_each_line_at_once(void **state)
{
	pid_t child;

	(void)state;
	put_mmap(0, BUILDID_STATE_UNRESOLVED, "/a");
	child = START(mon);
	wait_until(all_is_consumed);
	command_slurp("out", out, sizeof(out));
	assert_non_null(strstr(out, "/a\n"));
	kill(child, SIGINT);
	assert_int_equal(command_finish(child), 0);
}

static int run_as_mon(int (*command)(int, char **))
{
	return command_finish(command_start(command, WORDS("buildid mon")));
}

/* As under "| head": the reader goes, and nothing more is mapped. */
static int mon_into_a_closed_pipe(int argc, char **argv)
{
	int ends[2];

	if (pipe(ends) || dup2(ends[1], STDOUT_FILENO) < 0)
		return 98;
	close(ends[0]);
	close(ends[1]);
	return cmd_mon(argc, argv);
}

static void mon_ends_with_its_reader(void **state)
{
	(void)state;
	assert_int_equal(run_as_mon(mon_into_a_closed_pipe), 0);
	put_mmap(0, BUILDID_STATE_UNRESOLVED, "/a");
	assert_int_equal(run_as_mon(mon_into_a_closed_pipe), 0);
}

static int mon_into_a_full_disk(int argc, char **argv)
{
	return freopen("/dev/full", "w", stdout) ? cmd_mon(argc, argv) : 98;
}

static void mon_reports_a_full_disk(void **state)
{
	(void)state;
	put_mmap(0, BUILDID_STATE_UNRESOLVED, "/a");
	assert_int_equal(run_as_mon(mon_into_a_full_disk), 1);
	assert_non_null(strstr(err, "buildid: standard output: No space left on device\n"));
}

#define TEST(name) cmocka_unit_test_setup(name, fake_reset)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(mon_stops_after_its_count),
		TEST(mon_asks_for_what_it_was_asked_for),
		TEST(mon_filters),
		TEST(mon_filters_at_the_source),
		TEST(mon_shows_the_kernel_when_asked),
		TEST(mon_shows_cookies),
		TEST(mon_shows_tasks_when_asked),
		TEST(mon_warns_when_nothing_is_seen),
		TEST(mon_waits_for_identities),
		TEST(mon_does_not_wait_for_ever),
		TEST(mon_ends_by_signals),
		TEST(mon_prints_each_line_at_once),
		TEST(mon_ends_with_its_reader),
		TEST(mon_reports_a_full_disk),
	};

	return cmocka_run_group_tests(tests, command_set_up, command_tear_down);
}
