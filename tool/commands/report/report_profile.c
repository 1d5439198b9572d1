// SPDX-License-Identifier: GPL-2.0
/* Report profile: read and named once, for all that is to be made of it. */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/open_own.h"
#include "flame_graph.h"
#include "page.h"
#include "recording_losses.h"
#include "report_profile.h"

/* How a file that is replaced has to begin. */
#define HTML_MAGIC "<!DOCTYPE html>\n<!-- buildid report;"
#define SVG_MAGIC  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg class=\"flame\""

struct profiling {
	const struct report_profile *job;
	struct perfdata *data;
	struct stacks stacks;
	struct page page;
	struct content_files files;
};

static bool put_page(FILE *file, struct profiling *profiling)
{
	return page_put(file, &profiling->page);
}

static bool put_graph(FILE *file, struct profiling *profiling)
{
	struct flame_losses unused;

	return flame_graph_file(file, &profiling->stacks, &unused);
}

static bool report_profile_write(struct profiling *profiling, const char *path, const char *magic,
				 bool (*put)(FILE *file, struct profiling *profiling))
{
	struct reason reason;
	int fd, err = 0;
	FILE *file;

	if (!path)
		return true;
	fd = open_own(path, true, magic, strlen(magic), &reason);
	if (fd < 0) {
		out_error(profiling->job->out, path, "%s", reason.text);
		return false;
	}
	file = fdopen(fd, "w");
	if (!file)
		close(fd);
	if (!file || !put(file, profiling))
		err = ENOMEM;
	else if (ferror(file))
		err = EIO;
	if (file && fclose(file) && !err)
		err = errno;
	if (err)
		out_error(profiling->job->out, path, "%s", strerror(err));
	return !err;
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
		good = report_profile_write(&profiling, job->html, HTML_MAGIC, put_page);
		good &= report_profile_write(&profiling, job->flamegraph, SVG_MAGIC, put_graph);
		if (job->folded)
			flame_graph_fold(stdout, &profiling.stacks);
		say_losses(&profiling);
	}
	content_files_close(&profiling.files);
	stacks_free(&profiling.stacks);
	perfdata_close(profiling.data);
	return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
