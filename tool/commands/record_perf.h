/* SPDX-License-Identifier: GPL-2.0 */
/* buildid record -- perf record: its perf.data is annotated when perf has ended. */
#ifndef TOOL_RECORD_PERF_H
#define TOOL_RECORD_PERF_H

#include "common/output.h"
#include "libbuildid/libbuildid.h"

/*
 * Returns the exit status. @log: NULL for one that is removed after use. @keep_names: as
 * of struct annotation.
 */
int record_perf(struct output *out, const char *log, bool keep_names, char **command,
		const struct buildid_options *options);

#endif
