/* SPDX-License-Identifier: GPL-2.0 */
/* Report page: a recording as a flame graph, a timeline of each path, a table of contents. */
#ifndef TOOL_REPORT_PAGE_H
#define TOOL_REPORT_PAGE_H

#include "common/output.h"
#include "location_names.h"

struct report_page {
	const struct stacks *stacks;
	const char *input; /* the recording's name */
	struct location_losses losses;
};

/* Into the file at @path. False after the error was printed. */
bool report_page_write(const struct report_page *page, const char *path, struct output *out);

#endif
