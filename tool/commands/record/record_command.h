/* SPDX-License-Identifier: GPL-2.0 */
/* Record a command: what perf writes in it is annotated when it has ended. */
#ifndef TOOL_RECORD_COMMAND_H
#define TOOL_RECORD_COMMAND_H

#include "common/output.h"
#include "libbuildid/libbuildid.h"
#include "recording.h"

/**
 * struct record_request - what is wanted of a recording
 * @log: NULL: one that is removed after use if perf is all of the command, else buildid.log
 * @source: of its records
 * @pids, @nr_pids: as of struct recording_plan
 * @keep_names: as of struct annotation
 * @no_annotate: the log is all
 */
struct record_request {
	const char *log;
	enum source_kind source;
	const uint32_t *pids;
	uint32_t nr_pids;
	bool keep_names;
	bool no_annotate;
};

/*
 * @command ends with NULL, and may have no word. Returns the exit status, or ends the process
 * by the signal that killed @command.
 */
int record_command(struct output *out, const struct record_request *request, char **command,
		   const struct buildid_options *options);

#endif
