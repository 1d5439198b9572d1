// SPDX-License-Identifier: GPL-2.0
/*
 * buildid record -- perf record: perf runs inside a recording, and its perf.data is
 * annotated from the log when it has ended. A log that could not be used is kept.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "annotate.h"
#include "common/copy.h"
#include "common/temporary.h"
#include "perf_command.h"
#include "perfdata/perfdata.h"
#include "record_perf.h"
#include "recording.h"

struct session {
	struct output *out;
	struct perf_command perf;
	bool keep_names;
	int stream;	/* a temporary file as perf's standard output, or -1 */
	int stream_log; /* its log, or -1 */
};

static bool keep_log(struct session *session, const char *log, const char *path)
{
	out_error(session->out, log, "kept, as %s is not annotated; see: buildid help annotate",
		  path);
	return false;
}

static bool annotate_file(struct session *session, const char *path, const char *log, int status,
			  int signals)
{
	const struct annotation annotation = {
		.path = path,
		.log = log,
		.keep_names = session->keep_names,
		.signals = signals,
	};

	/* perf has failed, and said why. */
	if (status && perfdata_is_unfinished(path))
		return true;
	return annotate(session->out, &annotation) || keep_log(session, log, path);
}

/* All of them, even if one fails. */
static bool annotate_files(struct session *session, const char *log, int status, int signals)
{
	bool good = true;
	char **paths;
	size_t i;

	if (!perf_command_outputs(&session->perf, &paths))
		return keep_log(session, log, session->perf.output);
	for (i = 0; paths[i]; i++)
		if (!annotate_file(session, paths[i], log, status, signals))
			good = false;
	perf_command_free_outputs(paths);
	return good;
}

static bool annotate_stream(struct session *session, const char *log, int signals)
{
	char path[32];
	const struct annotation annotation = {
		.path = path,
		.log = log,
		.keep_names = session->keep_names,
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

static bool use_log(const struct recording_plan *plan, int status, int signals)
{
	struct session *session = plan->context;

	if (session->stream >= 0)
		return annotate_stream(session, plan->log, signals);
	if (session->perf.many)
		return annotate_files(session, plan->log, status, signals);
	if (!perf_command_wrote(&session->perf))
		return true;
	return annotate_file(session, session->perf.output, plan->log, status, signals);
}

/*
 * A log is written beside the perf.data, where there is room for it. What goes to
 * standard output is annotated on its way: both files are temporary then.
 */
static bool plan_files(struct session *session, struct recording_plan *plan, char **path)
{
	if (strcmp(session->perf.output, "-"))
		return plan->log || asprintf(path, "%s.buildid", session->perf.output) >= 0;
	/* Objects are not to be mixed with the perf.data. */
	session->out->file = stderr;
	session->stream = plan->output = temporary_unnamed();
	if (session->stream < 0 || plan->log)
		return session->stream >= 0;
	session->stream_log = temporary_unnamed();
	return session->stream_log >= 0 &&
	       asprintf(path, "/proc/self/fd/%d", session->stream_log) >= 0;
}

int record_perf(struct output *out, const char *log, bool keep_names, char **command,
		const struct buildid_options *options)
{
	struct session session = {
		.out = out,
		.keep_names = keep_names,
		.stream = -1,
		.stream_log = -1,
	};
	struct recording_plan plan = {
		.log = log,
		.keep_log = log,
		.output = -1,
		.use = use_log,
		.context = &session,
	};
	int status = EXIT_FAILURE;
	char *path = NULL;

	if (!perf_command_prepare(&session.perf, command)) {
		out_error(out, "record", "%s", strerror(ENOMEM));
		return EXIT_FAILURE;
	}
	if (plan_files(&session, &plan, &path)) {
		plan.log = log ? log : path;
		status = recording_run(out, &plan, session.perf.argv, options);
	} else {
		out_error(out, "standard output",
			  "no temporary file for it; set TMPDIR to a directory with room");
	}
	free(path);
	if (session.stream >= 0)
		close(session.stream);
	if (session.stream_log >= 0)
		close(session.stream_log);
	perf_command_free(&session.perf);
	return status;
}
