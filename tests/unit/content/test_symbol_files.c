// SPDX-License-Identifier: GPL-2.0
/* Symbol files: what is looked for again, and what comes to an end. */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "content/symbol_files.c"
#include "fake_module.h"
#include "samples.h"
#include "streams.h"

/* Seconds that the clock is ahead. */
static time_t ahead;

int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);

int __wrap_clock_gettime(clockid_t clock, struct timespec *now)
{
	int result = __real_clock_gettime(clock, now);

	now->tv_sec += ahead;
	return result;
}

static struct symbol_files *files;
static const char *found_in;
static uint64_t offset; /* of the function "f", which is long, in all of them */

/* Of build-id @number, and named so. */
static void make(int number)
{
	if (access("s.o", F_OK))
		shell("echo '.globl f; .type f, @function; f: .skip 1 << 20; .size f, . - f; "
		      ".section .note.GNU-stack' >s.S; "
		      "cc -c s.S");
	shell("cc -shared -Wl,-z,noseparate-code -Wl,--build-id=0x%08x -o %d.so s.o", number,
	      number);
	offset = strtoull(shell_output("nm -D %d.so | sed -n 's/ T f$//p'", number), NULL, 16);
}

/* Whether the name at @in from its start is known. */
static bool find(int number, uint64_t in, struct reason *reason)
{
	char path[128], id[16];
	struct symbol_place place = { .path = path,
				      .pid = (uint32_t)getpid(),
				      .offset = offset + in };
	struct symbol symbol;

	snprintf(path, sizeof(path), "%s/%d.so", sample_directory(), number);
	snprintf(id, sizeof(id), "%08x", number);
	assert_true(build_id_parse(&place.id, id));
	if (!symbol_files_find(files, &place, &symbol, &found_in, reason))
		return false;
	assert_string_equal(symbol.function, "f");
	assert_int_equal(symbol.function_offset, in);
	return true;
}

static int set_up(void **state)
{
	const struct symbol_files_options options = { .no_servers = true };

	if (sample_set_up(state))
		return -1;
	ahead = 0;
	files = symbol_files_new(&options);
	return files ? 0 : -1;
}

static int tear_down(void **state)
{
	symbol_files_free(files);
	return sample_tear_down(state);
}

static void what_was_not_found_is_looked_for_again(void **state)
{
	struct reason reason;

	(void)state;
	assert_false(find(1, 0, &reason));
	make(1);
	assert_false(find(1, 0, &reason));
	assert_non_null(strstr(reason.text, "no file with this build-id found: "));
	ahead = 31;
	assert_true(find(1, 0, &reason));
}

/* Of a process that may have begun since. */
static void what_is_mapped_is_read_again(void **state)
{
	struct reason reason;
	void *mapped;
	int fd;

	(void)state;
	assert_false(find(1, 0, &reason));
	make(1);
	shell("mkdir elsewhere; mv 1.so elsewhere");
	fd = open("elsewhere/1.so", O_RDONLY | O_CLOEXEC);
	mapped = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(mapped, MAP_FAILED);
	close(fd);
	ahead = 31;
	assert_true(find(1, 0, &reason));
	munmap(mapped, 4096);
}

static void what_is_kept_is_found(void **state)
{
	struct symbol_files_options options = { .no_servers = true };
	char directory[128];
	struct reason reason;

	(void)state;
	snprintf(directory, sizeof(directory), "%s/kept", sample_directory());
	options.directory = directory;
	make(1);
	shell("mkdir -p kept/.build-id/00 kept/1.so/00000001; mv 1.so kept/1.so/00000001/elf; "
	      "ln -s ../../1.so/00000001 kept/.build-id/00/000001");
	assert_false(find(1, 0, &reason));
	symbol_files_free(files);
	files = symbol_files_new(&options);
	assert_non_null(files);
	assert_true(find(1, 0, &reason));
	assert_string_equal(found_in, "kept");
}

/* Nothing but the id is known. */
static bool find_by_id(bool is_elf_address, struct symbol *symbol)
{
	struct symbol_place place = { .path = "",
				      .offset = offset,
				      .is_elf_address = is_elf_address };
	struct reason reason;

	assert_true(build_id_parse(&place.id, "00000001"));
	return symbol_files_find(files, &place, symbol, &found_in, &reason);
}

