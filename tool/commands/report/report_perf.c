// SPDX-License-Identifier: GPL-2.0
/*
 * Report perf: what buildid store does comes first, by itself, as a process of its own. Of its
 * lines only those of files that are missing are passed on: perf shows addresses there.
 */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "commands/perf_program.h"
#include "common/child.h"
#include "report_perf.h"

#define SELF "/proc/self/exe"
/* More of them are only counted. */
#define MISSING_SHOWN 20

static char *changeable(const char *word)
{
	return (char *)(uintptr_t)word;
}

/* Whether there are any lines. */
static bool pass_on(FILE *lines, const char *input)
{
	uint64_t stored = 0, missing = 0;
	char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, lines) > 0) {
		if (strncmp(line, "FAIL ", 5) != 0)
			stored++;
		else if (missing++ < MISSING_SHOWN)
			fprintf(stderr, "buildid: %s", line + 5);
	}
	free(line);
	if (missing)
		fprintf(stderr,
			"buildid: %s: %" PRIu64 " files are in place, %" PRIu64 " missing\n", input,
			stored, missing);
	return stored || missing;
}

/* False when there is no use in going on. */
static bool report_perf_store(const struct report_perf *job)
{
	char *command[8] = { changeable(SELF), changeable("store"), changeable("--input"),
			     changeable(job->input) };
	size_t count = 4;
	int ends[2], status, error;
	FILE *lines;
	bool any;
	pid_t child;

	if (job->directory) {
		command[count++] = changeable("--dir");
		command[count++] = changeable(job->directory);
	}
	if (job->no_servers)
		command[count++] = changeable("--no-debuginfod");
	if (pipe2(ends, O_CLOEXEC)) {
		out_error(job->out, "store", "%s", strerror(errno));
		return false;
	}
	error = child_start(command, ends[1], &child);
	close(ends[1]);
	lines = error ? NULL : fdopen(ends[0], "r");
	if (error || !lines) {
		out_error(job->out, "store", "%s", strerror(error ? error : errno));
		close(ends[0]);
		return false;
	}
	any = pass_on(lines, job->input);
	fclose(lines);
	if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return false;
	/* Without a line it has failed, and said why: the recording cannot be read. */
	return any || !WEXITSTATUS(status);
}

static int perf_run(const struct report_perf *job)
{
	size_t count = 0, options = 0;
	char **command;

	while (job->options[options])
		options++;
	command = calloc(options + 8, sizeof(*command));
	if (!command) {
		out_error(job->out, "perf", "%s", strerror(ENOMEM));
		return EXIT_FAILURE;
	}
	command[count++] = changeable("perf");
	if (job->directory) {
		command[count++] = changeable("--buildid-dir");
		command[count++] = changeable(job->directory);
	}
	command[count++] = changeable("report");
	command[count++] = changeable("--input");
	command[count++] = changeable(job->input);
	memcpy(command + count, job->options, options * sizeof(*command));
	execvp(command[0], command);
	out_error(job->out, "perf", "%s", perf_program_reason("perf", errno));
	free(command);
	return EXIT_FAILURE;
}

int report_perf_run(const struct report_perf *job)
{
	return report_perf_store(job) ? perf_run(job) : EXIT_FAILURE;
}
