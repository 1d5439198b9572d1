// SPDX-License-Identifier: GPL-2.0
/*
 * Without the module: stale, maps and users by the real /proc, of a program whose file is replaced
 * while it runs.
 */

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "commands/evidence.h"
#include "identities/log.h"

#include "command.h"
#include "samples.h"

#define SAYS "without the module"

static pid_t program;
static char pid[16];

static bool is_executed(void)
{
	char link[64], target[512];
	ssize_t size;

	snprintf(link, sizeof(link), "/proc/%d/exe", program);
	size = readlink(link, target, sizeof(target) - 1);
	target[size > 0 ? size : 0] = '\0';
	return strstr(target, "/program");
}

static int start(void **state)
{
	if (fake_reset(state) || sample_set_up(state))
		return -1;
	fake.open_error = ENOENT;
	shell("cp /bin/sleep program");
	program = fork();
	if (!program) {
		execl("./program", "program", "1000", NULL);
		_exit(1);
	}
	wait_until(is_executed);
	snprintf(pid, sizeof(pid), "%d", program);
	return 0;
}

static void end_program(void)
{
	if (!program)
		return;
	kill(program, SIGKILL);
	waitpid(program, NULL, 0);
	program = 0;
}

static int stop(void **state)
{
	end_program();
	return sample_tear_down(state);
}

static void expect_id_of(const char *path)
{
	char text[BUILD_ID_TEXT];
	struct build_id id;

	sample_id(path, &id);
	assert_non_null(strstr(out, build_id_text(&id, text)));
}

static void stale_tells_what_was_replaced(void **state)
{
	(void)state;
	assert_int_equal(RUN(stale, pid), 0);
	assert_string_equal(out, "");
	shell("cp program new && mv new program");
	assert_int_equal(RUN(stale, pid), 0);
	assert_string_equal(out, "");

	shell("cp /bin/false new && mv new program");
	assert_int_equal(RUN(stale, pid), 3);
	expect_id_of("/bin/sleep");
	expect_id_of("/bin/false");
	assert_non_null(strstr(err, "buildid: stale: " SAYS ", as it is not loaded"));
	shell("rm program");
	assert_int_equal(RUN(stale, pid), 0);
	assert_int_equal(RUN(stale, "--temporary", pid), 3);
	assert_non_null(strstr(out, " deleted "));
}

static void equal_ids_are_no_proof_here_either(void **state)
{
	(void)state;
	shell("(cat program; echo payload) > new && mv new program");
	assert_int_equal(RUN(stale, pid), 3);
	assert_non_null(strstr(out, "(same id, other content)"));
}

static void json_has_the_source_in_each_line(void **state)
{
	(void)state;
	shell("cp /bin/false new && mv new program");
	assert_int_equal(RUN(stale, "-j", "--quiet", pid), 3);
	assert_non_null(strstr(out, "\"source\":\"perf\"}\n"));
	/* What is not known is not 0. */
	assert_non_null(strstr(out, "\"gen\":null,\"mtime\":1"));
	assert_string_equal(err, "");
	assert_int_equal(RUN(maps, "-j", pid), 0);
	assert_non_null(strstr(out, "\"source\":\"perf\"}\n"));
	assert_string_equal(err, "");
}

static void maps_and_users_know_the_program(void **state)
{
	(void)state;
	assert_int_equal(RUN(maps, pid), 0);
	expect_id_of("/bin/sleep");
	assert_non_null(strstr(out, "/program\n"));
	assert_int_equal(RUN(maps, "--format=unstrip", pid), 0);
	expect_id_of("/bin/sleep");
	assert_int_equal(RUN(users, "./program"), 0);
	assert_non_null(strstr(out, "mapped "));
	assert_non_null(strstr(out, "/program"));
	assert_non_null(strstr(err, "processes that have exited are not known"));
	shell("echo text > nobody");
	assert_int_equal(RUN(users, "./nobody"), 3);
	assert_string_equal(out, "");
}

static void a_source_may_be_asked_for(void **state)
{
	(void)state;
	assert_int_equal(RUN(stale, "--source=module", pid), 1);
	assert_non_null(strstr(err, "the module is not loaded; load it: modprobe buildid"));
	assert_int_equal(RUN(stale, "--source=other", pid), 2);
	assert_non_null(strstr(err, "not one of module and perf"));

	/* It has nothing of this process, and is not asked. */
	fake.open_error = 0;
	shell("cp /bin/false new && mv new program");
	assert_int_equal(RUN(stale, "--source=perf", pid), 3);
	assert_non_null(strstr(err, "buildid: stale: " SAYS "; see"));
	assert_int_equal(RUN(stale, pid), 1);
	assert_int_equal(RUN(mon, "--source=perf", "--tasks"), 2);
	assert_non_null(strstr(err, "--tasks: not together with --source=perf"));
	fake.open_error = ENOENT;
	assert_int_equal(RUN(mon, "--changes"), 1);
	assert_non_null(strstr(err, "the module is not loaded; load it: modprobe buildid"));
	fake.open_error = EACCES;
	assert_int_equal(RUN(stale, pid), 3);
	assert_non_null(strstr(err, SAYS ", as /dev/buildid may not be opened"));
}

static void who_is_not_there_is_said(void **state)
{
	(void)state;
	end_program();
	assert_int_equal(RUN(maps, pid), 1);
	assert_non_null(strstr(err, "No such process"));
	assert_int_equal(RUN(stale, pid), 1);
	assert_non_null(strstr(err, "No such process"));
}

static void a_pid_is_decimal(void **state)
{
	char padded[sizeof(pid) + 1];

	(void)state;
	snprintf(padded, sizeof(padded), "0%s", pid);
	assert_int_equal(RUN(maps, padded), 0);
	assert_non_null(strstr(out, "/program"));
}