static void keep_in(const char *directory)
{
	const struct symbol_files_options options = { .no_servers = true, .directory = directory };

	symbol_files_free(files);
	files = symbol_files_new(&options);
	assert_non_null(files);
}

/* Anybody can map a file that says it is any content. */
static void another_users_file_comes_last_and_is_told(void **state)
{
	struct symbol symbol;
	char directory[128];
	void *mapped;
	int fd;

	(void)state;
	if (geteuid())
		skip();
	make(1);
	shell("mkdir -p elsewhere kept/.build-id/00 kept/1.so/00000001; "
	      "cp 1.so kept/1.so/00000001/elf; "
	      "ln -s ../../1.so/00000001 kept/.build-id/00/000001; "
	      "objcopy --redefine-sym f=forged --strip-debug 1.so elsewhere/1.so; "
	      "rm 1.so; chown nobody elsewhere/1.so");
	fd = open("elsewhere/1.so", O_RDONLY | O_CLOEXEC);
	mapped = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	assert_ptr_not_equal(mapped, MAP_FAILED);
	close(fd);
	assert_true(find_by_id(false, &symbol));
	assert_string_equal(found_in, "mapped-other");
	snprintf(directory, sizeof(directory), "%s/kept", sample_directory());
	keep_in(directory);
	assert_true(find_by_id(false, &symbol));
	assert_string_equal(found_in, "kept");
	assert_string_equal(symbol.function, "f");
	munmap(mapped, 4096);
}

static struct stat wanted;

/* The module knows the one file. */
static void know_wanted(int fd, union any_record *record)
{
	static const uint8_t id[] = { 0, 0, 0, 1 };

	(void)fd;
	fake.resolve_error = fake.resolved.ino == wanted.st_ino ? 0 : ENOENT;
	make_file(record, 1, sizeof(id), 0, "/any");
	memcpy(record->bytes + record->file.data_off, id, sizeof(id));
}

static void *map_others(const char *path, struct stat *status)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	void *mapped = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

	assert_ptr_not_equal(mapped, MAP_FAILED);
	assert_int_equal(fstat(fd, status), 0);
	close(fd);
	return mapped;
}

/* What it knows needs no trial of what else other users have mapped. */
static void the_module_is_asked_before_others_files_are_opened(void **state)
{
	struct symbol_files_options options = { .no_servers = true };
	struct inotify_event events[8];
	struct symbol symbol;
	void *mapped, *decoy;
	struct stat unused;
	int notify;

	if (geteuid())
		skip();
	assert_int_equal(fake_reset(state), 0);
	make(1);
	shell("cp 1.so decoy.so; cp 1.so other.so; rm 1.so; chown nobody decoy.so other.so");
	/* the same id: whichever is opened first would do */
	decoy = map_others("decoy.so", &unused);
	mapped = map_others("other.so", &wanted);
	notify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	assert_true(inotify_add_watch(notify, "decoy.so", IN_OPEN) >= 0);
	assert_int_equal(buildid_open(&options.module), 0);
	fake.resolve = know_wanted;
	symbol_files_free(files);
	files = symbol_files_new(&options);
	assert_true(find_by_id(false, &symbol));
	assert_string_equal(found_in, "mapped-other");
	assert_true(read(notify, events, sizeof(events)) < 0);
	/* one that it does not know is looked for all the same */
	wanted.st_ino = 0;
	symbol_files_free(files);
	files = symbol_files_new(&options);
	assert_true(find_by_id(false, &symbol));
	assert_string_equal(found_in, "mapped-other");
	assert_true(read(notify, events, sizeof(events)) > 0);
	close(notify);
	buildid_close(options.module);
	munmap(mapped, 4096);
	munmap(decoy, 4096);
}

