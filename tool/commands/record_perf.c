// SPDX-License-Identifier: GPL-2.0
/* buildid record -- perf record: the perf.data is annotated when it has ended. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "annotate.h"
#include "common/spool.h"
#include "perf_command.h"
#include "perfdata/perfdata.h"
#include "record_perf.h"
#include "recording.h"

struct session {
	struct output *out;
	struct perf_command perf;
	int spool;   /* in place of its standard output, or -1 */
	int unnamed; /* the log, beside a stream; or -1 */
};

static bool kept(struct session *session, const char *log, const char *path)
{
	out_error(session->out, log, "kept; %s is as perf wrote it", path);
	return false;
}

static bool annotate_file(struct session *session, const char *path, const char *log, int status,
			  int signals)
{
	const struct annotation annotation = {
		.path = path,
		.log = log,
		.signals = signals,
	};

	/* Why not perf has said. */
	if (status && perfdata_is_unfinished(path))
		return true;
	return annotate(session->out, &annotation) || kept(session, log, path);
}

/* As many as there are, though one of them cannot be. */
static bool annotate_files(struct session *session, const char *log, int status, int signals)
{
	bool good = true;
	char **paths;
	size_t i;

	if (!perf_command_outputs(&session->perf, &paths))
		return kept(session, log, session->perf.output);
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
		.signals = signals,
		.name = "standard output",
		.output = "-",
	};

	snprintf(path, sizeof(path), "/proc/self/fd/%d", session->spool);
	if (annotate(session->out, &annotation))
		return true;
	spool_copy(session->spool, STDOUT_FILENO);
	return false;
}

static bool use_log(const struct recording_plan *plan, int status, int signals)
{
	struct session *session = plan->context;

	if (session->spool >= 0)
		return annotate_stream(session, plan->log, signals);
	if (session->perf.many)
		return annotate_files(session, plan->log, status, signals);
	if (!perf_command_wrote(&session->perf))
		return true;
	return annotate_file(session, session->perf.output, plan->log, status, signals);
}

/* Beside perf.data, where there is room for it; without a name beside a stream. */
static char *log_beside(struct session *session)
{
	const char *output = session->perf.output;
	char *path = NULL;
	int done;

	if (strcmp(output, "-")) {
		done = asprintf(&path, "%s.buildid", output);
	} else {
		session->unnamed = spool_open();
		done = session->unnamed < 0 ? -1 :
					      asprintf(&path, "/proc/self/fd/%d", session->unnamed);
	}
	return done < 0 ? NULL : path;
}

static int run(struct session *session, const char *log, const struct buildid_options *options)
{
	bool stream = !strcmp(session->perf.output, "-");
	char *beside = log ? NULL : log_beside(session);
	struct recording_plan plan = {
		.log = log ? log : beside,
		.keep_log = log,
		.use = use_log,
		.context = session,
	};
	int status = EXIT_FAILURE;

	if (stream) {
		session->spool = spool_open();
		/* Objects are not to be mixed with the perf.data. */
		session->out->file = stderr;
	}
	plan.output = session->spool;
	if (plan.log && (!stream || session->spool >= 0))
		status = recording_run(session->out, &plan, session->perf.argv, options);
	else
		out_error(session->out, "standard output", "no room to keep it in TMPDIR");
	free(beside);
	return status;
}

int record_perf(struct output *out, const char *log, char **command,
		const struct buildid_options *options)
{
	struct session session = { .out = out, .spool = -1, .unnamed = -1 };
	int status;

	if (!perf_command_prepare(&session.perf, command)) {
		out_error(out, "memory", "out of it");
		return EXIT_FAILURE;
	}
	status = run(&session, log, options);
	if (session.spool >= 0)
		close(session.spool);
	if (session.unnamed >= 0)
		close(session.unnamed);
	perf_command_free(&session.perf);
	return status;
}
