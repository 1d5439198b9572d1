/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Columns: text of any bytes on a terminal of some width.
 *
 * A character takes the columns given by wcwidth(3), in any locale. Invalid UTF-8 and characters
 * without a width are shown as octal bytes.
 */
#ifndef TOOL_COLUMNS_H
#define TOOL_COLUMNS_H

#include <stdio.h>

/* The width of @text as shown, in columns. */
int columns_of(const char *text);

/*
 * @text as shown, in at most @room columns: text is left out in the middle, nearer to the
 *	beginning, as paths differ at their ends. "" for a @room below 1. The caller frees it; NULL
 *	without memory.
 */
char *columns_fit(const char *text, int room);

/*
 * The columns of the terminal behind @file, or COLUMNS if that is set, with its @rows; 0 without a
 * terminal.
 */
int columns_of_terminal(FILE *file, int *rows);

#endif