/* It has addresses only, so it is no answer to the other question, and keeps none away. */
static void a_debug_file_alone_names_addresses(void **state)
{
	struct symbol symbol;
	char directory[128];

	(void)state;
	make(1);
	shell("mkdir -p kept/.build-id/00 kept/1.so/00000001; "
	      "objcopy --only-keep-debug 1.so kept/1.so/00000001/debug; rm 1.so; "
	      "ln -s ../../1.so/00000001 kept/.build-id/00/000001");
	snprintf(directory, sizeof(directory), "%s/kept", sample_directory());
	keep_in(directory);
	assert_true(find_by_id(true, &symbol));
	assert_string_equal(symbol.function, "f");
	assert_false(find_by_id(false, &symbol));
	assert_null(found_in);
}

/* Inode numbers are of one filesystem. */
static void versions_on_two_devices_are_two(void **state)
{
	struct buildid_file record = { .ino = 7, .ctime = 8, .file_size = 9, .dev_minor = 1 };
	struct file_version one, other;

	(void)state;
	file_version_set(&one, &record);
	record.dev_minor = 2;
	file_version_set(&other, &record);
	assert_false(file_version_equal(&one, &other));
}

/* A worker that opens files is a child, too; it is allowed more. */
static void kill_reader(void)
{
	int pid = atoi(shell_output("for pid in $(pgrep -P %d); do grep -qs 'NoNewPrivs:.1' "
				    "/proc/$pid/status && echo $pid; done; true",
				    getpid()));

	assert_true(pid > 0);
	assert_int_equal(kill(pid, SIGKILL), 0);
}

/* More than one answer is about. */
#define FAR 4096

static void a_reader_that_did_its_work_is_replaced(void **state)
{
	struct reason reason;
	uint64_t in = 0;
	int times;

	(void)state;
	make(1);
	for (times = 0; times < 5; times++) {
		do
			assert_true(find(1, in, &reason));
		while ((in += FAR) % (40 * FAR));
		kill_reader();
		assert_true(find(1, in, &reason));
		in += FAR;
	}
}

static void one_that_fails_is_not_replaced_for_ever(void **state)
{
	struct reason reason;
	uint64_t in = 0;
	int times;

	(void)state;
	make(1);
	for (times = 0; times < FAILURES_MAX; times++) {
		assert_true(find(1, in += FAR, &reason));
		kill_reader();
		assert_false(find(1, in += FAR, &reason));
	}
	ahead = 31;
	assert_false(find(1, in += FAR, &reason));
	/* What it said before stays. */
	assert_true(find(1, in - 2 * FAR, &reason));
}

static void only_so_many_are_open(void **state)
{
	struct reason reason;
	int number;

	(void)state;
	for (number = 0; number < OPEN_MAX_FILES + 4; number++) {
		make(number);
		assert_true(find(number, 0, &reason));
	}
	assert_int_equal(files->open, OPEN_MAX_FILES);
	assert_true(find(0, 0, &reason));
	assert_int_equal(files->open, OPEN_MAX_FILES);
}

static void files_not_used_for_long_are_forgotten(void **state)
{
	struct reason reason;
	int number;

	(void)state;
	make(0);
	make(1);
	assert_true(find(1, 0, &reason));
	assert_true(find(0, 0, &reason));
	for (number = 2; number < FILES_MAX + 10; number++) {
		assert_false(find(number, 0, &reason));
		if (!(number % 1000))
			assert_true(find(0, 0, &reason));
	}
	assert_int_equal(files->count, FILES_MAX / 2 + 10);
	assert_int_equal(files->open, 1);
	/* Of those that stayed, none is there twice. */
	for (number = FILES_MAX - 100; number < FILES_MAX + 10; number++)
		assert_false(find(number, 0, &reason));
	assert_int_equal(files->count, FILES_MAX / 2 + 10);
	assert_true(find(1, 0, &reason));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(what_was_not_found_is_looked_for_again),
		TEST(what_is_mapped_is_read_again),
		TEST(what_is_kept_is_found),
		TEST(another_users_file_comes_last_and_is_told),
		TEST(the_module_is_asked_before_others_files_are_opened),
		TEST(a_debug_file_alone_names_addresses),
		TEST(versions_on_two_devices_are_two),
		TEST(a_reader_that_did_its_work_is_replaced),
		TEST(one_that_fails_is_not_replaced_for_ever),
		TEST(only_so_many_are_open),
		TEST(files_not_used_for_long_are_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
