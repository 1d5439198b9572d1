// SPDX-License-Identifier: GPL-2.0
/* Who: stale and users, with a fake module that says what this process has mapped. */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "commands/id_prefix.h"
#include "common/array.h"
#include "common/columns.h"

#include "command.h"
#include "packaged.h"

#define ID "101112131415161718191a1b1c1d1e1f20212223"

/* What this process has mapped; "" for nothing. */
static char path[PATH_MAX];
static char pid[16];

static int set_up(void **state)
{
	if (fake_reset(state) || !getcwd(path, sizeof(path) - 8))
		return -1;
	strcat(path, "/lib.so");
	snprintf(pid, sizeof(pid), "%d", getpid());
	fclose(fopen(path, "w"));
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	remove(path);
	return 0;
}

static int one_file(struct buildid_maps *request)
{
	union any_record record;

	if (request->pid != (uint32_t)atoi(pid) && request->pid != (uint32_t)getpid())
		return ESRCH;
	make_file(&record, 7, 20, 0, path);
	fake_add_map(request, &record);
	make_mmap(&record, 7, 0, request->pid);
	fake_add_map(request, &record);
	fake_add_map(request, &record);
	request->cursor = BUILDID_MAPS_END;
	return 0;
}

/* ---------------------------------------------------------------- program -- */

/*
 * A copy of sleep(1) that runs, and whose file is replaced then. The module has the same
 * identity for all: what differs is sizes and bytes.
 */
static pid_t program;
static const char *program_id; /* of Go; NULL: a GNU build-id */
static struct stat running;
static pid_t second_program; /* the same of another file */

static void describe_with(union any_record *record, uint64_t file_id, uint16_t id_len,
			  const struct stat *stat_)
{
	struct buildid_file *file = &record->file;

	make_file(record, file_id, id_len, 0, path);
	file->ino = file->user_ino = stat_->st_ino;
	file->dev_major = file->user_dev_major = major(stat_->st_dev);
	file->dev_minor = file->user_dev_minor = minor(stat_->st_dev);
	file->file_size = (uint64_t)stat_->st_size;
	file->mtime = stat_->st_mtim.tv_sec * 1000000000LL + stat_->st_mtim.tv_nsec;
	file->ctime = stat_->st_ctim.tv_sec * 1000000000LL + stat_->st_ctim.tv_nsec;
}

static void describe(union any_record *record, uint64_t file_id, const struct stat *stat_)
{
	struct buildid_file *file = &record->file;

	describe_with(record, file_id, program_id ? (uint16_t)strlen(program_id) : 20, stat_);
	if (!program_id)
		return;
	file->kind = BUILDID_KIND_GO;
	file->reason = BUILDID_REASON_NO_NOTE;
	memcpy(record->bytes + file->data_off, program_id, strlen(program_id));
}

static int maps_of_program(struct buildid_maps *request)
{
	union any_record record;

	request->cursor = BUILDID_MAPS_END;
	if (request->pid != (uint32_t)program)
		return ESRCH;
	describe(&record, 7, &running);
	fake_add_map(request, &record);
	make_mmap(&record, 7, 0, request->pid);
	fake_add_map(request, &record);
	return 0;
}

static void what_is_there(int fd, union any_record *record)
{
	struct stat stat_;

	assert_int_equal(fstat(fd, &stat_), 0);
	describe(record, 100 + stat_.st_ino, &stat_);
}

static void run_shell(const char *script)
{
	char *command;

	assert_true(asprintf(&command, "f=%s; %s", path, script) > 0);
	assert_int_equal(system(command), 0);
	free(command);
}

static bool is_executed(void)
{
	char link[64], target[PATH_MAX];
	ssize_t size;

	snprintf(link, sizeof(link), "/proc/%d/exe", program);
	size = readlink(link, target, sizeof(target) - 1);
	target[size > 0 ? size : 0] = '\0';
	return !strcmp(target, path);
}

static void start_program(void)
{
	run_shell("cp /bin/sleep $f.new; mv $f.new $f");
	assert_int_equal(stat(path, &running), 0);
	program = fork();
	if (!program) {
		execl(path, "lib.so", "1000", NULL);
		_exit(1);
	}
	wait_until(is_executed);
	snprintf(pid, sizeof(pid), "%d", program);
	fake.maps = maps_of_program;
	fake.resolve = what_is_there;
}

static void end_process(pid_t *process)
{
	if (*process) {
		kill(*process, SIGKILL);
		waitpid(*process, NULL, 0);
	}
	*process = 0;
}

static int end_program(void **state)
{
	end_process(&second_program);
	end_process(&program);
	program_id = NULL;
	return tear_down(state);
}

static void other_content(int fd, union any_record *record)
{
	(void)fd;
	make_file(record, 8, 16, 0, "/any");
}

