// SPDX-License-Identifier: GPL-2.0
/* Columns: text is escaped first, so that the columns counted are those shown. */

#include <langinfo.h>
#include <limits.h>
#include <locale.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <wchar.h>

#include "columns.h"
#include "utf8.h"

#define COLUMNS_ASSUMED 80
#define ROWS_ASSUMED	24

/* ----------------------------------------------------------- characters -- */

/* Names are in UTF-8 even in the C locale; fnmatch(3) and others keep theirs. */
static int width_of(uint32_t code)
{
	static locale_t utf8;
	locale_t before;
	int width;

	if (code < 0x80)
		return code >= 0x20 && code != 0x7f ? 1 : -1;
	if (!utf8)
		utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", NULL);
	if (!utf8)
		return code < 0xa0 ? -1 : 1;
	before = uselocale(utf8);
	width = wcwidth((wchar_t)code);
	uselocale(before);
	return width;
}

/* The length of the first character of @text in bytes, 0 for a byte to be escaped. */
static size_t columns_printable(const char *text, int *width)
{
	size_t length;
	uint32_t code;

	length = utf8_decode(text, &code);
	*width = length ? width_of(code) : -1;
	return *width < 0 ? 0 : length;
}

int columns_of(const char *text)
{
	int columns = 0, width;

	while (*text) {
		size_t length = columns_printable(text, &width);

		columns += length ? width : 4;
		text += length ? length : 1;
	}
	return columns;
}

static char *escape(const char *text)
{
	char *escaped = malloc(4 * strlen(text) + 1);
	char *end = escaped;
	int width;

	if (!escaped)
		return NULL;
	while (*text) {
		size_t length = columns_printable(text, &width);

		if (length)
			end = mempcpy(end, text, length);
		else
			end += sprintf(end, "\\%03o", (unsigned char)*text);
		text += length ? length : 1;
	}
	*end = '\0';
	return escaped;
}

/* ------------------------------------------------------------- shortening -- */

/* Dots if the terminal may not support UTF-8. */
static const char *ellipsis(void)
{
	locale_t user = newlocale(LC_CTYPE_MASK, "", NULL);
	bool utf8 = user && !strcmp(nl_langinfo_l(CODESET, user), "UTF-8");

	if (user)
		freelocale(user);
	return utf8 ? "\xe2\x80\xa6" : "...";
}

/* Skip as many characters as fit into @room. */
static const char *skip(const char *text, int room)
{
	int width;

	while (*text) {
		size_t length = columns_printable(text, &width);

		if (width > room)
			break;
		room -= width;
		text += length;
	}
	return text;
}

/* The longest end of @text that fits into @room. */
static const char *ending(const char *text, int room)
{
	int columns = columns_of(text), width;

	while (columns > room) {
		size_t length = columns_printable(text, &width);

		columns -= width;
		text += length;
	}
	return text;
}

char *columns_fit(const char *text, int room)
{
	char *escaped = escape(text);
	const char *dots = ellipsis();
	int dots_width = columns_of(dots);
	char *fitted;
	int head;

	if (!escaped || columns_of(escaped) <= room)
		return escaped;
	/* No room for more than dots: show only the beginning. */
	if (room <= 2 * dots_width) {
		*(char *)(uintptr_t)skip(escaped, room > 0 ? room : 0) = '\0';
		return escaped;
	}
	head = (room - dots_width) / 3;
	if (asprintf(&fitted, "%.*s%s%s", (int)(skip(escaped, head) - escaped), escaped, dots,
		     ending(escaped, room - dots_width - head)) < 0)
		fitted = NULL;
	free(escaped);
	return fitted;
}

/* --------------------------------------------------------------- terminal -- */

static int columns_of_environment(void)
{
	const char *columns = getenv("COLUMNS");
	long number = columns ? strtol(columns, NULL, 10) : 0;

	return number > 0 && number <= SHRT_MAX ? (int)number : 0;
}

int columns_of_terminal(FILE *file, int *rows)
{
	struct winsize size = {};
	int columns;

	if (!isatty(fileno(file)))
		return 0;
	ioctl(fileno(file), TIOCGWINSZ, &size);
	*rows = size.ws_row ? size.ws_row : ROWS_ASSUMED;
	columns = columns_of_environment();
	if (!columns)
		columns = size.ws_col;
	return columns ? columns : COLUMNS_ASSUMED;
}
