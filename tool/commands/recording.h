/* SPDX-License-Identifier: GPL-2.0 */
/* Recording: the stream of records written to a log, around a command. */
#ifndef TOOL_RECORDING_H
#define TOOL_RECORDING_H

#include <stdbool.h>

#include "common/output.h"
#include "libbuildid/libbuildid.h"

/**
 * struct recording_plan - what becomes of a log
 * @log: its path
 * @keep_log: it stays when all is done
 * @output: what the command has for its standard output; -1 for ours
 * @use: called once the command has ended with @status, as an exit status, and the log
 *	has; that may be cut short. @signals is of signals_open(). False: it failed, so
 *	that the log is still of use. May be NULL
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
 * Record until @command ends, or without one until SIGINT or SIGTERM. What to exit
 * with, as buildid record -h tells.
 */
int recording_run(struct output *out, const struct recording_plan *plan, char **command,
		  const struct buildid_options *options);

#endif
