// SPDX-License-Identifier: GPL-2.0
/* Mon: what is shown, and how on a terminal; what waits, and how it ends. */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "command.h"

static void mon_stops_after_its_count(void **state)
{
	(void)state;
	put_mapping(1, 4, "/a");
	put_lost(12);
	put_mapping(1, 4, "/b");
	put_mapping(1, 4, "/c");
	assert_int_equal(RUN(mon, "--count", "2"), 0);
	assert_string_equal(out, "     77 worker          7f0000001000 r-xp "
				 "10111213                                 /a\n"
				 "lost 12 records, 12 of mappings (ring full)\n"
				 "     77 worker          7f0000001000 r-xp "
				 "10111213                                 /b\n");
	assert_string_equal(
		err,
		"buildid: 2 mappings of 1 file; lost 12 records, 12 of mappings (ring full)\n");
}

static void mon_asks_for_what_it_was_asked_for(void **state)
{
	union any_record record;

	(void)state;
	make_mmap(&record, 0, BUILDID_STATE_UNRESOLVED, 1);
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
	assert_string_equal(out, "{\"type\":\"error\",\"error\":\"No such process\","
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
	make_mmap(&record, 0, BUILDID_STATE_UNRESOLVED, 4242);
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
	put_mapping(1, 4, "/a");
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
	put_mapping(1, 4, "/b");
	assert_int_equal(RUN(mon, "--count", "2", "-c", "worker"), 0);
	assert_non_null(strstr(out, "cookie"));
}

static void mon_shows_tasks_when_asked(void **state)
{
	union any_record record;

	(void)state;
	make_process(&record, BUILDID_RECORD_FORK, 4, 3);
	assert_true(fake_put(&record));
	put_mmap(0, BUILDID_STATE_UNRESOLVED);
	assert_int_equal(RUN(mon, "--count", "1", "--tasks"), 0);
	assert_int_equal(fake.subscribed.flags, BUILDID_SUB_PATH | BUILDID_SUB_TASKS);
	assert_non_null(strstr(out, "      4 worker          fork of 3\n"));
}

static void mon_writes_a_page_at_its_end(void **state)
{
	char page[65536];
	union any_record record;

	(void)state;
	make_process(&record, BUILDID_RECORD_FORK, 4, 77);
	put_mapping(1, 4, "/<b>");
	assert_true(fake_put(&record));
	put_mapping(2, 0, "/c");
	assert_int_equal(RUN(mon, "--count", "2", "--html", "page"), 0);
	assert_int_equal(fake.subscribed.flags, BUILDID_SUB_PATH | BUILDID_SUB_TASKS);
	assert_non_null(strstr(out, "/<b>\n"));
	assert_null(strstr(out, "fork"));
	command_slurp("page", page, sizeof(page));
	assert_non_null(strstr(page, "<h3>/&lt;b&gt;</h3>"));
	assert_null(strstr(page, "<b>"));
	/* The forked one has what its parent had. */
	assert_non_null(strstr(page, "<summary>2 processes</summary>"));
	assert_non_null(strstr(page, "<li>what was mapped before the beginning: "));
	/* Also where paths are chosen, as a fork has none. */
	make_process(&record, BUILDID_RECORD_FORK, 4, 77);
	put_mapping(1, 4, "/b");
	assert_true(fake_put(&record));
	put_mapping(2, 0, "/b");
	assert_int_equal(RUN(mon, "--path", "/b", "--count", "2", "--html", "page"), 0);
	command_slurp("page", page, sizeof(page));
	assert_non_null(strstr(page, "<summary>2 processes</summary>"));
	/* Before anything is watched. */
	put_mapping(1, 4, "/a");
	assert_int_equal(RUN(mon, "--count", "1", "--html", "none/page"), 1);
	assert_string_equal(out, "");
	assert_non_null(strstr(err, "none/page: No such file or directory"));
}

static void mon_warns_when_nothing_is_seen(void **state)
{
	(void)state;
	fake.status = 0;
	put_mmap(0, BUILDID_STATE_UNRESOLVED);
	assert_int_equal(RUN(mon, "--count", "1"), 0);
	assert_non_null(strstr(err, "buildid: /dev/buildid: no mapping is seen"));
	assert_non_null(strstr(err, "sysctl kernel.ftrace_enabled=1"));
	assert_non_null(strstr(err, "/sys/kernel/debug/kprobes/enabled"));
}

static void mon_filters(void **state)
{
	(void)state;
	put_mapping(1, 4, "/lib/libc.so.6");
	put_mapping(1, 4, "/lib/libm.so.6");
	assert_int_equal(RUN(mon, "--count", "1", "--path", "*libm*", "-c", "worker"), 0);
	assert_null(strstr(out, "libc"));
	assert_non_null(strstr(out, "libm"));
}

static void a_mapping_waits_for_its_file_and_nothing_else_does(void **state)
{
	(void)state;
	put_mmap(1, BUILDID_STATE_FOLLOWS);
	put_mapping(2, 4, "/b");
	put_lost(3);
	put_file_of(77, 1, 8, "/a");
	assert_int_equal(RUN(mon, "--count", "2"), 0);
	assert_string_equal(out, "     77 worker          7f0000001000 r-xp "
				 "10111213                                 /b\n"
				 "lost 3 records, 3 of mappings (ring full)\n"
				 "     77 worker          7f0000001000 r-xp "
				 "1011121314151617                         /a\n");
}

static void a_mapping_waits_for_the_path_of_its_own_process(void **state)
{
	(void)state;
	put_mmap(1, BUILDID_STATE_FOLLOWS);
	put_file_of(5, 1, 4, "/of/another");
	put_file_of(77, 1, 4, "/of/its/own");
	assert_int_equal(RUN(mon, "--count", "1"), 0);
	assert_non_null(strstr(out, "/of/its/own\n"));
	assert_null(strstr(out, "another"));
}

/* As an exec maps the parts of a program. */
static void a_file_is_that_of_all_mappings_before_it(void **state)
{
	(void)state;
	put_mmap(1, BUILDID_STATE_FOLLOWS);
	put_mapping(1, 4, "/a");
	assert_int_equal(RUN(mon, "--count", "2"), 0);
	assert_string_equal(out, "     77 worker          7f0000001000 r-xp "
				 "10111213                                 /a\n"
				 "     77 worker          7f0000001000 r-xp "
				 "10111213                                 /a\n");
}

static void mon_does_not_wait_for_ever(void **state)
{
	(void)state;
	put_mmap(1, BUILDID_STATE_FOLLOWS);
	assert_int_equal(RUN(mon, "--count", "1"), 0);
	assert_non_null(strstr(out, "r-xp (being-read) "));
}

static void what_is_known_of_a_file_is_shown_in_the_end(void **state)
{
	(void)state;
	put_mmap(1, BUILDID_STATE_FOLLOWS);
	put_file_of(5, 1, 4, "/of/another");
	assert_int_equal(RUN(mon, "--count", "1"), 0);
	assert_non_null(strstr(out, "r-xp 10111213 "));
}

static void end_by(int signal_)
{
	pid_t child;

	fake_reset(NULL);
	put_mmap(1, BUILDID_STATE_FOLLOWS);
	child = START(mon);
	wait_until(all_is_consumed);
	kill(child, signal_);
	assert_int_equal(command_finish(child), 0);
	assert_non_null(strstr(out, "(being-read)"));
	assert_string_equal(err, "buildid: 1 mapping of 1 file; nothing lost\n");
}

static void mon_ends_by_signals(void **state)
{
	(void)state;
	end_by(SIGINT);
	end_by(SIGTERM);
	end_by(SIGHUP);
}

static int mon_under_nohup(int argc, char **argv)
{
	signal(SIGHUP, SIG_IGN);
	return cmd_mon(argc, argv);
}

static void mon_goes_on_under_nohup(void **state)
{
	char path[64], status[4096];
	const char *blocked;
	pid_t child;

	(void)state;
	put_mmap(0, BUILDID_STATE_UNRESOLVED);
	child = command_start(mon_under_nohup, WORDS("buildid mon"));
	wait_until(all_is_consumed);
	/* An ignored signal is delivered only if it is blocked. */
	snprintf(path, sizeof(path), "/proc/%d/status", (int)child);
	command_slurp(path, status, sizeof(status));
	blocked = strstr(status, "SigBlk:");
	kill(child, SIGTERM);
	assert_int_equal(command_finish(child), 0);
	assert_non_null(blocked);
	assert_false(strtoul(blocked + strlen("SigBlk:"), NULL, 16) & 1UL << (SIGHUP - 1));
}

static void mon_sums_up(void **state)
{
	(void)state;
	put_mapping(1, 4, "/a");
	put_mapping(2, 8, "/b");
	put_mapping(1, 4, "/a");
	put_lost(3);
	put_lost(4);
	put_mmap(0, BUILDID_STATE_UNRESOLVED);
	assert_int_equal(RUN(mon, "--count", "4"), 0);
	assert_string_equal(err, "buildid: 4 mappings of 2 files; lost 7 records, 7 of mappings "
				 "(ring full)\n");
}

static void mon_has_the_date_in_json(void **state)
{
	struct tm tm;
	time_t now = time(NULL), then;
	const char *date;

	(void)state;
	put_mmap(0, BUILDID_STATE_UNRESOLVED);
	assert_int_equal(RUN(mon, "-j", "--count", "1"), 0);
	date = strstr(out, "\"time\":\"");
	assert_non_null(date);
	date = strptime(date + strlen("\"time\":\""), "%Y-%m-%dT%H:%M:%S", &tm);
	assert_non_null(date);
	assert_int_equal(date[0], '.');
	assert_int_equal(date[7], 'Z');
	then = timegm(&tm);
	/* Of the record, which was made after now; 100 s for whoever sets the clock. */
	assert_true(then >= now - 100 && then < now + 100);
}

/* ------------------------------------------------------------ terminals -- */

#define LONG_PATH "/usr/lib/x86_64-linux-gnu/libcrypto.so.3"

static void mon_fits_its_terminal(void **state)
{
	pid_t child;

	(void)state;
	put_mapping(1, 20, LONG_PATH);
	child = command_start_on_terminal(cmd_mon, 80, 24, WORDS("buildid mon"));
	wait_until(all_is_consumed);
	command_resize(140, 24);
	put_mapping(1, 20, LONG_PATH);
	wait_until(all_is_consumed);
	kill(child, SIGHUP);
	assert_int_equal(command_finish_on_terminal(child), 0);
	assert_string_equal(
		out,
		"    PID COMM                 ADDRESS PROT IDENTITY     PATH\n"
		"     77 worker          7f0000001000 r-xp 101112131415 /usr/li.../libcrypto.so.3\n"
		"    PID COMM                 ADDRESS PROT IDENTITY                                 "
		"PATH\n"
		"     77 worker          7f0000001000 r-xp 101112131415161718191a1b1c1d1e1f20212223 "
		"/usr/lib/x86_64-linux-gnu/libcrypto.so.3\n");
	assert_string_equal(err, "buildid: 2 mappings of 1 file; nothing lost\n");
}

static void mon_shows_all_in_full(void **state)
{
	pid_t child;

	(void)state;
	put_mapping(1, 20, LONG_PATH);
	child = command_start_on_terminal(cmd_mon, 40, 24,
					  WORDS("buildid mon", "--full", "--count", "1"));
	assert_int_equal(command_finish_on_terminal(child), 0);
	assert_non_null(
		strstr(out, "r-xp 101112131415161718191a1b1c1d1e1f20212223 " LONG_PATH "\n"));
}

static void mon_repeats_its_header(void **state)
{
	const char *at;
	int headers = 0, i;
	pid_t child;

	(void)state;
	for (i = 0; i < 20; i++)
		put_mapping(1, 20, "/a");
	child = command_start_on_terminal(cmd_mon, 80, 10, WORDS("buildid mon", "--count", "20"));
	assert_int_equal(command_finish_on_terminal(child), 0);
	for (at = out; (at = strstr(at, "IDENTITY")); at++)
		headers++;
	assert_int_equal(headers, 3);
}

/* --------------------------------------------------------------- changes -- */

static void put_content(uint64_t file_id, uint8_t content, uint32_t flags, const char *path)
{
	union any_record record;

	put_mmap(file_id, BUILDID_STATE_FOLLOWS);
	make_file(&record, file_id, 4, 0, path);
	record.bytes[record.file.data_off] = content;
	record.file.flags = flags;
	record.file.tid = 78;
	assert_true(fake_put(&record));
}

static void mon_shows_what_is_news(void **state)
{
	(void)state;
	put_content(1, 0xa1, 0, "/lib/a");
	put_content(1, 0xa1, 0, "/lib/a");
	put_content(2, 0xa2, 0, "/lib/a");
	put_content(1, 0xa1, 0, "/lib/a");
	put_content(2, 0xa2, 0, "/lib/a");
	put_content(3, 0xa1, BUILDID_FILE_DELETED, "/lib/b");
	put_content(4, 0xa4, 0, "/lib/c");
	/* netlink and the snapshot are not there. */
	assert_int_equal(RUN(mon, "--changes", "--count", "4"), 0);
	assert_string_equal(out, "     77 worker          new         "
				 "a1111213                                 /lib/a\n"
				 "     77 worker          changed,new "
				 "a2111213                                 /lib/a (was a1111213)\n"
				 "     77 worker          deleted     "
				 "a1111213                                 /lib/b (deleted)\n"
				 "     77 worker          new         "
				 "a4111213                                 /lib/c\n");
}

static void mon_has_the_former_content_in_json(void **state)
{
	(void)state;
	put_content(1, 0xa1, 0, "/lib/a");
	put_content(2, 0xa2, 0, "/lib/a");
	assert_int_equal(RUN(mon, "-j", "--changes", "--count", "2"), 0);
	assert_non_null(strstr(out, "\"news\":[\"new\"],\"path\":"));
	assert_non_null(strstr(out,
			       "\"news\":[\"changed\",\"new\"],\"former_build_id\":\"a1111213\","
			       "\"former_kind\":\"gnu\""));
}

static void mon_filters_what_is_news(void **state)
{
	(void)state;
	put_content(1, 0xa1, 0, "/lib/a");
	put_content(2, 0xa2, 0, "/lib/b");
	assert_int_equal(RUN(mon, "--changes", "--path", "*/b", "--count", "1"), 0);
	assert_null(strstr(out, "/lib/a"));
	assert_non_null(strstr(out, "/lib/b"));
}

static void mon_prints_each_line_at_once(void **state)
{
	pid_t child;

	(void)state;
	put_mapping(1, 4, "/a");
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
	put_mmap(0, BUILDID_STATE_UNRESOLVED);
	assert_int_equal(run_as_mon(mon_into_a_closed_pipe), 0);
}

static int mon_into_a_full_disk(int argc, char **argv)
{
	return freopen("/dev/full", "w", stdout) ? cmd_mon(argc, argv) : 98;
}

static void mon_reports_a_full_disk(void **state)
{
	(void)state;
	put_mmap(0, BUILDID_STATE_UNRESOLVED);
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
		TEST(mon_writes_a_page_at_its_end),
		TEST(mon_warns_when_nothing_is_seen),
		TEST(a_mapping_waits_for_its_file_and_nothing_else_does),
		TEST(a_mapping_waits_for_the_path_of_its_own_process),
		TEST(a_file_is_that_of_all_mappings_before_it),
		TEST(what_is_known_of_a_file_is_shown_in_the_end),
		TEST(mon_does_not_wait_for_ever),
		TEST(mon_ends_by_signals),
		TEST(mon_goes_on_under_nohup),
		TEST(mon_sums_up),
		TEST(mon_has_the_date_in_json),
		TEST(mon_fits_its_terminal),
		TEST(mon_shows_all_in_full),
		TEST(mon_repeats_its_header),
		TEST(mon_shows_what_is_news),
		TEST(mon_has_the_former_content_in_json),
		TEST(mon_filters_what_is_news),
		TEST(mon_prints_each_line_at_once),
		TEST(mon_ends_with_its_reader),
		TEST(mon_reports_a_full_disk),
	};

	return cmocka_run_group_tests(tests, command_set_up, command_tear_down);
}
