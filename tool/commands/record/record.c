// SPDX-License-Identifier: GPL-2.0
/*
 * buildid record: write the stream of records to a log, around a command.
 *
 * When the command is perf record, its perf.data is annotated from that log at the end.
 */

#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"
#include "common/arguments.h"
#include "common/child.h"
#include "commands/filter.h"
#include "commands/options.h"
#include "record_command.h"

static const char help[] =
	"Write all records to a log, buildid.log unless --output is given, until COMMAND ends, "
	"or without one until SIGINT, SIGTERM or SIGHUP. Recording begins before COMMAND does, with "
	"the mappings that exist, and covers the whole machine unless --pid, --uid or --cgroup "
	"is given. buildid mon --log shows the log.\n\n"
	"When COMMAND is \"perf record\" or another command of perf that records, also by way "
	"of sudo, nice, timeout and the like, the perf.data it writes is annotated when it has "
	"ended, see buildid annotate, and no log is left unless --output is given. perf runs "
	"with its options and -B, as it need not look for build-ids itself. What a perf "
	"writes that COMMAND runs in another way, as a script does, is annotated, too.\v"
	"A log that exists already is replaced, another file is not. Without COMMAND the log may "
	"be -, standard output.\n\n"
	"Signals are passed on: SIGINT, SIGTERM, SIGHUP and SIGQUIT end COMMAND, and then "
	"what it has written is annotated; SIGUSR2 makes perf write a snapshot.\n\n"
	"Exit status: that of COMMAND, or it ends by the signal that killed COMMAND; 127 "
	"when COMMAND is not found, 126 when it cannot be run; 1 when recording or annotating "
	"failed and COMMAND did not.";

#define DEFAULT_RING (4U << 20)

struct record {
	struct output out;
	struct filter filter;
	struct record_request request;
	bool tasks;
	uint32_t ring_size;
};

static int record_run(struct record *record, char **command)
{
	struct buildid_options request = {
		.size = sizeof(request),
		.flags = BUILDID_SUB_KERNEL | (record->tasks ? BUILDID_SUB_TASKS : 0),
		.ring_size = record->ring_size,
		.watermark = record->ring_size / 4,
	};
	struct recording_end end;

	if (!filter_set_options(&record->filter, &record->out, &request))
		return EXIT_FAILURE;
	end = record_command(&record->out, &record->request, command, &request);
	filter_close_options(&request);
	if (end.signal)
		child_end_alike(end.signal);
	return end.status;
}

/* As perf has it, "-" is standard output. */
static void check_output(struct record *record, char *const *command)
{
	if (!record->request.log || strcmp(record->request.log, "-") != 0)
		return;
	if (*command)
		args_error("-", "standard output is the command's; write the log to a file");
	/* Objects are not to be mixed with the log. */
	record->out.file = stderr;
}

int cmd_record(int argc, char **argv)
{
	struct record record = { .ring_size = DEFAULT_RING };
	const struct args_option options[] = {
		OPTION_OUTPUT(&record.request.log),
		OPTION_RING_SIZE(&record.ring_size),
		OPTION_NO_NAMES(&record.request.keep_names),
		{ "no-annotate", 0, NULL, "leave what perf writes as it is, for later",
		  .flag = &record.request.no_annotate },
		OPTION_PID(&record.filter),
		OPTION_CHILDREN(&record.filter),
		OPTION_UID(&record.filter),
		OPTION_CGROUP(&record.filter),
		OPTION_TASKS(&record.tasks),
		{},
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
	check_output(&record, command);
	return record_run(&record, command);
}
