// SPDX-License-Identifier: GPL-2.0
/*
 * Perf command: what a perf record on the command line is going to write.
 *
 * Its options go through untouched but for -B before them, which stops perf from
 * looking for build-ids at its end.
 */

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/array.h"
#include "perf_command.h"

#define DEFAULT_OUTPUT "perf.data"

/* Options of perf record, 6.1 to 7.2, with a value that may be the next word. */
static const char short_with_value[] = "eptrcoFmGDujkC";
/* And with one that, if any, is the rest of the word. */
static const char short_with_rest[] = "ISz";
static const char *const long_with_value[] = {
	"event",
	"filter",
	"pid",
	"tid",
	"realtime",
	"count",
	"output",
	"freq",
	"mmap-pages",
	"call-graph",
	"cpu",
	"cgroup",
	"delay",
	"uid",
	"branch-filter",
	"clockid",
	"max-size",
	"num-thread-synthesize",
	"affinity",
	"switch-max-files",
	"proc-map-timeout",
	"vmlinux",
	"clang-path",
	"clang-opt",
	"mmap-flush",
	"control",
	"synth",
	"off-cpu-thresh",
	"setup-filter",
	"switch-output-event",
};

/* And without one, though they begin such a name. */
static const char *const long_without_value[] = { "switch-output", "off-cpu" };

bool perf_command_is(char *const *command)
{
	const char *name;

	if (!command[0] || !command[1] || strcmp(command[1], "record"))
		return false;
	name = strrchr(command[0], '/');
	name = name ? name + 1 : command[0];
	return !strcmp(name, "perf") || !strncmp(name, "perf_", 5);
}

struct scan {
	char *const *word; /* looked at */
	const char *output;
	bool many;
};

/* The value of an option that has one: @rest of its word, or the next word. */
static const char *value_of(struct scan *scan, const char *rest)
{
	if (rest && *rest)
		return rest;
	if (!scan->word[1])
		return NULL;
	return *++scan->word;
}

static void scan_short(struct scan *scan)
{
	const char *letter;

	for (letter = *scan->word + 1; *letter; letter++) {
		const char *value;

		if (strchr(short_with_rest, *letter))
			return;
		if (!strchr(short_with_value, *letter))
			continue;
		value = value_of(scan, letter + 1);
		if (*letter == 'o' && value)
			scan->output = value;
		return;
	}
}

/* As perf takes them, a name may be cut as long as it is that of one option. */
static bool has_value(const char *name, size_t size)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(long_without_value); i++)
		if (strlen(long_without_value[i]) == size &&
		    !strncmp(long_without_value[i], name, size))
			return false;
	for (i = 0; i < ARRAY_SIZE(long_with_value); i++)
		if (!strncmp(long_with_value[i], name, size) &&
		    (size >= 3 || strlen(long_with_value[i]) == size))
			return true;
	return false;
}

static void scan_long(struct scan *scan)
{
	const char *name = *scan->word + 2;
	size_t size = strcspn(name, "=");
	const char *value = name[size] ? name + size + 1 : NULL;

	if (size >= 8 && !strncmp(name, "switch-output", size))
		scan->many = true;
	if (!value && has_value(name, size))
		value = value_of(scan, NULL);
	if (size >= 3 && !strncmp(name, "output", size) && value)
		scan->output = value;
}

/* Options end with the first word that is none, which is the workload's. */
static void scan_options(struct scan *scan)
{
	for (; *scan->word; scan->word++) {
		const char *word = *scan->word;

		if (word[0] != '-' || !strcmp(word, "--"))
			return;
		if (word[1] == '-')
			scan_long(scan);
		else
			scan_short(scan);
	}
}

/* Then perf writes there by itself, when it is not told where to. */
static bool stdout_is_pipe(void)
{
	struct stat status;

	return !fstat(STDOUT_FILENO, &status) && S_ISFIFO(status.st_mode);
}

/* ----------------------------------------------------------------- outputs -- */

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

/* What there is now, in order. */
static bool list_outputs(const char *output, char ***paths)
{
	const char *slash = strrchr(output, '/');
	char *directory = strndup(output, slash ? (size_t)(slash - output) + 1 : 0);
	const char *base = slash ? slash + 1 : output;
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

static bool has(char *const *paths, const char *path)
{
	for (; *paths; paths++)
		if (!strcmp(*paths, path))
			return true;
	return false;
}

bool perf_command_outputs(const struct perf_command *perf, char ***paths)
{
	size_t from, to = 0;

	if (!perf->there || !list_outputs(perf->output, paths))
		return false;
	for (from = 0; (*paths)[from]; from++) {
		if (has(perf->there, (*paths)[from]))
			free((*paths)[from]);
		else
			(*paths)[to++] = (*paths)[from];
	}
	(*paths)[to] = NULL;
	return true;
}

/* --------------------------------------------------------------------- all -- */

bool perf_command_prepare(struct perf_command *perf, char *const *command)
{
	static char no_build_ids[] = "-B", to[] = "-o", standard_output[] = "-";
	struct scan scan = { .word = command + 2 };
	size_t count = 0, at = 0;

	scan_options(&scan);
	*perf = (struct perf_command){ .output = scan.output, .many = scan.many };
	while (command[count])
		count++;
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
	perf->was_there = !stat(perf->output, &perf->before);
	if (perf->many)
		list_outputs(perf->output, &perf->there);
	return true;
}

void perf_command_free(struct perf_command *perf)
{
	free(perf->argv);
	perf_command_free_outputs(perf->there);
}

bool perf_command_wrote(const struct perf_command *perf)
{
	struct stat now;

	if (stat(perf->output, &now))
		return false;
	return !perf->was_there || now.st_ino != perf->before.st_ino ||
	       now.st_dev != perf->before.st_dev ||
	       memcmp(&now.st_mtim, &perf->before.st_mtim, sizeof(now.st_mtim));
}
