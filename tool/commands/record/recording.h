/* SPDX-License-Identifier: GPL-2.0 */
/* Recording: a log is written while a command runs, then used or kept. */
#ifndef TOOL_RECORDING_H
#define TOOL_RECORDING_H

#include <stdbool.h>

#include "common/output.h"
#include "libbuildid/libbuildid.h"
#include "perf_watch.h"
#include "source/source.h"

/**
 * struct recording_end - how a recording ended
 * @status: for exit(3), as buildid record --help documents it
 * @signal: that killed the command, 0 for none
 */
struct recording_end {
	int status;
	int signal;
};

/**
 * struct recording_plan - what becomes of a log
 * @log: its path
 * @log_name: of it in messages; NULL: @log
 * @beside: a file the user named, where @log is that with something appended; or NULL
 * @source: of the records
 * @pids, @nr_pids: whom the command records, if not all: where nobody else's records are to be had
 * @log_chosen: by the user, or ours by a descriptor; see open_own()
 * @keep_log: else it is removed when @use has succeeded
 * @output: standard output of the command; -1 for ours
 * @is_perf: the command is perf record, or runs that alone
 * @watch: gets the records while the command runs. The command has not ended as long as
 *	a perf that was found by it runs, and what is signalled to us goes to that, too
 * @use: called when the command has ended, and the log has been written, as far as that
 *	went. @signals is from signals_open_with(). Returns false when it failed: then the
 *	log stays
 * @context: for @use
 */
struct recording_plan {
	const char *log;
	const char *log_name;
	const char *beside;
	enum source_kind source;
	const uint32_t *pids;
	uint32_t nr_pids;
	bool log_chosen;
	bool keep_log;
	int output;
	bool is_perf;
	struct perf_watch *watch;
	bool (*use)(const struct recording_plan *plan, const struct recording_end *end,
		    int signals);
	void *context;
};

/*
 * Record until @command ends, or without one until SIGINT, SIGTERM or SIGHUP. Of @options ring_size
 * may be 0.
 */
struct recording_end recording_run(struct output *out, const struct recording_plan *plan,
				   char **command, const struct buildid_options *options);

#endif
