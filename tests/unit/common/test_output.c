// SPDX-License-Identifier: GPL-2.0
/* Output: text is looked at by eight bytes, and escaped wherever it has to be. */

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/output.h"

static char *printed(const char *text)
{
	struct output out;
	char *bytes = NULL;
	size_t size;
	FILE *file = open_memstream(&bytes, &size);

	assert_non_null(file);
	out_init(&out, file, false);
	out_begin(&out);
	out_string(&out, NULL, 0, text);
	out_end(&out);
	assert_int_equal(fclose(file), 0);
	return bytes;
}

static void expect(const char *text, const char *expected)
{
	char *bytes = printed(text);

	assert_string_equal(bytes, expected);
	free(bytes);
}

/* @odd in a text of @length other bytes, behind @at of them, is @shown. */
static void expect_at(size_t length, size_t at, const char *odd, const char *shown)
{
	char text[64], expected[64];

	snprintf(text, sizeof(text), "%.*s%s%.*s", (int)at, "abcdefghijklmnopqrstuvwxyz ~", odd,
		 (int)(length - at), "ABCDEFGHIJKLMNOPQRSTUVWXYZ ~");
	snprintf(expected, sizeof(expected), "%.*s%s%.*s\n", (int)at,
		 "abcdefghijklmnopqrstuvwxyz ~", shown, (int)(length - at),
		 "ABCDEFGHIJKLMNOPQRSTUVWXYZ ~");
	expect(text, expected);
}

static void what_moves_the_cursor_is_escaped_at_each_place(void **state)
{
	static const char *const odd[][2] = {
		{ "\033", "\\033" },	      { "\n", "\\012" },
		{ "\037", "\\037" },	      { "\177", "\\177" },
		{ "\xc2\x9b", "\\302\\233" }, { "\xc3\xa9", "\xc3\xa9" },
		{ "\xff", "\xff" },	      { "", "" },
	};
	size_t length, at, i;

	(void)state;
	for (i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
		for (length = 0; length <= 28; length++)
			for (at = 0; at <= length; at++)
				expect_at(length, at, odd[i][0], odd[i][1]);
}

/* What is larger than the buffer is not buffered: no later call fails. */
static void why_a_line_was_not_written_is_remembered(void **state)
{
	static char text[1 << 16];
	struct output out;
	FILE *file = fopen("/dev/full", "w");

	(void)state;
	assert_non_null(file);
	memset(text, 'x', sizeof(text) - 1);
	assert_int_equal(out_write_error(), 0);
	out_init(&out, file, false);
	out_begin(&out);
	out_string(&out, NULL, 0, text);
	out_end(&out);
	assert_int_equal(out_write_error(), ENOSPC);
	fclose(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_moves_the_cursor_is_escaped_at_each_place),
		cmocka_unit_test(why_a_line_was_not_written_is_remembered),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
