/* SPDX-License-Identifier: GPL-2.0 */
/* Report perf: perf report, with what it needs put in place before. */
#ifndef TOOL_REPORT_PERF_H
#define TOOL_REPORT_PERF_H

#include <stdbool.h>

#include "common/output.h"

struct report_perf {
	struct output *out;
	const char *input;
	char *const *options; /* perf report's own */
	const char *directory;
	bool no_servers;
};

/* Becomes perf report; returns the exit status where it cannot. */
int report_perf_run(const struct report_perf *job);

#endif
