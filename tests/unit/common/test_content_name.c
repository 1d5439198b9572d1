// SPDX-License-Identifier: GPL-2.0
/* Names of further contents, and the path in them. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/content_name.h"

static struct build_id id_of(const char *digits)
{
	struct build_id id;

	assert_true(build_id_parse(&id, digits));
	return id;
}

static void test_name(void **state)
{
	const struct build_id id = id_of("7ebc65e5aabbccddeeff00112233445566778899");
	const struct build_id brief = id_of("7ebc");
	char *name = content_name("/lib/libwork.so", &id);
	char *full = content_name_in_full("/lib/libwork.so", &id);
	char *brief_name = content_name("/lib/libwork.so", &brief);

	(void)state;
	assert_string_equal(name, "/lib/libwork.so@7ebc65e5");
	assert_string_equal(full, "/lib/libwork.so@7ebc65e5aabbccddeeff00112233445566778899");
	assert_int_equal(content_name_path(full, &id), strlen("/lib/libwork.so"));
	free(full);
	assert_string_equal(brief_name, "/lib/libwork.so@7ebc");
	assert_int_equal(content_name_path(name, &id), strlen("/lib/libwork.so"));
	assert_int_equal(content_name_path(brief_name, &brief), strlen("/lib/libwork.so"));
	free(brief_name);
	free(name);
}

static void test_not_a_name(void **state)
{
	static const char *const paths[] = {
		"/lib/libwork.so", "/lib/a@7ebc65e6", "/lib/a@7ebc65e5aa", "@7ebc65e5", "",
	};
	const struct build_id id = id_of("7ebc65e5aabbccddeeff00112233445566778899");
	const struct build_id none = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		assert_int_equal(content_name_path(paths[i], &id), strlen(paths[i]));
	assert_int_equal(content_name_path("/lib/a@", &none), strlen("/lib/a@"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_name),
		cmocka_unit_test(test_not_a_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
