/* SPDX-License-Identifier: GPL-2.0 */
/* Screen: the only file that knows ncurses. One at a time, on standard output. */
#ifndef TOOL_SCREEN_H
#define TOOL_SCREEN_H

#include <stdbool.h>

#include "common/reason.h"

enum screen_style {
	SCREEN_PLAIN,
	SCREEN_BOLD,
	SCREEN_REVERSE,
};

/* Characters are themselves. */
enum screen_key {
	SCREEN_NO_KEY = 0,
	SCREEN_ENTER = '\n',
	SCREEN_ESCAPE = 27,
	SCREEN_BACKSPACE = 127,
	SCREEN_UP = 256,
	SCREEN_DOWN,
	SCREEN_PAGE_UP,
	SCREEN_PAGE_DOWN,
	SCREEN_HOME,
	SCREEN_END,
	SCREEN_RESIZED,
};

/* False with @reason where there is no terminal that can do that. */
bool screen_open(struct reason *reason);
/* The terminal is as it was. */
void screen_close(void);

void screen_size(int *rows, int *columns);
/* Empty, then lines of no more columns than there are, then what is shown. */
void screen_clear(void);
void screen_line(int row, enum screen_style style, const char *text);
void screen_show(void);

/* The next key that was pressed; does not wait. */
int screen_key(void);

#endif
