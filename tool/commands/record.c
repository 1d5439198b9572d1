// SPDX-License-Identifier: GPL-2.0
/*
 * buildid record: write the stream of records to a log, around a command.
 *
 * When the command is perf record, its perf.data is annotated from that log at the end.
 */

#include <stdlib.h>

#include "commands.h"
#include "common/arguments.h"
#include "filter.h"
#include "options.h"
#include "perf_command.h"
#include "record_perf.h"
#include "recording.h"

static const char help[] =
	"Write all records to a log, buildid.log unless --output is given, until COMMAND ends, "
	"or without one until SIGINT or SIGTERM. Recording begins before COMMAND does, with "
	"the mappings that exist, and covers the whole machine unless --pid, --uid or --cgroup "
	"is given. buildid mon --log shows the log.\n\n"
	"When COMMAND is \"perf record\", the perf.data it writes is annotated when it has "
	"ended, see buildid annotate, and no log is left unless --output is given. perf runs "
	"with its options and -B, as it need not look for build-ids itself.\v"
	"Exit status: that of COMMAND; 128 and the number of the signal that killed it; 127 "
	"when COMMAND is not found, 126 when it cannot be run; 1 when recording or annotating "
	"failed and COMMAND did not.";

#define DEFAULT_LOG  "buildid.log"
#define DEFAULT_RING (4U << 20)

struct record {
	struct output out;
	struct filter filter;
	const char *log; /* NULL: not given */
	uint32_t ring_size;
	bool keep_names;
};

static int run(struct record *record, char **command)
{
	const struct recording_plan plan = {
		.log = record->log ? record->log : DEFAULT_LOG,
		.keep_log = true,
		.output = -1,
	};
	struct buildid_options request = {
		.size = sizeof(request),
		.flags = BUILDID_SUB_KERNEL,
		.ring_size = record->ring_size,
		.watermark = record->ring_size / 4,
	};
	int status;

	if (!filter_set_options(&record->filter, &record->out, &request))
		return EXIT_FAILURE;
	if (perf_command_is(command))
		status = record_perf(&record->out, record->log, record->keep_names, command,
				     &request);
	else
		status = recording_run(&record->out, &plan, command, &request);
	filter_close_options(&request);
	return status;
}

int cmd_record(int argc, char **argv)
{
	struct record record = { .ring_size = DEFAULT_RING };
	const struct args_option options[] = {
		OPTION_OUTPUT(&record.log),	     OPTION_RING_SIZE(&record.ring_size),
		OPTION_NO_NAMES(&record.keep_names), OPTION_PID(&record.filter),
		OPTION_CHILDREN(&record.filter),     OPTION_UID(&record.filter),
		OPTION_CGROUP(&record.filter),	     {},
	};
	const struct args args = {
		.command = "record",
		.operands = "[COMMAND [ARG...]]",
		.max_operands = ARGS_ANY,
		.stop = true,
		.help = help,
		.options = options,
		.out = &record.out,
	};
	char **command = args_parse(&args, argc, argv);

	option_check_filter(&record.filter);
	return run(&record, command);
}
