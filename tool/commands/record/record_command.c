// SPDX-License-Identifier: GPL-2.0
/*
 * Record a command: if it is perf record, or runs it, perf's output is annotated from the
 * log when it has ended. A log that could not be used is kept.
 *
 * Where the command line says that perf is run, by whatever program, perf gets -B with its
 * options: then it does not look for build-ids at its end, which is what annotate does.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "commands/annotate.h"
#include "common/array.h"
#include "common/child.h"
#include "common/copy.h"
#include "common/temporary.h"
#include "perfdata/perfdata.h"
#include "perf_line.h"
#include "perf_output.h"
#include "perf_watch.h"
#include "record_command.h"

#define DEFAULT_LOG "buildid.log"
/* Of a file without a name. */
#define STREAM_LOG_NAME "the log of standard output"

struct session {
	struct output *out;
	const struct record_request *request;
	enum perf_line_kind kind;
	struct perf_line line;
	struct perf_output outputs[PERF_LINE_OUTPUTS]; /* by the line */
	size_t nr_outputs;
	struct perf_watch watch;
	char **argv;
	bool to_stdout;
	int stream;	/* a temporary file as perf's standard output, or -1 */
	int stream_log; /* its log, or -1 */
};

/* A recording that is being annotated. */
struct use {
	struct session *session;
	const char *log;
	const struct recording_end *end;
	int signals;
	struct stat *done; /* what was found so far */
	size_t nr_done;
	bool failed;
};

/* ------------------------------------------------------------- annotate -- */

static bool keep_log(struct session *session, const char *log, const char *path)
{
	out_error(session->out, log, "kept, as %s is not annotated; see: buildid help annotate",
		  path);
	return false;
}

static bool annotate_file(const struct use *use, const char *path)
{
	const struct annotation annotation = {
		.path = path,
		.log = use->log,
		.keep_names = use->session->request->keep_names,
		.signals = use->signals,
	};

	/* perf has failed, and said why. */
	if (use->end->status && perfdata_is_unfinished(path))
		return true;
	return annotate(use->session->out, &annotation) || keep_log(use->session, use->log, path);
}

/* By the command line and by the process two paths may lead to one file. */
static bool is_done(const struct use *use, const struct stat *status)
{
	size_t i;

	for (i = 0; i < use->nr_done; i++)
		if (use->done[i].st_ino == status->st_ino && use->done[i].st_dev == status->st_dev)
			return true;
	return false;
}

/* Once annotated it is another file. */
static void note_done(struct use *use, const char *path)
{
	struct stat status;

	if (!stat(path, &status) && array_reserve(use->done, use->nr_done))
		use->done[use->nr_done++] = status;
}

/* All of them, even if one fails. */
static void annotate_written(struct use *use, const struct perf_output *output)
{
	char **paths = perf_output_written(output);
	struct stat status;
	size_t i;

	if (!paths) {
		keep_log(use->session, use->log, output->path);
		use->failed = true;
		return;
	}
	for (i = 0; paths[i]; i++) {
		if (stat(paths[i], &status) || is_done(use, &status))
			continue;
		if (!annotate_file(use, paths[i]))
			use->failed = true;
		note_done(use, paths[i]);
	}
	perf_output_free_paths(paths);
}

static bool report_pipes(const struct use *use)
{
	const struct perf_watch *watch = &use->session->watch;
	bool any = false;
	size_t i;

	for (i = 0; i < watch->nr_seen && !any; i++)
		any = !watch->seen[i].nr_outputs;
	if (any)
		out_error(use->session->out, "perf",
			  "not annotated, as it wrote to a pipe; give it -o FILE");
	return any;
}

static bool report_nothing(const struct use *use)
{
	struct session *session = use->session;
	bool certain = session->line.certain || session->watch.nr_seen;

	if (session->kind == PERF_LINE_NONE && !certain)
		return true;
	if (!certain) {
		out_error(session->out, "record",
			  "nothing is annotated, as the command does not "
			  "record with perf as far as can be seen");
		return true;
	}
	/* perf has failed, and said why. */
	if (use->end->status && !use->end->signal)
		return true;
	out_error(session->out, session->nr_outputs ? session->outputs[0].path : "perf",
		  "nothing was written as far as can be seen");
	return keep_log(session, use->log, "what perf wrote");
}

static bool annotate_stream(struct session *session, const char *log, int signals)
{
	char path[32];
	const struct annotation annotation = {
		.path = path,
		.log = log,
		.log_name = session->stream_log < 0 ? NULL : STREAM_LOG_NAME,
		.keep_names = session->request->keep_names,
		.signals = signals,
		.name = "standard output",
		.output = "-",
	};

	snprintf(path, sizeof(path), "/proc/self/fd/%d", session->stream);
	if (annotate(session->out, &annotation))
		return true;
	copy_stream(session->stream, STDOUT_FILENO);
	return false;
}