static size_t lines(const char *text)
{
	size_t count = 0;

	for (; *text; text++)
		count += *text == '\n';
	return count;
}

/* ----------------------------------------------------------------- stale -- */

static void the_same_content_in_another_file_is_not_stale(void **state)
{
	(void)state;
	start_program();
	run_shell("cp $f $f.new; mv $f.new $f");
	assert_int_equal(RUN(stale, pid), 0);
	assert_string_equal(out, "");
	assert_string_equal(err, "buildid: stale: 0 of 1 process\n");
	assert_int_equal(RUN(stale, "-q", pid), 0);
	assert_string_equal(err, "");
}

static void assert_other_with_the_same_id(void)
{
	assert_int_equal(RUN(stale, pid), 3);
	assert_non_null(strstr(out, "lib.so (same id, other content)\n"));
	assert_int_equal(RUN(stale, "-j", pid), 3);
	assert_non_null(strstr(out, "\"state\":\"replaced\""));
	assert_non_null(strstr(out, "\"note\":\"same id, other content\""));
	assert_string_equal(err, "buildid: stale: 1 of 1 process\n");
}

static void an_equal_id_is_no_proof(void **state)
{
	(void)state;
	start_program();
	run_shell("(cat $f; echo payload) > $f.new; mv $f.new $f");
	assert_other_with_the_same_id();
	/* Of the same size: a byte in the middle, and one at the end. */
	run_shell("cp /bin/sleep $f.new; printf X | dd of=$f.new bs=1 seek=20000 conv=notrunc "
		  "status=none; mv $f.new $f");
	assert_other_with_the_same_id();
	run_shell("head -c -1 /bin/sleep > $f.new; printf X >> $f.new; mv $f.new $f");
	assert_other_with_the_same_id();
	run_shell("cp /bin/sleep $f.new; mv $f.new $f");
	assert_int_equal(RUN(stale, pid), 0);
}

static void go_programs_with_a_placeholder_are_told_apart(void **state)
{
	(void)state;
	program_id = "redacted";
	start_program();
	run_shell("cp /bin/sleep $f.new; printf X | dd of=$f.new bs=1 seek=20000 conv=notrunc "
		  "status=none; mv $f.new $f");
	assert_other_with_the_same_id();
}

static void what_is_not_at_hand_is_not_called_equal(void **state)
{
	(void)state;
	start_program();
	run_shell("cp $f $f.new; mv $f.new $f");
	/* Another file than the one that the record is of. */
	running.st_ino += 1000000;
	assert_int_equal(RUN(stale, pid), 0);
	assert_string_equal(out, "");
	assert_non_null(strstr(err, "1 mapped files are not known to be what is at their path"));
}

static void another_content_is_stale_once(void **state)
{
	(void)state;
	fake.maps = one_file;
	fake.resolve = other_content;
	assert_int_equal(RUN(stale, pid), 3);
	assert_non_null(strstr(out, ID));
	assert_non_null(strstr(out, "101112131415161718191a1b1c1d1e1f "));
	assert_non_null(strstr(out, path));
	assert_ptr_equal(strchr(out, '\n'), out + strlen(out) - 1);
	assert_int_equal(RUN(stale, "-j", pid), 3);
	assert_non_null(strstr(out, "\"state\":\"replaced\""));
	assert_non_null(strstr(out, "\"build_id\":\"" ID "\""));
}

static void what_is_no_file_any_more_is_deleted(void **state)
{
	(void)state;
	fake.maps = one_file;
	unlink(path);
	assert_int_equal(RUN(stale, "-j", "--temporary", pid), 3);
	assert_non_null(strstr(out, "\"state\":\"deleted\""));
	assert_non_null(strstr(out, "\"now_build_id\":null"));
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(RUN(stale, "-j", "--temporary", pid), 3);
	assert_non_null(strstr(out, "\"state\":\"deleted\""));
	/* the test itself is in such a directory */
	assert_int_equal(RUN(stale, pid), strncmp(path, "/tmp/", 5) ? 3 : 0);
}

static void what_cannot_be_compared_is_counted(void **state)
{
	(void)state;
	fake.maps = one_file;
	fake.resolve_error = EIO;
	assert_int_equal(RUN(stale, pid), 0);
	assert_string_equal(out, "");
	assert_non_null(strstr(err, "1 mapped files were not compared"));
}

static int not_permitted(struct buildid_maps *request)
{
	(void)request;
	return EPERM;
}

static void what_is_not_permitted_is_said(void **state)
{
	(void)state;
	fake.maps = not_permitted;
	assert_int_equal(RUN(stale, pid), 1);
	assert_non_null(strstr(err, "not permitted"));
	assert_int_equal(RUN(stale), 1);
	fake.maps = NULL;
	assert_int_equal(RUN(stale, "2147483647"), 1);
	assert_non_null(strstr(err, "No such process"));
	assert_int_equal(RUN(stale, "0"), 2);
	assert_int_equal(RUN(stale, "no such name"), 1);
	assert_string_equal(err, "buildid: no such name: no process has this name\n");
	assert_string_equal(out, "");
}

