/* SPDX-License-Identifier: GPL-2.0 */
/* Record a command: what perf writes in it is annotated when it has ended. */
#ifndef TOOL_RECORD_COMMAND_H
#define TOOL_RECORD_COMMAND_H

#include "common/output.h"
#include "libbuildid/libbuildid.h"
#include "recording.h"

/*
 * @log: NULL: one that is removed after use if perf is all of @command, else buildid.log.
 * @command ends with NULL, and may have no word. @keep_names: as of struct annotation.
 */
struct recording_end record_command(struct output *out, const char *log, bool keep_names,
				    char **command, const struct buildid_options *options);

#endif