static bool use_log(const struct recording_plan *plan, const struct recording_end *end, int signals)
{
	struct session *session = plan->context;
	const struct perf_watch *watch = &session->watch;
	struct use use = {
		.session = session,
		.log = plan->log,
		.end = end,
		.signals = signals,
	};
	size_t i, j;

	if (session->request->no_annotate)
		return true;
	if (session->stream >= 0)
		return annotate_stream(session, plan->log, signals);
	for (i = 0; i < session->nr_outputs; i++)
		annotate_written(&use, &session->outputs[i]);
	for (i = 0; i < watch->nr_seen; i++)
		for (j = 0; j < watch->seen[i].nr_outputs; j++)
			annotate_written(&use, &watch->seen[i].outputs[j]);
	free(use.done);
	if (!report_pipes(&use) && !use.nr_done && !use.failed)
		return report_nothing(&use);
	return !use.failed;
}

/* -------------------------------------------------------------- prepare -- */

/* Then perf writes to it, unless -o says something else. */
static bool stdout_is_pipe(void)
{
	struct stat status;

	return !fstat(STDOUT_FILENO, &status) && S_ISFIFO(status.st_mode);
}

/* The command with our options added. */
static bool make_argv(struct session *session, char *const *command, bool piped)
{
	static char no_build_ids[] = "-B", to[] = "-o", standard_output[] = "-";
	const struct perf_line *line = &session->line;
	size_t count = 0, from = 0, at = 0;

	while (command[count])
		count++;
	session->argv = calloc(count + 4, sizeof(*session->argv));
	if (!session->argv)
		return false;
	if (line->certain && line->options) {
		while (from < line->options)
			session->argv[at++] = command[from++];
		session->argv[at++] = no_build_ids;
		if (piped) {
			session->argv[at++] = to;
			session->argv[at++] = standard_output;
		}
	}
	memcpy(session->argv + at, command + from, (count - from) * sizeof(*command));
	return true;
}

static bool record_command_prepare(struct session *session, char *const *command)
{
	const struct perf_line *line = &session->line;
	bool piped;
	size_t i;

	if (!session->request->no_annotate)
		session->kind = perf_line_parse(&session->line, command);
	if (session->kind != PERF_LINE_RECORD)
		session->line = (struct perf_line){};
	piped = line->options && !line->named && !line->own_name && stdout_is_pipe();
	session->to_stdout = line->certain &&
			     (piped || (line->nr_outputs && !strcmp(line->outputs[0], "-")));
	for (i = 0; i < line->nr_outputs; i++) {
		if (session->to_stdout || !strcmp(line->outputs[i], "-"))
			continue;
		if (!perf_output_look(&session->outputs[session->nr_outputs++], line->outputs[i]))
			return false;
	}
	return make_argv(session, command, piped);
}

/* Both files are temporary, as what is annotated goes to standard output. */
static bool plan_stream(struct session *session, struct recording_plan *plan, char **path)
{
	/* Objects are not to be mixed with the perf.data. */
	session->out->file = stderr;
	session->stream = plan->output = temporary_unnamed();
	if (session->stream < 0 || plan->log)
		return session->stream >= 0;
	session->stream_log = temporary_unnamed();
	plan->log_chosen = true;
	plan->log_name = STREAM_LOG_NAME;
	return session->stream_log >= 0 &&
	       asprintf(path, "/proc/self/fd/%d", session->stream_log) >= 0;
}

static bool plan_files(struct session *session, struct recording_plan *plan, char **path)
{
	plan->is_perf = session->line.certain;
	plan->keep_log = plan->log || !plan->is_perf;
	if (session->to_stdout)
		return plan_stream(session, plan, path);
	if (plan->log)
		return true;
	/* Beside the perf.data there is room for it. */
	if (session->line.certain) {
		plan->beside = session->outputs[0].path;
		return asprintf(path, "%s.buildid", session->outputs[0].path) >= 0;
	}
	*path = strdup(DEFAULT_LOG);
	return *path;
}

static void clean_up(struct session *session)
{
	size_t i;

	if (session->stream >= 0)
		close(session->stream);
	if (session->stream_log >= 0)
		close(session->stream_log);
	for (i = 0; i < session->nr_outputs; i++)
		perf_output_free(&session->outputs[i]);
	perf_watch_free(&session->watch);
	free(session->argv);
}

int record_command(struct output *out, const struct record_request *request, char **command,
		   const struct buildid_options *options)
{
	struct session session = {
		.out = out,
		.request = request,
		.stream = -1,
		.stream_log = -1,
	};
	struct recording_plan plan = {
		.log = request->log,
		.log_chosen = request->log,
		.source = request->source,
		.pids = request->pids,
		.nr_pids = request->nr_pids,
		.output = -1,
		.use = use_log,
		.context = &session,
		.watch = &session.watch,
	};
	struct recording_end end = { .status = EXIT_FAILURE };
	char *path = NULL;

	clock_gettime(CLOCK_REALTIME_COARSE, &session.watch.since);
	if (!record_command_prepare(&session, command)) {
		out_error(out, "record", "%s", strerror(ENOMEM));
	} else if (plan_files(&session, &plan, &path)) {
		if (!plan.log)
			plan.log = path;
		end = recording_run(out, &plan, session.argv, options);
	} else {
		out_error(out, "standard output",
			  "no temporary file for it; set TMPDIR to a directory with room");
	}
	free(path);
	clean_up(&session);
	if (end.signal)
		child_end_alike(end.signal);
	return end.status;
}