static void assert_fits(int width)
{
	char *line, *end;

	for (line = out; *line; line = end + 1) {
		end = strchr(line, '\n');
		assert_non_null(end);
		*end = '\0';
		assert_true(columns_of(line) <= width);
		*end = '\n';
	}
}

static void stale_at(int width, const char *option)
{
	const char *words[] = { "buildid stale", pid, option, NULL };
	pid_t child = command_start_on_terminal(cmd_stale, (unsigned short)width, 24, words);

	assert_int_equal(command_finish_on_terminal(child), 3);
}

static void stale_fits_its_terminal(void **state)
{
	int width;

	(void)state;
	fake.maps = one_file;
	fake.resolve = other_content;
	for (width = 44; width < 200; width += 12) {
		stale_at(width, NULL);
		assert_fits(width);
		assert_int_equal(lines(out), 2);
	}
	stale_at(80, NULL);
	assert_memory_equal(out, "    PID COMM     UNIT         RUNS         NOW          PATH\n",
			    61);
	assert_non_null(strstr(out, " 101112131415 101112131415 /"));
	assert_non_null(strstr(out, "..."));
	assert_non_null(strstr(out, "/lib.so\n"));
	stale_at(120, NULL);
	assert_non_null(strstr(out, " SINCE "));
	stale_at(44, "--full");
	assert_non_null(strstr(out, ID " 101112131415161718191a1b1c1d1e1f"));
	assert_non_null(strstr(out, path));
}

/* ----------------------------------------------------------------- users -- */

/* This process's mapping, and one of another process that had its number. */
static int two_mappings(struct buildid_history *request)
{
	union any_record record;

	make_file(&record, 7, 20, 0, path);
	fake_add_history(request, &record);
	make_mmap(&record, 7, 0, (uint32_t)getppid());
	fake_add_history(request, &record);
	record.mmap.start_time++;
	fake_add_history(request, &record);
	fake_add_history(request, &record);
	request->cursor = BUILDID_MAPS_END;
	return 0;
}

static void users_fits_its_terminal(void **state)
{
	pid_t child;
	int width;

	(void)state;
	fake.maps = one_file;
	fake.history = two_mappings;
	for (width = 44; width < 200; width += 12) {
		child = command_start_on_terminal(cmd_users, (unsigned short)width, 24,
						  WORDS("buildid users", ID));
		assert_int_equal(command_finish_on_terminal(child), 0);
		assert_fits(width);
		assert_int_equal(lines(out), 4);
	}
	child = command_start_on_terminal(cmd_users, 80, 24, WORDS("buildid users", ID));
	assert_int_equal(command_finish_on_terminal(child), 0);
	assert_memory_equal(out, "    PID COMM     UNIT         STATE    IDENTITY     PATH\n", 57);
	assert_non_null(strstr(out, " exited   101112131415 /"));
	child = command_start_on_terminal(cmd_users, 80, 24, WORDS("buildid users", "--full", ID));
	assert_int_equal(command_finish_on_terminal(child), 0);
	assert_non_null(strstr(out, ID " /"));
}

static void users_are_those_of_now_and_those_that_have_exited(void **state)
{
	(void)state;
	fake.maps = one_file;
	fake.history = two_mappings;
	assert_int_equal(RUN(users, "-j", ID), 0);
	assert_non_null(strstr(out, "\"state\":\"mapped\",\"time\":null"));
	assert_non_null(
		strstr(out, "\"unit\":null,\"container\":null,\"state\":\"exited\",\"time\":\"2"));
	/* the command's own process besides */
	assert_int_equal(lines(out), 3);
	assert_int_equal(RUN(users, "-j", path), 0);
	assert_int_equal(lines(out), 3);
	assert_int_equal(RUN(users, "101112131415161718191a1b1c1d1e1f"), 3);
	assert_string_equal(out, "");
}

/* The machine of the test may never have slept: take its time of boot for that. */
static uint64_t start_time;

static int one_mapping(struct buildid_history *request)
{
	union any_record record;

	make_file(&record, 7, 20, 0, path);
	/* so that nothing is said of its package */
	record.file.flags |= BUILDID_FILE_MEMFD;
	fake_add_history(request, &record);
	make_mmap(&record, 7, 0, 1);
	record.mmap.start_time = start_time;
	record.header.time_mono = 1000000000;
	fake_add_history(request, &record);
	request->cursor = BUILDID_MAPS_END;
	return 0;
}

