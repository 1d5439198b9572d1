// SPDX-License-Identifier: GPL-2.0
/* buildid store: fill ~/.debug with what was used. */

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>

#include "commands.h"
#include "common/arguments.h"
#include "filter.h"
#include "live.h"
#include "request_list.h"

static const char help[] =
	"usage: buildid store [-i FILE] [-a] [-g] [--dir DIR] [--no-debuginfod] [-j]\n"
	"       buildid store --live [-p PID[,PID]...] [--dir DIR] [-j]\n"
	"\n"
	"Put the files that were used into ~/.debug, where perf report looks for them by\n"
	"build-id, and say for each \"OK id path\" or \"FAIL id path: reason\". A file is\n"
	"taken only when the build-id in it is the one request, be it found in a process\n"
	"that has it mapped (deleted, or in a container), at its path, or by the servers\n"
	"in DEBUGINFOD_URLS.\n"
	"\n"
	"  -i, --input FILE        a perf.data, or a directory that perf made of one;\n"
	"                          perf.data if not given\n"
	"  -a, --all               what has no sample in it, too\n"
	"  -g, --debug             the debug file of what has no symbols, too, by\n"
	"                          debuginfod if need be\n"
	"      --no-debuginfod     ask no server\n"
	"      --live              watch what is mapped from now on, and what is mapped\n"
	"                          now, and keep a copy of each version of a file before\n"
	"                          it is gone; until SIGINT or SIGTERM\n"
	"  -p, --pid PID[,PID]...  with --live: only these processes and their children\n"
	"      --dir DIR           in place of ~/.debug\n"
	"  -j, --json              one object per line\n"
	"  -h, --help              this text\n"
	"\n"
	"Exit status: 1 when any failed; all others are done nevertheless.\n";

struct job {
	struct output out;
	struct filter filter;
	const char *input;
	const char *directory;
	bool all;
	bool debug;
	bool servers;
	bool live;
};

static int store_recording(const struct job *job, struct store_job *store)
{
	struct request_list list;

	if (!request_list_read(&list, store->out, job->input, job->all))
		return EXIT_FAILURE;
	store_requests(store, &list);
	request_list_free(&list);
	return store->failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int run(struct job *job)
{
	struct store_job store = { .out = &job->out, .debug = job->debug };
	struct reason reason = { "out of memory" };
	int status = EXIT_FAILURE;

	store.dir = debug_dir_open(job->directory, true, &reason);
	store.locate = locator_new(job->servers && !job->live);
	if (!store.dir || !store.locate)
		out_error(&job->out, job->directory ? job->directory : "~/.debug", "%s",
			  reason.text);
	else
		status = job->live ? live_run(&store, &job->filter) : store_recording(job, &store);
	locator_free(store.locate);
	debug_dir_close(store.dir);
	return status;
}

enum {
	DIR_ = 256,
	NO_DEBUGINFOD,
	LIVE
};

static const struct option options[] = {
	{ "input", required_argument, NULL, 'i' },
	{ "all", no_argument, NULL, 'a' },
	{ "debug", no_argument, NULL, 'g' },
	{ "no-debuginfod", no_argument, NULL, NO_DEBUGINFOD },
	{ "live", no_argument, NULL, LIVE },
	{ "pid", required_argument, NULL, 'p' },
	{ "dir", required_argument, NULL, DIR_ },
	{ "json", no_argument, NULL, 'j' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

/* -1 to go on, else what to exit with. */
static int check(const struct job *job, int argc, char **argv)
{
	if (optind < argc)
		return args_wrong(argv, argv[optind], "store takes no argument");
	if (job->live && job->input)
		return args_wrong(argv, "--live", "not together with --input");
	if (job->live && (job->all || job->debug))
		return args_wrong(argv, "--live", "not together with --all or --debug");
	if (!job->live && job->filter.nr_pids)
		return args_wrong(argv, "--pid", "only together with --live");
	return -1;
}

int cmd_store(int argc, char **argv)
{
	struct job job = { .servers = true };
	const char *wrong;
	bool json = false;
	int status;
	int option;

	optind = 0;
	while ((option = getopt_long(argc, argv, "i:agp:jh", options, NULL)) != -1) {
		switch (option) {
		case 'i':
			job.input = optarg;
			break;
		case 'a':
			job.all = true;
			break;
		case 'g':
			job.debug = true;
			break;
		case NO_DEBUGINFOD:
			job.servers = false;
			break;
		case LIVE:
			job.live = true;
			break;
		case 'p':
			wrong = filter_add_pids(&job.filter, optarg);
			if (wrong)
				return args_wrong(argv, optarg, wrong);
			break;
		case DIR_:
			job.directory = optarg;
			break;
		case 'j':
			json = true;
			break;
		case 'h':
			return args_help(help);
		default:
			return args_usage(argv);
		}
	}
	status = check(&job, argc, argv);
	if (status >= 0)
		return status;
	if (!job.input)
		job.input = "perf.data";
	out_init(&job.out, stdout, json);
	return run(&job);
}
