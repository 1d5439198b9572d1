// SPDX-License-Identifier: GPL-2.0
/* buildid record: write the stream of records to a log. */

#include <getopt.h>
#include <stdlib.h>

#include "commands.h"
#include "common/arguments.h"
#include "filter.h"
#include "perf_command.h"
#include "record_perf.h"
#include "recording.h"

static const char help[] =
	"usage: buildid record [-o LOG] [--ring-size SIZE] [-p PID[,PID]...] [--children]\n"
	"                      [-u USER] [--cgroup DIR] [[--] COMMAND [ARG...]]\n"
	"\n"
	"Write all records to a log until COMMAND ends, or without one until SIGINT or\n"
	"SIGTERM. Recording begins before COMMAND does, with the mappings that exist, and\n"
	"is of the whole machine: give -p, -u or --cgroup for less. buildid mon -i LOG\n"
	"shows the log.\n"
	"\n"
	"When COMMAND is \"perf record\" the perf.data it writes is annotated when it has\n"
	"ended, see buildid annotate, and no log is left unless -o is given. perf runs with\n"
	"its options and -B, as it need not look for build-ids itself.\n"
	"\n"
	"  -o, --output LOG        the log, buildid.log if not given\n"
	"      --ring-size SIZE    bytes for records not yet written, a power of two; k\n"
	"                          and M multiply; 4M if not given\n"
	"  -p, --pid PID[,PID]...  only these processes\n"
	"      --children          those that they start, too\n"
	"  -u, --uid USER          only processes of a user, by number or name\n"
	"      --cgroup DIR        only processes in a cgroup v2, or below it\n"
	"  -h, --help              this text\n"
	"\n"
	"Exit status: COMMAND's; 128 and the signal's number when one killed it; 127 when\n"
	"there is no COMMAND of that name, 126 when it cannot be run; 1 when recording or\n"
	"annotating failed, unless COMMAND did.\n";

#define DEFAULT_LOG  "buildid.log"
#define DEFAULT_RING (4U << 20)
#define RING_MAX     (1U << 30)

struct record {
	struct output out;
	struct filter filter;
	const char *log; /* NULL: not given */
	uint64_t ring_size;
};

enum {
	RING_SIZE = 256,
	CHILDREN,
	CGROUP
};

static const struct option options[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "ring-size", required_argument, NULL, RING_SIZE },
	{ "pid", required_argument, NULL, 'p' },
	{ "children", no_argument, NULL, CHILDREN },
	{ "uid", required_argument, NULL, 'u' },
	{ "cgroup", required_argument, NULL, CGROUP },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

/* -1 to go on, else what to exit with. */
static int parse(struct record *record, int argc, char **argv)
{
	const char *wrong;
	int option;

	optind = 0;
	/* "+": options behind COMMAND are COMMAND's. */
	while ((option = getopt_long(argc, argv, "+o:p:u:h", options, NULL)) != -1) {
		switch (option) {
		case 'o':
			record->log = optarg;
			break;
		case RING_SIZE:
			if (!args_size("--ring-size", optarg, 4096, RING_MAX, &record->ring_size))
				return args_usage(argv);
			if (record->ring_size & (record->ring_size - 1))
				return args_wrong(argv, optarg, "not a power of two");
			break;
		case 'p':
			wrong = filter_add_pids(&record->filter, optarg);
			if (wrong)
				return args_wrong(argv, optarg, wrong);
			break;
		case CHILDREN:
			record->filter.children = true;
			break;
		case 'u':
			wrong = filter_set_uid(&record->filter, optarg);
			if (wrong)
				return args_wrong(argv, optarg, wrong);
			break;
		case CGROUP:
			record->filter.cgroup = optarg;
			break;
		case 'h':
			return args_help(help);
		default:
			return args_usage(argv);
		}
	}
	wrong = filter_conflict(&record->filter);
	return wrong ? args_wrong(argv, "--children", wrong) : -1;
}

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
		.ring_size = (uint32_t)record->ring_size,
		.watermark = (uint32_t)record->ring_size / 4,
	};
	int status;

	if (!filter_set_options(&record->filter, &record->out, &request))
		return EXIT_FAILURE;
	if (perf_command_is(command))
		status = record_perf(&record->out, record->log, command, &request);
	else
		status = recording_run(&record->out, &plan, command, &request);
	filter_close_options(&request);
	return status;
}

int cmd_record(int argc, char **argv)
{
	struct record record = { .ring_size = DEFAULT_RING };
	int status = parse(&record, argc, argv);

	if (status >= 0)
		return status;
	out_init(&record.out, stdout, false);
	return run(&record, argv + optind);
}