/* With an id that begins like ID. */
static int two_contents(struct buildid_history *request)
{
	union any_record record;

	make_file(&record, 8, 16, 0, "/other");
	fake_add_history(request, &record);
	make_mmap(&record, 8, 0, (uint32_t)getppid());
	fake_add_history(request, &record);
	request->cursor = BUILDID_MAPS_END;
	return 0;
}

/* The program that runs, as one that has exited. */
static int history_of_program(struct buildid_history *request)
{
	union any_record record;

	describe(&record, 7, &running);
	fake_add_history(request, &record);
	make_mmap(&record, 7, 0, (uint32_t)program + 1);
	fake_add_history(request, &record);
	request->cursor = BUILDID_MAPS_END;
	return 0;
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
	long answer = syscall(SYS_clock_gettime, clock, now);

	/* an hour since it was booted */
	if (clock == CLOCK_BOOTTIME)
		now->tv_sec += 3600;
	return (int)answer;
}

/* Whether a mapping was made before the machine slept is not known, unless by its process. */
static void sleep_leaves_no_times_of_before(void **state)
{
	const uint64_t second = 1000000000;

	(void)state;
	start_time = second / 2;
	fake.history = one_mapping;
	assert_int_equal(RUN(users, "-j", ID), 0);
	assert_non_null(strstr(out, "\"state\":\"exited\",\"time\":\"2"));
	assert_string_equal(err, "");
	fake.slept = 1800 * second;
	assert_int_equal(RUN(users, "-j", ID), 0);
	assert_non_null(strstr(out, "\"state\":\"exited\",\"time\":null"));
	assert_string_equal(err,
			    "buildid: users: when it was mapped is not known where the machine "
			    "may have slept since\n");
	/* It had all of its sleep before it began, half a second ago by then. */
	start_time = 3600 * second + second / 2;
	assert_int_equal(RUN(users, "-j", ID), 0);
	assert_non_null(strstr(out, "\"state\":\"exited\",\"time\":\"2"));
}

static int no_history(struct buildid_history *request)
{
	request->cursor = BUILDID_MAPS_END;
	return 0;
}

static int nobody(struct buildid_maps *request)
{
	request->cursor = BUILDID_MAPS_END;
	return ESRCH;
}

static void users_of_another_content_are_counted(void **state)
{
	(void)state;
	program_id = "redacted";
	start_program();
	run_shell("cp $f $f.new; mv $f.new $f");
	fake.history = no_history;
	assert_int_equal(RUN(users, "-j", path), 0);
	assert_non_null(strstr(out, "\"state\":\"mapped\""));
	assert_non_null(strstr(out, "\"note\":null"));
	assert_string_equal(err, "");
	run_shell("printf X | dd of=$f bs=1 seek=20000 conv=notrunc status=none");
	fake.history = history_of_program;
	assert_int_equal(RUN(users, path), 3);
	assert_string_equal(out, "");
	assert_non_null(strstr(err, "not shown: 2 with the same id, other content"));
	/* Of another size, and nothing at hand. */
	fake.maps = nobody;
	run_shell("echo payload >> $f");
	assert_int_equal(RUN(users, path), 3);
	assert_non_null(strstr(err, "not shown: 1 with the same id, other content"));
}

static void users_that_cannot_be_compared_are_marked(void **state)
{
	(void)state;
	start_program();
	fake.maps = nobody;
	fake.history = history_of_program;
	assert_int_equal(RUN(users, "-j", path), 0);
	assert_non_null(strstr(out, "\"state\":\"exited\""));
	assert_non_null(strstr(out, "\"note\":null"));
	run_shell("cp $f $f.new; mv $f.new $f");
	assert_int_equal(RUN(users, path), 0);
	assert_non_null(strstr(out, "lib.so (same id, not compared)\n"));
	assert_non_null(strstr(err, "1 of these may have another content"));
}

/* Of a second process, whose file has the same record except for its version. */
static struct stat second_file;

static int maps_of_both(struct buildid_maps *request)
{
	union any_record record;
	bool is_second = request->pid == (uint32_t)second_program;

	request->cursor = BUILDID_MAPS_END;
	if (!is_second && request->pid != (uint32_t)program)
		return ESRCH;
	describe(&record, is_second ? 8 : 7, is_second ? &second_file : &running);
	fake_add_map(request, &record);
	make_mmap(&record, is_second ? 8 : 7, 0, request->pid);
	fake_add_map(request, &record);
	return 0;
}

static bool second_is_executed(void)
{
	pid_t before = program;
	bool executed;

	program = second_program;
	executed = is_executed();
	program = before;
	return executed;
}

static int history_of_second(struct buildid_history *request)
{
	union any_record record;

	describe(&record, 8, &second_file);
	fake_add_history(request, &record);
	make_mmap(&record, 8, 0, (uint32_t)second_program);
	fake_add_history(request, &record);
	request->cursor = BUILDID_MAPS_END;
	return 0;
}

