/* SPDX-License-Identifier: GPL-2.0 */
/* Layout: which columns a line of mon has on a terminal, and how wide they are. */
#ifndef TOOL_LAYOUT_H
#define TOOL_LAYOUT_H

#include <stdbool.h>

/* Columns of text. */
#define PRINT_WIDTH_TIME    12
#define PRINT_WIDTH_PID	    7
#define PRINT_WIDTH_COMM    15
#define PRINT_WIDTH_ADDRESS 12
#define PRINT_WIDTH_NEWS    11
#define PRINT_WIDTH_ID	    40

/* Columns of a terminal; the path has what they leave. */
struct layout {
	int comm;
	int address; /* OUT_HIDDEN without room for it and the protection */
	int id;
	int news; /* OUT_HIDDEN unless there is such a column */
	int time; /* OUT_HIDDEN unless there is such a column */
};

/* For lines of @width, 0 for any length: then nothing is left out. */
struct layout layout_of(int width, bool time, bool news);

#endif
