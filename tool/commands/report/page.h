/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Page: a recording as one HTML file, which loads nothing and sends nothing: a flame graph, a
 * timeline of each path, a table of contents.
 */
#ifndef TOOL_PAGE_H
#define TOOL_PAGE_H

#include "location_names.h"

struct page {
	const struct stacks *stacks;
	const char *input; /* the recording's name */
	struct location_losses losses;
};

/* False without memory. */
bool page_put(FILE *file, const struct page *page);

#endif
