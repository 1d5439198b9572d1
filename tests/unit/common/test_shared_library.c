// SPDX-License-Identifier: GPL-2.0
/* Loaded: what is there, and what is reported when it is not. */

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/shared_library.h"

static struct {
	pid_t (*getpid)(void);
	void *other;
} pointers;

static const struct shared_function functions[] = {
	{ "getpid", offsetof(__typeof__(pointers), getpid) },
	{ "no_such_function", offsetof(__typeof__(pointers), other) },
};

static void functions_are_those_of_the_library(void **state)
{
	(void)state;
	assert_null(shared_library_open("libc.so.6", functions, 1, &pointers));
	assert_int_equal(pointers.getpid(), getpid());
	assert_null(pointers.other);
}

static void what_does_not_exist_is_named(void **state)
{
	const char *problem = shared_library_open("libnone.so.1", functions, 1, &pointers);

	(void)state;
	assert_non_null(problem);
	assert_non_null(strstr(problem, "libnone.so.1: "));
	problem = shared_library_open("libc.so.6", functions, 2, &pointers);
	assert_non_null(problem);
	assert_non_null(strstr(problem, "no_such_function"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_are_those_of_the_library),
		cmocka_unit_test(what_does_not_exist_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
