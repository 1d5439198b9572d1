/* SPDX-License-Identifier: GPL-2.0 */
/* Perf command: which perf.data a perf record on the command line writes. */
#ifndef TOOL_PERF_COMMAND_H
#define TOOL_PERF_COMMAND_H

#include <stdbool.h>
#include <sys/stat.h>

/**
 * struct perf_command - perf record, as it will be run
 * @argv: the command with our options added; ends with NULL
 * @output: the file or directory it writes; "-" for standard output
 * @many: it writes several, with a time behind that name
 * @existing: those of several that existed before perf ran
 * @before: status of @output before perf ran
 * @existed: @before is set
 */
struct perf_command {
	char **argv;
	const char *output;
	bool many;
	char **existing;
	struct stat before;
	bool existed;
};

/* Whether @command, which ends with NULL, is perf record. */
bool perf_command_is(char *const *command);
/* Look at the command and at what exists before it runs; false without memory. */
bool perf_command_prepare(struct perf_command *perf, char *const *command);
void perf_command_free(struct perf_command *perf);
/* Whether perf has written its output since perf_command_prepare(). */
bool perf_command_wrote(const struct perf_command *perf);
/* The several it has written, in order, up to NULL; false when they cannot be listed. */
bool perf_command_outputs(const struct perf_command *perf, char ***paths);
void perf_command_free_outputs(char **paths);

#endif
