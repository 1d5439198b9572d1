// SPDX-License-Identifier: GPL-2.0
/* The nearest name to what was typed. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "common/array.h"
#include "common/nearest.h"

static const char *find(const char *word)
{
	static const char *const names[] = { "mon", "list", "stale", "stats", "store", "record" };
	struct nearest nearest = { .word = word };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		nearest_offer(&nearest, names[i]);
	return nearest.name;
}

static void test_near(void **state)
{
	(void)state;
	assert_string_equal(find("lsit"), "list");
	assert_string_equal(find("lst"), "list");
	assert_string_equal(find("stals"), "stale");
	assert_string_equal(find("stat"), "stats");
	assert_string_equal(find("srote"), "store");
	assert_string_equal(find("rceord"), "record");
	assert_string_equal(find("recordd"), "record");
	assert_string_equal(find("mno"), "mon");
}

static void test_far(void **state)
{
	char word[4096];

	(void)state;
	assert_null(find("top"));
	assert_null(find("nosuch"));
	assert_null(find(""));
	memset(word, 'l', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	assert_null(find(word));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_near),
		cmocka_unit_test(test_far),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
