// SPDX-License-Identifier: GPL-2.0
/*
 * buildid stale: who has to be restarted.
 *
 * Others compare inodes or look for "(deleted)": a package that was installed again is then
 * an upgrade, and a container's files are looked for on the host.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "commands/commands.h"
#include "commands/mapped_package.h"
#include "commands/open_source.h"
#include "commands/options.h"
#include "commands/print.h"
#include "commands/print_package.h"
#include "commands/print_process.h"
#include "commands/process_operand.h"
#include "common/arguments.h"
#include "common/progress.h"
#include "restart_plan.h"
#include "stale_page.h"
#include "stale_scan.h"

#define EXIT_STALE 3

static const char help[] =
	"Show processes that run a content other than what its path leads to now, in their own "
	"root: what an upgrade has replaced or removed. One line for each file: process, unit or "
	"container, the identity that runs, the one that is there now or \"deleted\", since when "
	"it is there, the path.\v"
	"Without PID or NAME all processes are looked at; what may not be looked at is counted. Contents "
	"are compared, not files: the same build installed again is not stale, nor is a file that "
	"was overwritten in place, as its processes run what is in it now. Equal identities prove "
	"nothing: then sizes are compared, and at equal size all bytes, which takes root for other "
	"users' processes; what differs has \"" PRINT_SAME_ID "\" behind its path.\n\n"
	"Exit status: 0 none is stale, 3 some are, 1 failed, 2 wrong usage.";

static const char examples[] = "buildid stale\n"
			       "systemctl restart $(buildid stale --units)\n";

struct job {
	struct output out;
	enum source_kind kind;
	struct source *source;
	struct process_layout layout;
	struct mapped_packages *packages;
	struct restart_plan plan;
	bool units, restart_plan, quiet;
	const char *html;
	struct stale_page *page; /* NULL without --html */
	struct filter filter;	 /* of which only the pids are set */
	bool full;
	bool begun;
	bool failed;
};

static void stale_fail(struct job *job, const char *object, int error)
{
	source_error(&job->out, object, job->source, error);
	job->failed = true;
}

/* On a terminal. */
static void stale_begin(struct job *job)
{
	struct output *out = &job->out;

	job->begun = true;
	out_fit(out, job->full);
	job->layout = process_layout_of(out->width, 2, 0);
	if (!out->width)
		return;
	out_begin(out);
	print_process_header(out, &job->layout);
	out_string(out, NULL, job->layout.id, "RUNS");
	out_string(out, NULL, job->layout.id, "NOW");
	out_string(out, NULL, job->layout.moment, "SINCE");
	out_string(out, NULL, 0, "PATH");
	out_end(out);
}

struct known {
	const struct packages *packages, *now;
	const char *note, *tail; /* or NULL */
};

static void stale_print(struct job *job, const struct stale *stale, const struct known *known)
{
	const struct process_layout *layout = &job->layout;
	const struct identity runs = print_identity_of(stale->runs);
	struct output *out = &job->out;

	progress_clear();
	if (!job->begun)
		stale_begin(job);
	out_begin(out);
	out_string(out, "type", OUT_HIDDEN, "stale");
	print_process(out, layout, stale->pid, stale->start_time, stale->comm);
	print_content(out, layout, "build_id", "kind", &runs);
	out_string(out, "state", OUT_HIDDEN, stale->now ? "replaced" : "deleted");
	if (stale->now) {
		print_content(out, layout, "now_build_id", "now_kind", &stale->now->identity);
	} else {
		out_null(out, "now_build_id");
		out_null(out, "now_kind");
		out_styled(out, OUT_BAD, NULL, layout->id, "deleted");
	}
	print_moment(out, layout, "since", stale->now ? stale->now->ctime : 0);
	out_string(out, "note", OUT_HIDDEN, known->note);
	print_put_path(out, stale->path, known->note, known->tail);
	print_version(out, stale->runs);
	out_number(out, "uid", OUT_HIDDEN, stale->mmap->uid);
	out_number(out, "cgroup", OUT_HIDDEN, stale->mmap->cgroup_id);
	print_package(out, "", known->packages);
	print_package(out, "now_", known->now);
	out_end(out);
}

static void stale_show(void *data, const struct stale *stale)
{
	struct job *job = data;
	const struct packages *packages, *now = NULL;
	const struct identity runs = print_identity_of(stale->runs);
	const char *note = NULL;
	char *tail;

	if (job->units || job->restart_plan) {
		if (!restart_plan_add(&job->plan, stale->pid, stale->mmap->uid, stale->comm))
			stale_fail(job, "stale", -ENOMEM);
		return;
	}
	packages = mapped_packages_find(job->packages, stale->mmap, stale->runs);
	if (stale->now)
		now = mapped_packages_now(job->packages, stale->mmap, stale->runs, stale->now);
	if (stale->now && runs.id.size && runs.kind == stale->now->identity.kind &&
	    build_id_equal(&runs.id, &stale->now->identity.id))
		note = PRINT_SAME_ID;
	tail = package_tail(packages, now);
	if (job->page)
		stale_page_add(job->page, stale, tail, note);
	else
		stale_print(job, stale, &(const struct known){ packages, now, note, tail });
	free(tail);
}

