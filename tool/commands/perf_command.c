// SPDX-License-Identifier: GPL-2.0
/*
 * Perf command: what a perf record on the command line is going to write.
 *
 * Its options are parsed as perf parses them, but only to find the output: they reach
 * perf as they are, with -B before them. That stops perf from looking for build-ids at
 * its end, which is what annotate does.
 */

#include <dirent.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "perf_command.h"

#define DEFAULT_OUTPUT "perf.data"

/*
 * The options of perf record, 6.1 to 7.2, that have a value, as it may be the next word;
 * and those without one whose names begin such a name.
 */
static const char short_options[] = "+e:p:t:r:c:o:F:m:G:D:u:j:k:C:I::S::z::";

enum {
	OTHER = 256,
	SWITCH_OUTPUT,
};

static const struct option long_options[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "switch-output", optional_argument, NULL, SWITCH_OUTPUT },
	{ "off-cpu", no_argument, NULL, OTHER },
	{ "event", required_argument, NULL, OTHER },
	{ "filter", required_argument, NULL, OTHER },
	{ "pid", required_argument, NULL, OTHER },
	{ "tid", required_argument, NULL, OTHER },
	{ "realtime", required_argument, NULL, OTHER },
	{ "count", required_argument, NULL, OTHER },
	{ "freq", required_argument, NULL, OTHER },
	{ "mmap-pages", required_argument, NULL, OTHER },
	{ "call-graph", required_argument, NULL, OTHER },
	{ "cpu", required_argument, NULL, OTHER },
	{ "cgroup", required_argument, NULL, OTHER },
	{ "delay", required_argument, NULL, OTHER },
	{ "uid", required_argument, NULL, OTHER },
	{ "branch-filter", required_argument, NULL, OTHER },
	{ "clockid", required_argument, NULL, OTHER },
	{ "max-size", required_argument, NULL, OTHER },
	{ "num-thread-synthesize", required_argument, NULL, OTHER },
	{ "affinity", required_argument, NULL, OTHER },
	{ "switch-max-files", required_argument, NULL, OTHER },
	{ "proc-map-timeout", required_argument, NULL, OTHER },
	{ "vmlinux", required_argument, NULL, OTHER },
	{ "clang-path", required_argument, NULL, OTHER },
	{ "clang-opt", required_argument, NULL, OTHER },
	{ "mmap-flush", required_argument, NULL, OTHER },
	{ "control", required_argument, NULL, OTHER },
	{ "synth", required_argument, NULL, OTHER },
	{ "off-cpu-thresh", required_argument, NULL, OTHER },
	{ "setup-filter", required_argument, NULL, OTHER },
	{ "switch-output-event", required_argument, NULL, OTHER },
	{ NULL, 0, NULL, 0 },
};

bool perf_command_is(char *const *command)
{
	const char *name;

	if (!command[0] || !command[1] || strcmp(command[1], "record"))
		return false;
	name = strrchr(command[0], '/');
	name = name ? name + 1 : command[0];
	return !strcmp(name, "perf") || !strncmp(name, "perf_", 5);
}

/* @command: from "record" on. Options end with the first word of the workload. */
static void parse_options(struct perf_command *perf, size_t count, char *const *command)
{
	int option;

	optind = 0;
	/* Unknown to us, not to perf. */
	opterr = 0;
	while ((option = getopt_long((int)count, command, short_options, long_options, NULL)) !=
	       -1) {
		if (option == 'o')
			perf->output = optarg;
		else if (option == SWITCH_OUTPUT)
			perf->many = true;
	}
	opterr = 1;
}

/* Then perf writes to it, unless -o says something else. */
static bool stdout_is_pipe(void)
{
	struct stat status;

	return !fstat(STDOUT_FILENO, &status) && S_ISFIFO(status.st_mode);
}

/* -------------------------------------------------------------- outputs -- */

void perf_command_free_outputs(char **paths)
{
	size_t i;

	for (i = 0; paths && paths[i]; i++)
		free(paths[i]);
	free(paths);
}

/* "perf.data.2026112016213873" for perf.data. */
static bool is_output(const char *name, const char *base)
{
	size_t size = strlen(base);

	return !strncmp(name, base, size) && name[size] == '.' && strlen(name + size + 1) >= 14 &&
	       strspn(name + size + 1, "0123456789") == strlen(name + size + 1);
}

static bool append(char ***paths, size_t count, const char *directory, const char *name)
{
	char **grown = reallocarray(*paths, count + 2, sizeof(*grown));

	if (!grown)
		return false;
	*paths = grown;
	grown[count + 1] = NULL;
	if (asprintf(&grown[count], "%s%s", directory, name) >= 0)
		return true;
	grown[count] = NULL;
	return false;
}

/* Those that exist now, in order. */
static bool list_outputs(const char *output, char ***paths)
{
	const char *base = basename(output);
	char *directory = strndup(output, (size_t)(base - output));
	struct dirent **entries = NULL;
	int count = -1, i;
	size_t found = 0;
	bool good;

	*paths = calloc(1, sizeof(**paths));
	if (directory && *paths)
		count = scandir(*directory ? directory : ".", &entries, NULL, alphasort);
	good = count >= 0;
	for (i = 0; i < count; i++) {
		if (good && is_output(entries[i]->d_name, base))
			good = append(paths, found++, directory, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	free(directory);
	if (!good) {
		perf_command_free_outputs(*paths);
		*paths = NULL;
	}
	return good;
}

static bool contains(char *const *paths, const char *path)
{
	for (; *paths; paths++)
		if (!strcmp(*paths, path))
			return true;
	return false;
}

bool perf_command_outputs(const struct perf_command *perf, char ***paths)
{
	size_t from, to = 0;

	if (!perf->existing || !list_outputs(perf->output, paths))
		return false;
	for (from = 0; (*paths)[from]; from++) {
		if (contains(perf->existing, (*paths)[from]))
			free((*paths)[from]);
		else
			(*paths)[to++] = (*paths)[from];
	}
	(*paths)[to] = NULL;
	return true;
}

/* -------------------------------------------------------------- command -- */

bool perf_command_prepare(struct perf_command *perf, char *const *command)
{
	static char no_build_ids[] = "-B", to[] = "-o", standard_output[] = "-";
	size_t count = 0, at = 0;

	while (command[count])
		count++;
	*perf = (struct perf_command){};
	parse_options(perf, count - 1, command + 1);
	perf->argv = calloc(count + 4, sizeof(*perf->argv));
	if (!perf->argv)
		return false;
	perf->argv[at++] = command[0];
	perf->argv[at++] = command[1];
	perf->argv[at++] = no_build_ids;
	if (!perf->output && stdout_is_pipe()) {
		perf->argv[at++] = to;
		perf->argv[at++] = standard_output;
		perf->output = standard_output;
	}
	if (!perf->output)
		perf->output = DEFAULT_OUTPUT;
	memcpy(perf->argv + at, command + 2, (count - 2) * sizeof(*command));
	perf->existed = !stat(perf->output, &perf->before);
	if (perf->many)
		list_outputs(perf->output, &perf->existing);
	return true;
}

void perf_command_free(struct perf_command *perf)
{
	free(perf->argv);
	perf_command_free_outputs(perf->existing);
}

bool perf_command_wrote(const struct perf_command *perf)
{
	struct stat now;

	if (stat(perf->output, &now))
		return false;
	return !perf->existed || now.st_ino != perf->before.st_ino ||
	       now.st_dev != perf->before.st_dev ||
	       memcmp(&now.st_mtim, &perf->before.st_mtim, sizeof(now.st_mtim));
}
