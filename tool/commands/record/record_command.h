/* SPDX-License-Identifier: GPL-2.0 */
/* Record a command: what perf writes in it is annotated when it has ended. */
#ifndef TOOL_RECORD_COMMAND_H
#define TOOL_RECORD_COMMAND_H

#include "common/output.h"
#include "libbuildid/libbuildid.h"
#include "recording.h"

/* Unless another is wanted. */
#define RECORD_RING_SIZE (4U << 20)

/**
 * struct record_request - what is wanted of a recording
 * @log: NULL: one that is removed after use if perf is all of the command, else buildid.log
 * @keep_names: as of struct annotation
 * @no_annotate: the log is all
 */
struct record_request {
	const char *log;
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