/* What @script makes of the program's file is what the second process runs. */
static void start_second(const char *script)
{
	run_shell(script);
	assert_int_equal(stat(path, &second_file), 0);
	second_program = fork();
	if (!second_program) {
		execl(path, "lib.so", "1000", NULL);
		_exit(1);
	}
	wait_until(second_is_executed);
	fake.maps = maps_of_both;
}

static void users_of_an_id_are_told_apart_by_their_content(void **state)
{
	static const struct {
		const char *script;
		const char *note;
	} others[] = {
		{ "cp $f $f.new; mv $f.new $f", NULL },
		{ "cp $f $f.new; printf X | dd of=$f.new bs=1 seek=20000 conv=notrunc status=none; "
		  "mv $f.new $f",
		  "same id, other content" },
		{ "cp $f $f.new; echo payload >> $f.new; mv $f.new $f", "same id, other content" },
	};
	char text[64];
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		start_program();
		start_second(others[i].script);
		fake.history = no_history;
		assert_int_equal(RUN(users, ID), 0);
		assert_int_equal(lines(out), 2);
		snprintf(text, sizeof(text), "lib.so (%s)\n", others[i].note);
		assert_int_equal(strstr(out, text) != NULL, others[i].note != NULL);
		assert_null(strstr(out, "not compared"));
		assert_int_equal(strstr(err, "1 of these have the same id, other content") != NULL,
				 others[i].note != NULL);
		assert_int_equal(RUN(users, "-j", ID), 0);
		snprintf(text, sizeof(text), "\"note\":\"%s\"", others[i].note);
		assert_int_equal(strstr(out, text) != NULL, others[i].note != NULL);
		/* one is nothing but a memory of the module */
		fake.maps = maps_of_program;
		second_file.st_ino++;
		fake.history = history_of_second;
		assert_int_equal(RUN(users, ID), 0);
		assert_int_equal(strstr(out, "lib.so (same id, not compared)\n") != NULL, i < 2);
		assert_int_equal(strstr(out, "lib.so (same id, other content)\n") != NULL, i == 2);
		end_process(&second_program);
		end_process(&program);
	}
}

/* Whatever this test runs in. */
static void what_is_stale_has_a_plan(void **state)
{
	(void)state;
	fake.maps = one_file;
	fake.resolve = other_content;
	assert_int_equal(RUN(stale, "--restart-plan", pid), 3);
	assert_int_equal(lines(out), 1);
	assert_true(*out == '#' || !strncmp(out, "systemctl restart -- ", 21));
	assert_int_equal(RUN(stale, "-j", "--restart-plan", pid), 3);
	assert_ptr_equal(strstr(out, "{\"type\":\"restart\",\"action\":\""), out);
	assert_non_null(strstr(out, "\"processes\":1,\"command\":"));
	assert_int_equal(RUN(stale, "--units", pid), 3);
	assert_true(
		strstr(err,
		       "1 processes are in no service that can be restarted; see --restart-plan\n") ||
		strstr(out, ".service\n"));
	assert_int_equal(RUN(stale, "--units", "--restart-plan"), 2);
}

static void the_last_part_of_a_path_is_enough(void **state)
{
	const char *name = strrchr(path, '/') + 1;

	(void)state;
	fake.maps = one_file;
	fake.history = two_mappings;
	assert_int_equal(RUN(users, "-j", "nowhere"), 3);
	assert_string_equal(out, "");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(RUN(users, "-j", name), 0);
	assert_non_null(strstr(out, path));
	assert_int_equal(RUN(users, "-j", name + 1), 3);
	/* It is one that is here, if there is. */
	assert_int_equal(mkfifo(name, 0600), 0);
	assert_int_equal(RUN(users, "-j", name), 1);
	assert_int_equal(unlink(name), 0);
}

static void first_digits_are_enough_if_no_other_begins_so(void **state)
{
	static const char *const beginnings[] = { "10111213", "101112131", "101112131415",
						  "101112131415161718191a1b1c1d1e1" };
	size_t i;

	(void)state;
	fake.maps = one_file;
	fake.history = two_mappings;
	for (i = 0; i < ARRAY_SIZE(beginnings); i++) {
		assert_int_equal(RUN(users, "-j", beginnings[i]), 0);
		assert_int_equal(lines(out), 3);
	}
	/* Fewer are a file's name. */
	assert_int_equal(RUN(users, "1011121"), 3);
	assert_non_null(strstr(err, "no file called 1011121 is mapped"));
	assert_int_equal(RUN(users, "10111214"), 3);
	assert_int_equal(RUN(users, "101112141"), 1);
	assert_string_equal(err, "buildid: 101112141: no build-id is known that begins so\n");
	fake.history = two_contents;
	assert_int_equal(RUN(users, "10111213"), 1);
	assert_string_equal(err,
			    "buildid: 10111213: several build-ids begin so; which of these: " ID
			    " 101112131415161718191a1b1c1d1e1f\n");
	assert_string_equal(out, "");
	assert_int_equal(RUN(users, "101112131415161718191a1b1c1d1e1f"), 0);
	assert_int_equal(RUN(users, "--log", "-", "10111213"), 2);
	assert_non_null(
		strstr(err, "buildid: 10111213: from standard input an ID has to be whole"));
}

