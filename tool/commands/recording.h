/* SPDX-License-Identifier: GPL-2.0 */
/* Recording: a log is written while a command runs, then used or kept. */
#ifndef TOOL_RECORDING_H
#define TOOL_RECORDING_H

#include <stdbool.h>

#include "common/output.h"
#include "libbuildid/libbuildid.h"

/**
 * struct recording_plan - what becomes of a log
 * @log: its path
 * @keep_log: else it is removed when @use has succeeded
 * @output: standard output of the command; -1 for ours
 * @use: called when the command has ended, with its exit status, and the log has been
 *	written, as far as that went. @signals is from signals_open(). Returns false when
 *	it failed: then the log stays. May be NULL
 * @context: for @use
 */
struct recording_plan {
	const char *log;
	bool keep_log;
	int output;
	bool (*use)(const struct recording_plan *plan, int status, int signals);
	void *context;
};

/*
 * Record until @command ends, or without one until SIGINT or SIGTERM. Returns the exit
 * status, as buildid record -h documents it.
 */
int recording_run(struct output *out, const struct recording_plan *plan, char **command,
		  const struct buildid_options *options);

#endif
