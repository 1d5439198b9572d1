/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Perf output: the perf.data that were written to a place since it was last looked at.
 *
 * By what exists, not by perf's options: with --switch-output, --switch-output-event or
 * --timestamp-filename there are several, with a time after the name, of which perf itself may
 * remove some.
 */
#ifndef TOOL_PERF_OUTPUT_H
#define TOOL_PERF_OUTPUT_H

#include <stdbool.h>
#include <sys/stat.h>
#include <time.h>

/**
 * struct perf_output - a place, as it was before perf ran
 * @path: of a file or directory, relative to the directory that we are in
 * @before: its status, if it existed
 * @existing: existing ones with a time after that name, up to NULL
 * @since: without a look: only what was modified then or later counts as written
 */
struct perf_output {
	char *path;
	struct stat before;
	char **existing;
	struct timespec since;
};

/* False without memory. */
bool perf_output_look(struct perf_output *output, const char *path);
/*
 * Without a look, for a path chosen by another process, while we must not wait: a server there may
 * never answer.
 */
bool perf_output_expect(struct perf_output *output, const char *path, struct timespec since);
void perf_output_free(struct perf_output *output);
/* Paths of those that were written since then, in order, up to NULL; NULL without memory. */
char **perf_output_written(const struct perf_output *output);
void perf_output_free_paths(char **paths);

#endif
