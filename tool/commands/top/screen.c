// SPDX-License-Identifier: GPL-2.0

#define NCURSES_NOMACROS 1
#include <curses.h>
#include <langinfo.h>
#include <locale.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "common/array.h"
#include "common/shared_library.h"
#include "screen.h"

/* Escape is a key, too: how long it may be the beginning of another. */
#define ESCAPE_MS 25

#define FUNCTIONS(F)    \
	F(newterm)      \
	F(endwin)       \
	F(cbreak)       \
	F(noecho)       \
	F(curs_set)     \
	F(keypad)       \
	F(nodelay)      \
	F(set_escdelay) \
	F(getmaxx)      \
	F(getmaxy)      \
	F(werase)       \
	F(wmove)        \
	F(waddnstr)     \
	F(wattrset)     \
	F(wrefresh)     \
	F(wgetch)

static struct library {
	WINDOW **window; /* stdscr */
#define POINTER(name) __typeof__(name) *name;
	FUNCTIONS(POINTER)
#undef POINTER
} library;

static const char *load(void)
{
#define FUNCTION(name) { #name, offsetof(struct library, name) },
	static const struct shared_function functions[] = {
		{ "stdscr", offsetof(struct library, window) }, FUNCTIONS(FUNCTION)
	};
#undef FUNCTION

	return shared_library_open("libncursesw.so.6", functions, ARRAY_SIZE(functions), &library);
}

/* Paths are UTF-8 as a rule, whatever the locale. */
static void set_locale(void)
{
	if (!setlocale(LC_CTYPE, "") || strcmp(nl_langinfo(CODESET), "UTF-8"))
		setlocale(LC_CTYPE, "C.UTF-8");
}

bool screen_open(struct reason *reason)
{
	const char *problem = load();

	if (problem)
		return reason_set(reason, "%s", problem);
	set_locale();
	if (!library.newterm(NULL, stdout, stdin))
		return reason_set(reason, "not a terminal that ncurses knows; see TERM");
	library.cbreak();
	library.noecho();
	library.curs_set(0);
	library.keypad(*library.window, TRUE);
	library.nodelay(*library.window, TRUE);
	library.set_escdelay(ESCAPE_MS);
	return true;
}

void screen_close(void)
{
	library.endwin();
}

void screen_size(int *rows, int *columns)
{
	*rows = library.getmaxy(*library.window);
	*columns = library.getmaxx(*library.window);
}

void screen_clear(void)
{
	library.werase(*library.window);
}

void screen_line(int row, enum screen_style style, const char *text)
{
	static const int attributes[] = {
		[SCREEN_PLAIN] = (int)A_NORMAL,
		[SCREEN_BOLD] = (int)A_BOLD,
		[SCREEN_REVERSE] = (int)A_REVERSE,
	};

	if (library.wmove(*library.window, row, 0) == ERR)
		return;
	library.wattrset(*library.window, attributes[style]);
	library.waddnstr(*library.window, text, -1);
	library.wattrset(*library.window, (int)A_NORMAL);
}

void screen_show(void)
{
	library.wrefresh(*library.window);
}

int screen_key(void)
{
	static const struct {
		int curses, key;
	} keys[] = {
		{ KEY_UP, SCREEN_UP },		{ KEY_DOWN, SCREEN_DOWN },
		{ KEY_PPAGE, SCREEN_PAGE_UP },	{ KEY_NPAGE, SCREEN_PAGE_DOWN },
		{ KEY_HOME, SCREEN_HOME },	{ KEY_END, SCREEN_END },
		{ KEY_RESIZE, SCREEN_RESIZED }, { KEY_BACKSPACE, SCREEN_BACKSPACE },
		{ '\b', SCREEN_BACKSPACE },	{ KEY_ENTER, SCREEN_ENTER },
		{ '\r', SCREEN_ENTER },
	};
	int got = library.wgetch(*library.window);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keys); i++)
		if (keys[i].curses == got)
			return keys[i].key;
	return got > 0 && got < 256 ? got : SCREEN_NO_KEY;
}