/* It may be anybody's, made to hide the others. */
static void an_id_that_others_begin_with_does_not_hide_them(void **state)
{
	static const uint8_t bytes[] = { 0xf3, 0x0a, 0xfa, 0xc3, 1 };
	struct id_prefix prefix;
	struct output output = {};
	struct build_id id;

	(void)state;
	id_prefix_start(&prefix, "F30AFAC3");
	id_prefix_offer(&prefix, bytes, 4);
	id_prefix_offer(&prefix, bytes, 4);
	assert_true(id_prefix_settle(&prefix, &output, &id));
	assert_int_equal(id.size, 4);
	id_prefix_offer(&prefix, bytes, 5);
	assert_false(id_prefix_settle(&prefix, &output, &id));
}

/* As directories have them. */
static void digits_may_be_in_upper_case(void **state)
{
	(void)state;
	run_shell("mkdir -p kept/.build-id/f3 kept/x/f30afac3; cd kept/x/f30afac3; "
		  "echo 'int x;' | cc -x c -shared -Wl,--build-id=0xf30afac3 -o elf -; "
		  "ln -s ../../x/f30afac3 ../../.build-id/f3/0afac3");
	assert_int_equal(RUN(resolve, "--no-debuginfod", "--dir", "kept", "F30AFAC3"), 0);
	assert_non_null(strstr(out, "kept/x/f30afac3/elf\n"));
}

static int unknown_number(struct buildid_history *request)
{
	(void)request;
	return ENOTTY;
}

static void an_older_module_knows_the_present_only(void **state)
{
	(void)state;
	fake.maps = one_file;
	fake.history = unknown_number;
	assert_int_equal(RUN(users, ID), 0);
	assert_non_null(strstr(err, "not known to a module of this version"));
	fake.history = NULL;
	assert_int_equal(RUN(users, ID), 1);
	assert_int_equal(RUN(users), 2);
	assert_int_equal(RUN(users, "/nonexistent"), 1);
}

/* -------------------------------------------------------------- packages -- */

#define NOTE(version)                                                                     \
	"{\"type\":\"deb\",\"os\":\"debian\",\"name\":\"openssl\",\"version\":\"" version \
	"\",\"architecture\":\"amd64\"}"

/* What the test has mapped, and the file as the module would describe it. */
static struct stat mapped;
static void *mapping;

static void install(const char *note)
{
	char new[PATH_MAX + 8];

	snprintf(new, sizeof(new), "%s.new", path);
	packaged_write(new, (const char *const[]){ note, NULL }, PACKAGED_NUL);
	assert_int_equal(rename(new, path), 0);
}

static void map_it(void)
{
	FILE *file = fopen(path, "r");

	assert_int_equal(fstat(fileno(file), &mapped), 0);
	mapping = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(file), 0);
	assert_ptr_not_equal(mapping, MAP_FAILED);
	fclose(file);
}

static int unmap(void **state)
{
	munmap(mapping, 4096);
	return tear_down(state);
}

static int mapped_file(struct buildid_maps *request)
{
	union any_record record;

	if (request->pid != (uint32_t)atoi(pid) && request->pid != (uint32_t)getpid())
		return ESRCH;
	describe(&record, 7, &mapped);
	fake_add_map(request, &record);
	make_mmap(&record, 7, 0, request->pid);
	record.mmap.addr = (uintptr_t)mapping;
	record.mmap.len = 4096;
	fake_add_map(request, &record);
	request->cursor = BUILDID_MAPS_END;
	return 0;
}

static void a_newer_build(int fd, union any_record *record)
{
	struct stat stat_;

	fstat(fd, &stat_);
	describe_with(record, 8, 16, &stat_);
}

