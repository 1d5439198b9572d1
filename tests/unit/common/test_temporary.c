// SPDX-License-Identifier: GPL-2.0
/* Temporary: files without a name, on file systems that have them and others. */

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/temporary.h"
#include "samples.h"
#include "streams.h"

static int has_tmpfile;

static int fake_openat(int directory, const char *path, int flags, ...);

#define openat(...) fake_openat(__VA_ARGS__)
#include "common/entry.c"
#undef openat

static int fake_openat(int directory, const char *path, int flags, ...)
{
	va_list arguments;
	mode_t mode = 0;

	va_start(arguments, flags);
	if (flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE)
		mode = va_arg(arguments, mode_t);
	va_end(arguments);
	if ((flags & O_TMPFILE) == O_TMPFILE && !has_tmpfile) {
		errno = EOPNOTSUPP;
		return -1;
	}
	return openat(directory, path, flags, mode);
}

/* "a" is there already. */
static void begin(struct temporary *file, bool tmpfile)
{
	int directory;

	has_tmpfile = tmpfile;
	shell("rm -rf d; mkdir d; echo old > d/a");
	directory = open("d", O_RDONLY | O_DIRECTORY);
	assert_true(directory >= 0);
	assert_true(temporary_open(file, directory, 0700));
	assert_int_equal(write(file->fd, "new\n", 4), 4);
}

static void end(struct temporary *file)
{
	int directory = file->directory;

	temporary_close(file);
	close(directory);
}

static void assert_files(const char *names, const char *content)
{
	assert_string_equal(shell_output("ls -A d"), names);
	assert_string_equal(shell_output("cat d/*"), content);
}

static void what_is_not_named_is_gone(void **state)
{
	struct temporary file;
	int tmpfile;

	(void)state;
	for (tmpfile = 0; tmpfile < 2; tmpfile++) {
		begin(&file, tmpfile);
		end(&file);
		assert_files("a\n", "old\n");
	}
}

static void what_never_has_a_name_can_be_read_and_written(void **state)
{
	char text[4];
	int fd;

	(void)state;
	shell("mkdir d");
	setenv("TMPDIR", "d", 1);
	for (has_tmpfile = 0; has_tmpfile < 2; has_tmpfile++) {
		fd = temporary_unnamed();
		assert_true(fd >= 0);
		assert_int_equal(write(fd, "new\n", 4), 4);
		assert_string_equal(shell_output("ls -A d"), "");
		assert_int_equal(pread(fd, text, 4, 0), 4);
		assert_memory_equal(text, "new\n", 4);
		close(fd);
	}
	setenv("TMPDIR", "missing", 1);
	assert_int_equal(temporary_unnamed(), -1);
	assert_int_equal(errno, ENOENT);
	unsetenv("TMPDIR");
}

static void an_existing_name_stays_unless_replaced(void **state)
{
	struct temporary file;
	int tmpfile;

	(void)state;
	for (tmpfile = 0; tmpfile < 2; tmpfile++) {
		begin(&file, tmpfile);
		assert_false(temporary_name(&file, file.directory, "a", false));
		assert_int_equal(errno, EEXIST);
		assert_true(temporary_name(&file, file.directory, "b", false));
		end(&file);
		assert_files("a\nb\n", "old\nnew\n");

		begin(&file, tmpfile);
		assert_true(temporary_name(&file, file.directory, "a", true));
		end(&file);
		assert_files("a\n", "new\n");
	}
}

static void any_file_gets_one_more_name(void **state)
{
	struct temporary file;
	int fd, directory;

	(void)state;
	shell("mkdir d e; echo old > d/a; echo other > other");
	fd = open("other", O_RDONLY);
	directory = open("d", O_RDONLY | O_DIRECTORY);
	/* The same again changes nothing. */
	for (int i = 0; i < 2; i++) {
		assert_true(temporary_link(&file, open("e", O_RDONLY | O_DIRECTORY), fd));
		assert_true(temporary_name(&file, directory, "a", true));
		end(&file);
		assert_files("a\n", "other\n");
		assert_string_equal(shell_output("ls -A e"), "");
		assert_string_equal(shell_output("stat -c %%h other"), "2\n");
	}
	close(directory);
	close(fd);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, sample_set_up, sample_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_is_not_named_is_gone),
		TEST(an_existing_name_stays_unless_replaced),
		TEST(what_never_has_a_name_can_be_read_and_written),
		TEST(any_file_gets_one_more_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
