// SPDX-License-Identifier: GPL-2.0
/* Perf watch: which processes are a perf that records, and where they write. */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "commands/record/perf_watch.h"
#include "streams.h"

#define STEP_US 10000
#define STEPS	3000

static char directory[64];
static struct perf_watch watch;
static pid_t child;

static int set_up(void **state)
{
	FILE *script;

	(void)state;
	snprintf(directory, sizeof(directory), "/tmp/buildid-test.XXXXXX");
	if (!mkdtemp(directory) || chdir(directory) || mkdir("inner", 0755))
		return -1;
	script = fopen("perf", "w");
	if (!script)
		return -1;
	fputs("#!/bin/sh\nmkfifo fifo\ntouch started\nread x <>fifo\n", script);
	fclose(script);
	watch = (struct perf_watch){ .command = getpid() };
	return chmod("perf", 0755);
}

static int tear_down(void **state)
{
	char remove[96];

	(void)state;
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	perf_watch_free(&watch);
	snprintf(remove, sizeof(remove), "rm -r %s", directory);
	return chdir("/") || system(remove);
}

/* Waits for the shell, which has the words in its command line. */
static void start(const char *const *words)
{
	char *argv[8] = {};
	int step;
	size_t i;

	for (i = 0; words[i]; i++)
		argv[i] = strdup(words[i]);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		if (!chdir("inner"))
			execv("../perf", argv);
		_exit(1);
	}
	while (i)
		free(argv[--i]);
	for (step = 0; step < STEPS && access("inner/started", F_OK); step++)
		usleep(STEP_US);
	assert_int_equal(access("inner/started", F_OK), 0);
}

static void show(const char *comm, uint16_t flags)
{
	union any_record record;

	make_mmap(&record, 1, 0, (uint32_t)child);
	record.header.flags = flags;
	snprintf((char *)record.mmap.comm, sizeof(record.mmap.comm), "%s", comm);
	perf_watch_record(&watch, &record.header);
}

#define WORDS(...) ((const char *const[]){ "perf", __VA_ARGS__, NULL })

static void a_perf_is_found_with_its_directory(void **state)
{
	char path[96];

	(void)state;
	start(WORDS("record", "-o", "data", "true"));
	show("perf", BUILDID_RECORD_SNAPSHOT);
	show("true", 0);
	assert_int_equal(watch.nr_seen, 0);
	show("perf", 0);
	show("perf", 0);
	assert_int_equal(watch.nr_seen, 1);
	assert_int_equal(watch.seen[0].nr_outputs, 1);
	snprintf(path, sizeof(path), "%s/inner/data", directory);
	assert_string_equal(watch.seen[0].outputs[0].path, path);
}

static void it_is_signalled_as_long_as_it_runs(void **state)
{
	siginfo_t info;

	(void)state;
	start(WORDS("record", "true"));
	show("perf", 0);
	assert_true(perf_watch_is_running(&watch));
	assert_false(perf_watch_signal(&watch, SIGTERM, child));
	assert_true(perf_watch_is_running(&watch));
	assert_true(perf_watch_signal(&watch, SIGTERM, 0));
	assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
	assert_false(perf_watch_is_running(&watch));
	assert_false(perf_watch_signal(&watch, SIGTERM, 0));
}

static void a_perf_of_others_is_not_looked_at(void **state)
{
	(void)state;
	start(WORDS("record", "true"));
	watch.command = child + 1;
	show("perf", 0);
	assert_int_equal(watch.nr_seen, 0);
	/* Not even if it were now: it was decided once. */
	watch.command = getpid();
	show("perf", 0);
	assert_int_equal(watch.nr_seen, 0);
}

static void a_perf_that_does_not_record_is_looked_at_a_few_times(void **state)
{
	unsigned int i;

	(void)state;
	start(WORDS("stat", "true"));
	for (i = 0; i < 1000; i++)
		show("perf", 0);
	assert_int_equal(watch.nr_seen, 0);
	assert_int_equal(watch.looked[(uint32_t)child % PERF_WATCH_SLOTS].count, 16);
}

static void what_goes_to_a_pipe_has_no_file(void **state)
{
	int fds[2], saved = dup(STDOUT_FILENO);

	(void)state;
	assert_int_equal(pipe(fds), 0);
	dup2(fds[1], STDOUT_FILENO);
	start(WORDS("record", "true"));
	show("perf", 0);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	close(fds[0]);
	close(fds[1]);
	assert_int_equal(watch.nr_seen, 1);
	assert_int_equal(watch.seen[0].nr_outputs, 0);
}

/* As of sudo perf: where it is nobody else is told. */
static void of_another_user_s_perf_a_name_is_known(void **state)
{
	(void)state;
	if (geteuid())
		skip();
	start(WORDS("record", "-o", "data", "true"));
	assert_int_equal(seteuid(65534), 0);
	show("perf", 0);
	assert_int_equal(seteuid(0), 0);
	assert_int_equal(watch.nr_seen, 1);
	assert_int_equal(watch.seen[0].nr_outputs, 1);
	assert_string_equal(watch.seen[0].outputs[0].path, "data");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_perf_is_found_with_its_directory),
		TEST(it_is_signalled_as_long_as_it_runs),
		TEST(a_perf_of_others_is_not_looked_at),
		TEST(a_perf_that_does_not_record_is_looked_at_a_few_times),
		TEST(what_goes_to_a_pipe_has_no_file),
		TEST(of_another_user_s_perf_a_name_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
