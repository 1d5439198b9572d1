// SPDX-License-Identifier: GPL-2.0
/* Columns of characters, and text shortened in the middle. */

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/array.h"
#include "common/columns.h"

static void assert_fit(const char *text, int room, const char *expected)
{
	char *fitted = columns_fit(text, room);

	assert_non_null(fitted);
	assert_string_equal(fitted, expected);
	free(fitted);
}

static void characters_have_their_columns(void **state)
{
	(void)state;
	assert_int_equal(columns_of(""), 0);
	assert_int_equal(columns_of("/lib/a.so"), 9);
	assert_int_equal(columns_of("\xc3\xa4"), 1);		     /* a umlaut */
	assert_int_equal(columns_of("a\xcc\x88"), 1);		     /* the same, combining */
	assert_int_equal(columns_of("\xe6\xbc\xa2\xe5\xad\x97"), 4); /* kanji */
	assert_int_equal(columns_of("\xf0\x9f\x90\xa7"), 2);	     /* a penguin */
}

static void what_moves_the_cursor_is_escaped(void **state)
{
	(void)state;
	assert_fit("a\nb\033[2J\x7f", 40, "a\\012b\\033[2J\\177");
	/* C1, in UTF-8 and as a byte by itself. */
	assert_fit("\xc2\x9b|\x9b", 40, "\\302\\233|\\233");
	assert_fit("\xff\xc3", 40, "\\377\\303");
	assert_int_equal(columns_of("\x9b\n"), 8);
}

static void the_middle_is_left_out(void **state)
{
	(void)state;
	assert_fit("/usr/lib/libc.so.6", 18, "/usr/lib/libc.so.6");
	assert_fit("/usr/lib/x86_64-linux-gnu/libc.so.6", 18, "/usr/.../libc.so.6");
	assert_fit("/usr/lib/x86_64-linux-gnu/libc.so.6", 6, "/usr/l");
	assert_fit("/usr/lib", 0, "");
	assert_fit("/usr/lib", -5, "");
}

static void an_ellipsis_is_for_utf8(void **state)
{
	(void)state;
	setenv("LC_ALL", "C.UTF-8", 1);
	assert_fit("/usr/lib/x86_64-linux-gnu/libc.so.6", 18, "/usr/\xe2\x80\xa6nu/libc.so.6");
	setenv("LC_ALL", "C", 1);
}

/* Of every text, whatever is left of it in whatever room, has to fit. */
static void nothing_takes_more_than_its_room(void **state)
{
	static const char *const texts[] = {
		"/usr/lib/x86_64-linux-gnu/libcrypto.so.3",
		"\xe6\xbc\xa2\xe5\xad\x97/\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97.so",
		"\x80\x81\x82\x83\x84\x85\x86\x87",
		"a\xcc\x88\xcc\x88\xcc\x88\xcc\x88\xcc\x88\xcc\x88\xcc\x88z\xcc\x88z\xcc\x88z",
		"\033\033\033\033\033\033",
	};
	size_t i;
	int room;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(texts); i++)
		for (room = 0; room < 50; room++) {
			char *fitted = columns_fit(texts[i], room);

			assert_non_null(fitted);
			assert_true(columns_of(fitted) <= room);
			/* A wide character may leave one column, at each end. */
			if (room < columns_of(texts[i]))
				assert_true(columns_of(fitted) >= room - 2);
			free(fitted);
		}
}

static void only_a_terminal_has_columns(void **state)
{
	FILE *file = tmpfile();
	int rows;

	(void)state;
	assert_non_null(file);
	setenv("COLUMNS", "100", 1);
	assert_int_equal(columns_of_terminal(file, &rows), 0);
	fclose(file);
}

static void a_terminal_has_its_size(void **state)
{
	struct winsize size = { .ws_row = 40, .ws_col = 123 };
	int master = posix_openpt(O_RDWR | O_NOCTTY), rows;
	FILE *file;

	(void)state;
	assert_true(master >= 0);
	assert_int_equal(unlockpt(master), 0);
	file = fopen(ptsname(master), "r+");
	assert_non_null(file);
	assert_int_equal(ioctl(master, TIOCSWINSZ, &size), 0);
	unsetenv("COLUMNS");
	assert_int_equal(columns_of_terminal(file, &rows), 123);
	assert_int_equal(rows, 40);
	setenv("COLUMNS", "100", 1);
	assert_int_equal(columns_of_terminal(file, &rows), 100);
	setenv("COLUMNS", "0", 1);
	assert_int_equal(columns_of_terminal(file, &rows), 123);
	/* As of a serial line. */
	size = (struct winsize){};
	assert_int_equal(ioctl(master, TIOCSWINSZ, &size), 0);
	assert_int_equal(columns_of_terminal(file, &rows), 80);
	assert_int_equal(rows, 24);
	fclose(file);
	close(master);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(characters_have_their_columns),
		cmocka_unit_test(what_moves_the_cursor_is_escaped),
		cmocka_unit_test(the_middle_is_left_out),
		cmocka_unit_test(an_ellipsis_is_for_utf8),
		cmocka_unit_test(nothing_takes_more_than_its_room),
		cmocka_unit_test(only_a_terminal_has_columns),
		cmocka_unit_test(a_terminal_has_its_size),
	};

	setenv("LC_ALL", "C", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