static void a_size_that_is_not_known_is_no_evidence(void **state)
{
	union any_record one, other;

	(void)state;
	make_file(&one, 1, 20, 0, "/f");
	make_file(&other, 2, 20, 0, "/f");
	other.file.file_size++;
	assert_int_equal(evidence_of(&one.file, &other.file), EVIDENCE_OTHER);
	other.file.file_size = 0;
	assert_int_equal(evidence_of(&one.file, &other.file), EVIDENCE_NONE);
	assert_int_equal(evidence_of(&other.file, &one.file), EVIDENCE_NONE);
}

static void write_log(enum log_source source)
{
	struct log_writer *writer;
	union any_record record;
	struct reason reason;
	struct build_id id;
	struct stat status;

	sample_id("/bin/sleep", &id);
	writer = log_create("log", true, &reason);
	assert_non_null(writer);
	log_set_source(writer, source);
	make_file(&record, 1, (uint16_t)id.size, 0, "/f");
	memcpy(data_of(&record), id.bytes, id.size);
	assert_int_equal(stat("program", &status), 0);
	record.file.file_size = (uint64_t)status.st_size;
	assert_int_equal(log_write(writer, &record.header), 0);
	make_mmap(&record, 1, BUILDID_STATE_KNOWN, 4194303);
	assert_int_equal(log_write(writer, &record.header), 0);
	assert_int_equal(log_finish(writer), 0);
}

/* The file alone is read without the module. */
static void records_of_a_log_are_the_module_s(void **state)
{
	(void)state;
	write_log(LOG_SOURCE_MODULE);
	assert_int_equal(RUN(users, "-j", "--log", "log", "./program"), 0);
	assert_non_null(strstr(out, "\"pid\":4194303,"));
	assert_null(strstr(out, "\"source\""));
	assert_int_equal(RUN(users, "--log", "log", "./program"), 0);
	assert_null(strstr(err, SAYS));
}

static void records_of_a_log_are_whose_it_says(void **state)
{
	(void)state;
	write_log(LOG_SOURCE_PERF);
	assert_int_equal(RUN(users, "-j", "--log", "log", "./program"), 0);
	assert_non_null(strstr(out, "\"source\":\"perf\""));
	assert_int_equal(RUN(users, "--log", "log", "./program"), 0);
	assert_non_null(strstr(err, "buildid: users: log was recorded without the module; see "));
	assert_int_equal(RUN(mon, "-j", "log"), 0);
	assert_non_null(strstr(out, "\"source\":\"perf\""));
	assert_int_equal(RUN(mon, "log"), 0);
	assert_non_null(strstr(err, "buildid: mon: log was recorded without the module; see "));
	assert_int_equal(RUN(mon, "--changes", "log"), 1);
	assert_non_null(strstr(err, "buildid: --changes: not of a log that was recorded without "
				    "the module\n"));
}

/* Nobody has it, as far as this log goes. */
static void who_is_not_in_a_log_need_not_be_nobody(void **state)
{
	static const char id[] = "00112233445566778899";
	struct log_writer *writer;
	union any_record record;
	struct reason reason;

	(void)state;
	write_log(LOG_SOURCE_PERF);
	assert_int_equal(RUN(users, "--log", "log", id), 3);
	writer = log_create("log", true, &reason);
	make_lost(&record, 7);
	assert_int_equal(log_write(writer, &record.header), 0);
	assert_int_equal(log_finish(writer), 0);
	assert_int_equal(RUN(users, "--log", "log", id), 1);
	assert_non_null(strstr(err, "7 records of the log were lost"));
	writer = log_create("log", true, &reason);
	make_file(&record, 1, 0, BUILDID_REASON_NOT_READ, "/f");
	assert_int_equal(log_write(writer, &record.header), 0);
	make_mmap(&record, 1, BUILDID_STATE_KNOWN, 4194303);
	assert_int_equal(log_write(writer, &record.header), 0);
	assert_int_equal(log_finish(writer), 0);
	assert_int_equal(RUN(users, "--log", "log", id), 1);
	assert_non_null(strstr(err, "1 mappings in the log are of files that nobody has read"));
}

static void record_takes_of_the_module_what_is_its_own(void **state)
{
	static const char *const options[] = { "--tasks", "--children", "--uid=0" };
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++) {
		assert_int_equal(RUN(record, "--source=perf", "--no-annotate", "-p", "1",
				     options[i], "true"),
				 2);
		assert_non_null(strstr(err, "not together with --source=perf"));
		assert_int_equal(RUN(record, "--no-annotate", "-p", "1", options[i], "true"), 1);
		assert_non_null(strstr(err, "the module is not loaded; load it"));
	}
	assert_int_equal(RUN(record, "--source=module", "true"), 1);
	assert_non_null(strstr(err, "the module is not loaded; load it"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(stale_tells_what_was_replaced),
		TEST(equal_ids_are_no_proof_here_either),
		TEST(json_has_the_source_in_each_line),
		TEST(maps_and_users_know_the_program),
		TEST(a_source_may_be_asked_for),
		TEST(who_is_not_there_is_said),
		TEST(records_of_a_log_are_the_module_s),
		TEST(a_pid_is_decimal),
		TEST(records_of_a_log_are_whose_it_says),
		TEST(who_is_not_in_a_log_need_not_be_nobody),
		TEST(record_takes_of_the_module_what_is_its_own),
		TEST(a_size_that_is_not_known_is_no_evidence),
	};

	return cmocka_run_group_tests(tests, command_set_up, command_tear_down);
}
