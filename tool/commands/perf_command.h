/* SPDX-License-Identifier: GPL-2.0 */
/* Perf command: what a perf record on the command line is going to write. */
#ifndef TOOL_PERF_COMMAND_H
#define TOOL_PERF_COMMAND_H

#include <stdbool.h>
#include <sys/stat.h>

/**
 * struct perf_command - perf record, as it is to be run
 * @argv: the command with what it needs besides; ends with NULL
 * @output: the file or directory it writes, as from here; "-" for standard output
 * @many: it writes several, with a time behind that name
 * @there: of these, names that were there before
 * @before: of @output, before perf ran
 * @was_there: @before is set
 */
struct perf_command {
	char **argv;
	const char *output;
	bool many;
	char **there;
	struct stat before;
	bool was_there;
};

/* Whether @command, which ends with NULL, is perf record. */
bool perf_command_is(char *const *command);
/* Fill @perf; false without memory. */
bool perf_command_prepare(struct perf_command *perf, char *const *command);
void perf_command_free(struct perf_command *perf);
/* Whether perf has written its output since. */
bool perf_command_wrote(const struct perf_command *perf);
/* The several that it has written, in order, up to NULL; false when nobody can tell. */
bool perf_command_outputs(const struct perf_command *perf, char ***paths);
void perf_command_free_outputs(char **paths);

#endif
