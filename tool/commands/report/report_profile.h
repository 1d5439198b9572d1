/* SPDX-License-Identifier: GPL-2.0 */
/* Report profile: a recording as a page, a flame graph, or folded stacks. */
#ifndef TOOL_REPORT_PROFILE_H
#define TOOL_REPORT_PROFILE_H

#include <stdbool.h>

#include "common/output.h"

struct report_profile {
	struct output *out;
	const char *input;
	const char *html; /* files to be written, or NULL */
	const char *flamegraph;
	bool folded; /* to standard output */
	const char *directory;
	bool no_servers;
};

/* The exit status. */
int report_profile_run(const struct report_profile *job);

#endif
