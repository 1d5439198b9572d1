/* SPDX-License-Identifier: GPL-2.0 */
/* Diff page: the functions of two contents, before and after, with their shares of the samples. */
#ifndef TOOL_DIFF_PAGE_H
#define TOOL_DIFF_PAGE_H

#include "common/output.h"
#include "diff_samples.h"

struct diff_page {
	const struct code_diff *diff;
	const struct diff_samples *samples;
	const size_t *order; /* of the functions */
	const struct build_id *ids[2];
	const char *paths[2];
	const struct perfdata_losses *losses; /* of the recording; NULL without one */
};

/* Into the file at @path. False after the error was printed. */
bool diff_page_write(const struct diff_page *page, const char *path, struct output *out);

#endif