static void the_package_of_what_was_replaced_is_that_of_its_note(void **state)
{
	(void)state;
	install(NOTE("3.0.11-1"));
	map_it();
	fake.maps = mapped_file;
	fake.resolve = a_newer_build;
	install(NOTE("3.0.13-1"));
	assert_int_equal(RUN(stale, pid), 3);
	assert_non_null(strstr(out, "/lib.so (openssl 3.0.11-1 -> 3.0.13-1)\n"));
	assert_string_equal(err, "buildid: stale: 1 of 1 process\n");
	assert_int_equal(RUN(stale, "-j", pid), 3);
	assert_non_null(strstr(out, "\"package\":\"openssl\",\"package_version\":\"3.0.11-1\","
				    "\"package_from\":\"note\",\"purl\":\"pkg:deb/debian/"
				    "openssl@3.0.11-1?arch=amd64\""));
	assert_non_null(strstr(out, "\"package_architecture\":\"amd64\""));
	assert_non_null(strstr(out, "\"now_package_version\":\"3.0.13-1\""));
	assert_non_null(strstr(out, "\"cgroup\":"));
	assert_int_equal(RUN(stats, "--openmetrics", "--contents=5", "--stale"), 0);
	assert_non_null(strstr(out, "/lib.so\",package=\"openssl\",package_version=\"3.0.11-1\","
				    "package_from=\"note\"} 2\n"));
	assert_non_null(strstr(out, "buildid_stale_package_processes{package=\"openssl\","
				    "package_version=\"3.0.11-1\",package_from=\"note\","
				    "now_package_version=\"3.0.13-1\"} 2\n"));
	assert_int_equal(RUN(maps, "--long", pid), 0);
	assert_non_null(strstr(out, "/lib.so (openssl 3.0.11-1)\n"));
	assert_int_equal(RUN(maps, "--long", "-j", pid), 0);
	assert_non_null(strstr(out, "\"package\":\"openssl\""));
	assert_int_equal(RUN(maps, pid), 0);
	assert_null(strstr(out, "openssl"));
	assert_int_equal(RUN(maps, "--long", "--format=unstrip", pid), 2);
	unlink(path);
	assert_int_equal(RUN(stale, "--temporary", pid), 3);
	assert_non_null(strstr(out, "/lib.so (openssl 3.0.11-1)\n"));
}

static void who_runs_a_package_is_asked_by_its_name(void **state)
{
	(void)state;
	install(NOTE("3.0.11-1"));
	map_it();
	fake.maps = mapped_file;
	fake.history = no_history;
	assert_int_equal(RUN(users, "--package", "openssl"), 0);
	assert_int_equal(lines(out), 2);
	/* also when it is there no more */
	install(NOTE("3.0.13-1"));
	assert_int_equal(RUN(users, "--package=openssl=3.0.11"), 0);
	assert_non_null(strstr(out, "/lib.so (openssl 3.0.11-1)\n"));
	assert_int_equal(RUN(users, "--package=openssl=3.0.13"), 3);
	assert_string_equal(out, "");
	assert_int_equal(RUN(users, "-j", ID), 0);
	assert_non_null(strstr(out, "\"package_version\":\"3.0.11-1\""));
	assert_int_equal(RUN(users, "--package=openssl", ID), 2);
	assert_int_equal(RUN(users, "--package="), 2);
	assert_int_equal(RUN(users, "--package==3"), 2);
}

static void a_file_that_was_overwritten_is_no_longer_of_that_package(void **state)
{
	(void)state;
	install(NOTE("3.0.11-1"));
	map_it();
	mapped.st_mtim.tv_nsec ^= 1;
	fake.maps = mapped_file;
	fake.history = no_history;
	assert_int_equal(RUN(users, "--package=openssl"), 3);
	assert_non_null(strstr(err, "of 1 files the package is not known"));
	assert_int_equal(RUN(users, "-j", ID), 0);
	assert_non_null(strstr(out, "\"package\":null,\"package_version\":null,"
				    "\"package_from\":null,\"purl\":null"));
}

static void the_mapped_file(int fd, union any_record *record)
{
	(void)fd;
	describe(record, 7, &mapped);
}

/* Where stat(2) and the module have different numbers. */
static void a_file_on_an_overlay_is_known_by_the_module(void **state)
{
	(void)state;
	install(NOTE("3.0.11-1"));
	map_it();
	mapped.st_ino++;
	fake.maps = mapped_file;
	fake.history = no_history;
	fake.resolve = the_mapped_file;
	unlink(path);
	assert_int_equal(RUN(users, "--package=openssl=3.0.11"), 0);
	assert_string_equal(err, "");
}

static void malformed_notes_are_counted(void **state)
{
	(void)state;
	install("{");
	map_it();
	fake.maps = mapped_file;
	fake.history = no_history;
	assert_int_equal(RUN(users, ID), 0);
	assert_non_null(strstr(out, "/lib.so\n"));
	assert_non_null(
		strstr(err, "users: 1 files have a note of their package that is malformed"));
}

static void a_line_with_a_package_fits_its_terminal(void **state)
{
	int width;

	(void)state;
	install(NOTE("3.0.11-1"));
	map_it();
	fake.maps = mapped_file;
	fake.resolve = a_newer_build;
	install(NOTE("3.0.13-1"));
	for (width = 44; width < 200; width += 12) {
		stale_at(width, NULL);
		assert_fits(width);
		assert_int_equal(lines(out), 2);
	}
	stale_at(300, NULL);
	assert_non_null(strstr(out, "(openssl 3.0.11-1 -> 3.0.13-1)"));
}

