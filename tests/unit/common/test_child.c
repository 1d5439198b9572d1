// SPDX-License-Identifier: GPL-2.0
/* Child: what a program writes is read, for as long and as much as is bearable. */

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "common/child.h"
#include "streams.h"

#define LONG_MS 60000

static char *output_of(const char *script, int timeout_ms, size_t *size)
{
	char shell[] = "sh", option[] = "-c", *text, *copy = strdup(script);
	char *command[] = { shell, option, copy, NULL };
	int error;

	text = child_output(command, timeout_ms, size);
	error = errno;
	free(copy);
	errno = error;
	return text;
}

static void output_is_read_to_its_end_and_messages_are_dropped(void **state)
{
	size_t size;
	char *text;

	(void)state;
	text = output_of("printf 'a\\0b'; echo message >&2; sleep 0.1; echo c; exit 3", LONG_MS,
			 &size);
	assert_non_null(text);
	assert_int_equal(size, 5);
	assert_memory_equal(text, "a\0bc\n", 6);
	free(text);

	text = output_of("exit 1", LONG_MS, &size);
	assert_non_null(text);
	assert_int_equal(size, 0);
	assert_string_equal(text, "");
	free(text);
	/* Nothing is left to wait for. */
	assert_int_equal(waitpid(-1, NULL, 0), -1);
}

static void a_missing_program_is_an_error(void **state)
{
	char program[] = "/nowhere/at/all", *command[] = { program, NULL };
	size_t size;

	(void)state;
	assert_null(child_output(command, LONG_MS, &size));
	assert_int_equal(errno, ENOENT);
}

static void one_that_does_not_end_is_ended(void **state)
{
	time_t before = time(NULL);
	size_t size;
	int status;

	(void)state;
	assert_null(output_of("echo part; exec sleep 1000", 50, &size));
	assert_int_equal(errno, ETIMEDOUT);
	assert_true(time(NULL) - before < LONG_MS / 1000);
	/* Unless it was waited for already. */
	if (waitpid(-1, &status, 0) > 0)
		assert_int_equal(WTERMSIG(status), SIGKILL);
}

static void one_that_does_not_stop_writing_is_ended(void **state)
{
	size_t size;
	char *text;

	(void)state;
	assert_null(output_of("exec yes", LONG_MS, &size));
	assert_int_equal(errno, EFBIG);
	text = output_of("head -c 1048576 /dev/zero", LONG_MS, &size);
	assert_non_null(text);
	assert_int_equal(size, CHILD_OUTPUT_MAX);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(output_is_read_to_its_end_and_messages_are_dropped),
		cmocka_unit_test(a_missing_program_is_an_error),
		cmocka_unit_test(one_that_does_not_end_is_ended),
		cmocka_unit_test(one_that_does_not_stop_writing_is_ended),
	};

	return cmocka_run_group_tests_name("child", tests, NULL, NULL);
}
