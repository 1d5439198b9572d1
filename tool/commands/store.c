// SPDX-License-Identifier: GPL-2.0
/*
 * buildid store: fill ~/.debug with the files that perf report will need.
 *
 * After a recording from what its perf.data names, or with --live while it runs, before
 * what is mapped is replaced. Each file is checked against the build-id it is stored under.
 */

#include <inttypes.h>
#include <stdlib.h>

#include "commands.h"
#include "common/arguments.h"
#include "filter.h"
#include "live.h"
#include "options.h"
#include "request_list.h"

static const char help[] =
	"Put the files that a recording used into ~/.debug, where perf report finds them by "
	"build-id, and print \"OK id path\" or \"FAIL id path: reason\" for each. A file is "
	"stored only if the build-id in it is the requested one, wherever it is found: in a "
	"process that has it mapped (deleted, or in a container), at its path, or on the "
	"servers in DEBUGINFOD_URLS. The recording is perf.data unless --input is given.\n\n"
	"With --live: copy each version of a file that is mapped now or from now on, until "
	"SIGINT or SIGTERM.\v"
	"Exit status: 1 when any failed; the others are stored nevertheless.";

struct job {
	struct output out;
	struct filter filter;
	const char *input;
	const char *directory;
	bool all;
	bool debug;
	bool no_servers;
	bool live;
	uint32_t ring_size;
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
	store.locate = locator_new(!job->no_servers && !job->live);
	if (!store.dir || !store.locate)
		out_error(&job->out, job->directory ? job->directory : "~/.debug", "%s",
			  reason.text);
	else
		status = job->live ? live_run(&store, &job->filter, job->ring_size) :
				     store_recording(job, &store);
	locator_free(store.locate);
	debug_dir_close(store.dir);
	return status;
}

static void check(const struct job *job)
{
	if (job->live && job->input)
		args_error("--live", "not together with --input");
	if (job->live && (job->all || job->debug))
		args_error("--live", "not together with --all and --debug");
	if (!job->live && (job->filter.nr_pids || job->filter.children))
		args_error("--pid", "only together with --live");
	if (!job->live && job->ring_size)
		args_error("--ring-size", "only together with --live");
	option_check_filter(&job->filter);
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
		{ "live", 0, NULL, "watch, and copy what is mapped before it is gone",
		  .flag = &job.live },
		OPTION_PID(&job.filter),
		OPTION_CHILDREN(&job.filter),
		OPTION_RING_SIZE(&job.ring_size),
		{},
	};
	const struct args args = {
		.command = "store",
		.operands = "[--input=FILE]\n--live",
		.help = help,
		.options = options,
		.out = &job.out,
	};
	char **operands = args_parse(&args, argc, argv);

	check(&job);
	job.input = option_perfdata(job.input, operands);
	return run(&job);
}
