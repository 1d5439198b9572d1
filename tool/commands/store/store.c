// SPDX-License-Identifier: GPL-2.0
/*
 * buildid store: fill ~/.debug with the files that perf report will need.
 *
 * After a recording from what its perf.data names, or with --live while it runs, before
 * what is mapped is replaced. Each file is checked against the build-id it is stored under.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "commands/commands.h"
#include "common/arguments.h"
#include "common/supervise.h"
#include "commands/filter.h"
#include "live.h"
#include "commands/options.h"
#include "request_list.h"

static const char help[] =
	"Put the files that a recording used into ~/.debug, where perf report, gdb and LLVM find "
	"them by build-id, and print \"OK id path\" or \"FAIL id path: reason\" for each, \"SKIP\" "
	"for a module that was not loaded from /lib/modules. A file is stored only if the "
	"build-id in it is the requested one, wherever it is found: at its path, in a process "
	"that has it mapped (deleted, or in a container), or on the servers in DEBUGINFOD_URLS. "
	"The recording is perf.data unless --input is given.\n\n"
	"With --live: copy each version of a file that is mapped now or from now on, until "
	"SIGINT, SIGTERM or SIGHUP, with a nice value of -10 where that is allowed. SIGUSR1 "
	"prints how many were stored. One process at a time does so in a directory.\v"
	"Exit status: 1 when any failed; the others are stored nevertheless.";

static const char examples[] = "buildid store perf.data\n"
			       "buildid store --live --max-size=1G\n";

#define MAX_SIZE_LEAST (1U << 20)

struct job {
	struct output out;
	struct filter filter;
	const char *input;
	const char *directory;
	bool all;
	bool debug;
	bool no_servers;
	bool live;
	bool quiet;
	uint32_t ring_size;
	uint64_t max_size;
};

static int store_recording(const struct job *job, struct store_job *store)
{
	struct request_list list;

	if (!request_list_read(&list, store->out, job->input, job->all))
		return EXIT_FAILURE;
	store->quiet = job->quiet;
	store_requests(store, &list);
	request_list_free(&list);
	if (!job->quiet)
		fprintf(stderr,
			"buildid: %s: %" PRIu64 " stored, %" PRIu64 " kept, %" PRIu64
			" failed, %" PRIu64 " skipped\n",
			job->input, store->stored - store->kept, store->kept, store->failed,
			store->skipped);
	return store->failed ? EXIT_FAILURE : EXIT_SUCCESS;
}

static int store_run(struct job *job)
{
	struct store_job store = { .out = &job->out, .debug = job->debug };
	struct reason reason = { "out of memory" };
	int status = EXIT_FAILURE;

	store.dir = debug_dir_open(job->directory, true, &reason);
	store.locate = locator_new(!job->no_servers && !job->live);
	if (!store.dir || !store.locate)
		out_error(&job->out, job->directory ? job->directory : "~/.debug", "%s",
			  reason.text);
	else
		status = job->live ? live_run(&store, &job->filter, job->ring_size, job->max_size) :
				     store_recording(job, &store);
	locator_free(store.locate);
	debug_dir_close(store.dir);
	return status;
}

static void store_check(const struct job *job)
{
	if (job->live && job->input)
		args_error("--live", "not together with a perf.data");
	if (job->live && job->quiet)
		args_error("--live", "not together with --quiet");
	if (job->live && (job->all || job->debug))
		args_error("--live", "not together with --all and --debug");
	if (!job->live && (job->filter.nr_pids || job->filter.children))
		args_error("--pid", "only together with --live");
	if (!job->live && job->ring_size)
		args_error("--ring-size", "only together with --live");
	if (!job->live && job->max_size)
		args_error("--max-size", "only together with --live");
	option_check_filter(&job->filter);
}

static const char *parse_max_size(void *size, const char *value)
{
	return args_size(value, size) && *(uint64_t *)size >= MAX_SIZE_LEAST ? NULL :
									       "not a size from 1M";
}

int cmd_store(int argc, char **argv)
{
	struct job job = {};
	const struct args_option options[] = {
		OPTION_INPUT(&job.input),
		OPTION_ALL(&job.all),
		OPTION_DEBUG(&job.debug),
		OPTION_NO_DEBUGINFOD(&job.no_servers),
		OPTION_DIR(&job.directory),
		{ "quiet", 'q', NULL, "print what fails, and nothing else", .flag = &job.quiet },
		{ "live", 0, NULL, "watch, and copy what is mapped before it is gone",
		  .flag = &job.live },
		OPTION_PID(&job.filter),
		OPTION_CHILDREN(&job.filter),
		OPTION_RING_SIZE(&job.ring_size),
		{ "max-size", 0, "SIZE",
		  "what --live may store; the least recently used is removed, but nothing that is "
		  "mapped, and nothing that others put there; k, M and G multiply",
		  .parse = parse_max_size, .to = &job.max_size },
		{},
	};
	const struct args args = {
		.command = "store",
		.operands = "[PERF_DATA]\n--live",
		.max_operands = 1,
		.help = help,
		.examples = examples,
		.options = options,
		.out = &job.out,
	};
	char **operands = args_parse(&args, argc, argv);

	option_recorded(operands, &job.input, NULL);
	store_check(&job);
	if (!job.input)
		job.input = "perf.data";
	/* store --live has a worker. */
	if (!job.live)
		supervise();
	return store_run(&job);
}