static void scan_one(struct job *job, struct stale_scan *scan, const struct listed_process *process)
{
	size_t alive = scan->alive, denied = scan->denied, skipped = scan->skipped;
	char name[32];
	int err;

	scan->pids = &process->pid;
	scan->nr_pids = 1;
	snprintf(name, sizeof(name), "pid %" PRIu32, process->pid);
	err = stale_scan(scan, job->source);
	if (!err && scan->denied > denied)
		err = -EPERM;
	if (err) {
		stale_fail(job, name, err);
	} else if (scan->skipped > skipped) {
		out_error(&job->out, name,
			  "it keeps calling exec, or keeps its address space locked");
		job->failed = true;
	} else if (scan->alive == alive && !process->called) {
		out_error(&job->out, name, "%s", process_operand_missing(process->pid));
		job->failed = true;
	}
}

static void scan_all(struct job *job, struct stale_scan *scan)
{
	int err = stale_scan(scan, job->source);

	if (!err && scan->denied && !scan->processes)
		err = -EPERM;
	if (err)
		stale_fail(job, "stale", err);
	source_note_missed("stale", err ? 0 : scan->denied, scan->skipped);
}

/* Also where all is well. */
static void stale_end(struct job *job, const struct stale_scan *scan)
{
	size_t others = 0;

	progress_clear();
	if (job->units)
		others = restart_plan_units(&job->plan, &job->out);
	if (job->restart_plan)
		restart_plan_show(&job->plan, &job->out);
	restart_plan_free(&job->plan);
	if (job->page)
		job->failed |=
			!stale_page_write(job->page, scan, job->failed, job->html, &job->out);
	if (others)
		fprintf(stderr,
			"buildid: stale: %zu processes are in no service that can be restarted; see --restart-plan\n",
			others);
	if (job->quiet)
		return;
	fprintf(stderr, "buildid: stale: %zu of %zu process%s\n", scan->stale, scan->processes,
		scan->processes == 1 ? "" : "es");
}

static int stale_run(struct job *job, struct stale_scan *scan, const struct process_list *list)
{
	size_t i;

	if (job->quiet)
		progress_disable();
	job->source = source_for(&job->out, "stale", job->kind, NULL);
	if (!job->source)
		return EXIT_FAILURE;
	job->packages = mapped_packages_new();
	if (job->html)
		job->page = stale_page_new(STALE_PAGE_MAX);
	if (!job->packages || (job->html && !job->page)) {
		stale_fail(job, "stale", -ENOMEM);
		mapped_packages_free(job->packages);
		source_close(job->source);
		return EXIT_FAILURE;
	}
	if (!list->count)
		scan_all(job, scan);
	for (i = 0; i < list->count; i++)
		scan_one(job, scan, &list->all[i]);
	stale_scan_end(scan);
	stale_end(job, scan);
	job->failed |= source_fails_by_silence(&job->out, "stale");
	mapped_packages_report(job->packages, "stale");
	mapped_packages_free(job->packages);
	stale_page_free(job->page);
	source_close(job->source);
	if (scan->unknown)
		fprintf(stderr,
			"buildid: stale: %zu mapped files were not compared: on a filesystem that "
			"does not answer, or not to be read%s\n",
			scan->unknown, geteuid() ? "; run as root" : "");
	if (scan->unsure)
		fprintf(stderr,
			"buildid: stale: %zu mapped files are not known to be what is at their path "
			"now: it has the same identity, but their bytes could not be compared%s\n",
			scan->unsure, geteuid() ? "; run as root" : "");
	if (job->failed)
		return EXIT_FAILURE;
	return scan->stale ? EXIT_STALE : EXIT_SUCCESS;
}

int cmd_stale(int argc, char **argv)
{
	struct job job = {};
	struct stale_scan scan = { .found = stale_show, .data = &job };
	const struct args_option options[] = {
		OPTION_PID(&job.filter),
		{ "temporary", 0, NULL,
		  "deleted files of /tmp, /var/tmp, /run and /dev, and those that are no ELF "
		  "files, too, as JIT compilers make them",
		  .flag = &scan.temporary },
		{ "units", 0, NULL,
		  "only the services to be restarted, one per line: systemctl restart $(buildid "
		  "stale --units)",
		  .flag = &job.units },
		{ "restart-plan", 0, NULL,
		  "only what has to be restarted, in order, as commands, or comments where no "
		  "command does it",
		  .flag = &job.restart_plan },
		{ "html", 0, "FILE", "in place of lines write a page of it", .string = &job.html },
		OPTION_FULL(&job.full),
		OPTION_QUIET(&job.quiet),
		OPTION_SOURCE(&job.kind),
		{},
	};
	const struct args args = {
		.command = "stale",
		.operands = "[PID|NAME...]",
		.max_operands = ARGS_ANY,
		.help = help,
		.examples = examples,
		.options = options,
		.out = &job.out,
	};
	char **operands = args_parse(&args, argc, argv);
	struct process_list list;
	int status = EXIT_FAILURE;

	if (job.units && job.restart_plan)
		args_error("--units", "not together with --restart-plan");
	if (job.html && (job.units || job.restart_plan))
		args_error("--html", "not together with --units and --restart-plan");
	if (job.html && job.out.json)
		args_error("--json", "not together with --html");
	process_operands(&list, &job.out, &job.filter, operands);
	job.failed = list.failed;
	/* Of those that there are, but not of all processes for none of them. */
	if (list.count || !list.failed)
		status = stale_run(&job, &scan, &list);
	process_list_free(&list);
	return status;
}