static int history_of_mapped(struct buildid_history *request)
{
	union any_record record;

	describe(&record, 7, &mapped);
	fake_add_history(request, &record);
	make_mmap(&record, 7, 0, (uint32_t)getpid());
	record.mmap.addr = (uintptr_t)mapping;
	record.mmap.len = 4096;
	fake_add_history(request, &record);
	request->cursor = BUILDID_MAPS_END;
	return 0;
}

/* The build-id of GNU ld does not cover the note. */
static void another_version_with_the_same_id_is_another_content(void **state)
{
	int width;

	(void)state;
	install(NOTE("3.0.11-1"));
	map_it();
	fake.maps = mapped_file;
	fake.resolve = what_is_there;
	fake.history = no_history;
	install(NOTE("3.0.11-1"));
	assert_int_equal(RUN(stale, pid), 0);
	install(NOTE("3.0.13-1"));
	assert_int_equal(RUN(stale, pid), 3);
	assert_non_null(strstr(out, "/lib.so (same id, other content) "
				    "(openssl 3.0.11-1 -> 3.0.13-1)\n"));
	assert_string_equal(err, "buildid: stale: 1 of 1 process\n");
	assert_int_equal(RUN(stale, "-j", pid), 3);
	assert_non_null(strstr(out, "\"note\":\"same id, other content\""));
	assert_non_null(strstr(out, "\"now_package_version\":\"3.0.13-1\""));
	for (width = 44; width < 200; width += 12) {
		stale_at(width, NULL);
		assert_fits(width);
		assert_int_equal(lines(out), 2);
	}
	assert_int_equal(RUN(users, path), 3);
	assert_non_null(strstr(err, "not shown: 2 with the same id, other content"));
	fake.maps = nobody;
	fake.history = history_of_mapped;
	assert_int_equal(RUN(users, path), 0);
	assert_non_null(strstr(out, "/lib.so (same id, not compared) (openssl 3.0.11-1)\n"));
	/* Sizes are enough. */
	fake.maps = mapped_file;
	install(NOTE("3.0.9-1~deb12u2"));
	assert_int_equal(RUN(stale, pid), 3);
	assert_non_null(strstr(out, "/lib.so (same id, other content) "
				    "(openssl 3.0.11-1 -> 3.0.9-1~deb12u2)\n"));
}

#define PACKAGE_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, unmap)
#define TEST(name)	   cmocka_unit_test_setup_teardown(name, set_up, tear_down)
#define TEST_PROGRAM(name) cmocka_unit_test_setup_teardown(name, set_up, end_program)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST_PROGRAM(the_same_content_in_another_file_is_not_stale),
		TEST_PROGRAM(an_equal_id_is_no_proof),
		TEST_PROGRAM(go_programs_with_a_placeholder_are_told_apart),
		TEST_PROGRAM(what_is_not_at_hand_is_not_called_equal),
		TEST(another_content_is_stale_once),
		TEST(what_is_no_file_any_more_is_deleted),
		TEST(what_cannot_be_compared_is_counted),
		TEST(what_is_not_permitted_is_said),
		TEST(stale_fits_its_terminal),
		TEST_PROGRAM(users_of_another_content_are_counted),
		TEST_PROGRAM(users_that_cannot_be_compared_are_marked),
		TEST(users_fits_its_terminal),
		TEST(users_are_those_of_now_and_those_that_have_exited),
		TEST(sleep_leaves_no_times_of_before),
		TEST_PROGRAM(users_of_an_id_are_told_apart_by_their_content),
		TEST(what_is_stale_has_a_plan),
		TEST(the_last_part_of_a_path_is_enough),
		TEST(first_digits_are_enough_if_no_other_begins_so),
		TEST(an_id_that_others_begin_with_does_not_hide_them),
		TEST(digits_may_be_in_upper_case),
		TEST(an_older_module_knows_the_present_only),
		PACKAGE_TEST(the_package_of_what_was_replaced_is_that_of_its_note),
		PACKAGE_TEST(who_runs_a_package_is_asked_by_its_name),
		PACKAGE_TEST(a_file_that_was_overwritten_is_no_longer_of_that_package),
		PACKAGE_TEST(a_file_on_an_overlay_is_known_by_the_module),
		PACKAGE_TEST(malformed_notes_are_counted),
		PACKAGE_TEST(a_line_with_a_package_fits_its_terminal),
		PACKAGE_TEST(another_version_with_the_same_id_is_another_content),
	};

	return cmocka_run_group_tests(tests, command_set_up, command_tear_down);
}
