// SPDX-License-Identifier: GPL-2.0
/* Report profile: read and named once, for all that is to be made of it. */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands/page/page.h"
#include "flame_graph.h"
#include "recording_losses.h"
#include "report_page.h"
#include "report_profile.h"

/* How a file that is replaced has to begin. */
#define SVG_MAGIC "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg class=\"flame\""

struct profiling {
	const struct report_profile *job;
	struct perfdata *data;
	struct stacks stacks;
	struct report_page page;
	struct flame_losses narrow;
	struct content_files files;
};

static bool put_graph(FILE *file, void *data)
{
	struct profiling *profiling = data;

	return flame_graph_file(file, &profiling->stacks, &profiling->narrow);
}

static bool report_profile_read(struct profiling *profiling)
{
	const struct report_profile *job = profiling->job;
	const char *problem = NULL;

	profiling->data = perfdata_open(job->input);
	if (!profiling->data || !stacks_read(&profiling->stacks, profiling->data))
		problem = profiling->data ? perfdata_error(profiling->data) : NULL;
	else if (!profiling->stacks.samples)
		problem = "has no samples with an address";
	else if (content_files_open(&profiling->files, job->directory, job->no_servers) &&
		 location_names_find(&profiling->stacks, &profiling->files,
				     &profiling->page.losses))
		return true;
	out_error(job->out, job->input, "%s", problem ? problem : strerror(ENOMEM));
	return false;
}

static void say_losses(const struct profiling *profiling)
{
	const struct location_losses *unnamed = &profiling->page.losses;

	recording_losses_say(profiling->job->input,
			     perfdata_profile_losses(profiling->stacks.profile));
	if (unnamed->files)
		fprintf(stderr,
			"buildid: %s: %zu contents without a file, and so without names of functions; "
			"see: buildid help store\n",
			profiling->job->input, unnamed->files);
	if (profiling->narrow.frames)
		fprintf(stderr,
			"buildid: %s: %" PRIu64
			" frames too narrow, or deeper than %d, to be drawn\n",
			profiling->job->flamegraph, profiling->narrow.frames, FLAME_DEPTH_MAX);
	if (unnamed->unread)
		fprintf(stderr,
			"buildid: %s: %" PRIu64
			" places in files that could not be read to the end\n",
			profiling->job->input, unnamed->unread);
}

int report_profile_run(const struct report_profile *job)
{
	struct profiling profiling = { .job = job };
	bool good = report_profile_read(&profiling);

	profiling.page.stacks = &profiling.stacks;
	profiling.page.input = job->input;
	if (good) {
		if (job->html)
			good = report_page_write(&profiling.page, job->html, job->out);
		if (job->flamegraph)
			good &= page_file_write(job->flamegraph, SVG_MAGIC, put_graph, &profiling,
						job->out);
		if (job->folded)
			flame_graph_fold(stdout, &profiling.stacks);
		say_losses(&profiling);
	}
	content_files_close(&profiling.files);
	stacks_free(&profiling.stacks);
	perfdata_close(profiling.data);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
