/* SPDX-License-Identifier: GPL-2.0 */
/* Report diff: buildid report --diff, what changed between two contents. */
#ifndef TOOL_REPORT_DIFF_H
#define TOOL_REPORT_DIFF_H

#include <stdbool.h>

#include "common/output.h"

struct report_diff {
	struct output *out;
	char *const *operands;
	const char *input; /* a perf.data, or NULL */
	const char *html;  /* a page in place of text, or NULL */
	const char *directory;
	bool no_servers;
	bool raw;
};

/* The exit status. */
int report_diff_run(const struct report_diff *job);

#endif
