/* SPDX-License-Identifier: GPL-2.0 */
/* buildid record -- perf record: the perf.data is annotated when it has ended. */
#ifndef TOOL_RECORD_PERF_H
#define TOOL_RECORD_PERF_H

#include "common/output.h"
#include "libbuildid/libbuildid.h"

/* What to exit with. @log: NULL for one that goes when it has been used. */
int record_perf(struct output *out, const char *log, char **command,
		const struct buildid_options *options);

#endif
