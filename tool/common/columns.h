/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Columns: text of any bytes on a terminal of some width.
 *
 * A character takes the columns that wcwidth(3) says, whatever the locale. What is not
 * valid UTF-8, or has no width, is shown as octal bytes.
 */
#ifndef TOOL_COLUMNS_H
#define TOOL_COLUMNS_H

#include <stdio.h>

/* What is shown of @text, in columns. */
int columns_of(const char *text);

/*
 * @text as it is shown, at most @room columns of it: what is left out is in the middle,
 * nearer to the beginning, as paths differ at their ends. "" for a @room below 1. To be
 * freed; NULL without memory.
 */
char *columns_fit(const char *text, int room);

/*
 * The columns of the terminal behind @file, COLUMNS if that is set, with its @rows;
 * 0 when there is no terminal.
 */
int columns_of_terminal(FILE *file, int *rows);

#endif
