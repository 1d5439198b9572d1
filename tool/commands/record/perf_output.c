// SPDX-License-Identifier: GPL-2.0
/* Perf output: what is at a place is compared with what was there before. */

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "perf_output.h"

void perf_output_free_paths(char **paths)
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

static bool perf_output_append(char ***paths, size_t count, const char *directory, const char *name)
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

/* Append existing paths with a time, in order, to @paths, which has @found elements. */
static bool list_with_time(const char *output, char ***paths, size_t found)
{
	const char *base = basename(output);
	char *directory = strndup(output, (size_t)(base - output));
	struct dirent **entries = NULL;
	int count = -1, i;
	bool good;

	if (directory)
		count = scandir(*directory ? directory : ".", &entries, NULL, alphasort);
	/* A missing or unreadable directory has none. */
	good = count >= 0 || (directory && errno != ENOMEM);
	for (i = 0; i < count; i++) {
		if (good && is_output(entries[i]->d_name, base))
			good = perf_output_append(paths, found++, directory, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	free(directory);
	return good;
}

bool perf_output_expect(struct perf_output *output, const char *path, struct timespec since)
{
	size_t size = strlen(path);

	while (size > 1 && path[size - 1] == '/')
		size--;
	*output = (struct perf_output){
		.path = strndup(path, size),
		.existing = calloc(1, sizeof(*output->existing)),
		.since = since,
	};
	return output->path && output->existing;
}

bool perf_output_look(struct perf_output *output, const char *path)
{
	if (!perf_output_expect(output, path, (struct timespec){}))
		return false;
	/* All zeros if it does not exist yet. */
	stat(output->path, &output->before);
	return list_with_time(output->path, &output->existing, 0);
}

void perf_output_free(struct perf_output *output)
{
	free(output->path);
	perf_output_free_paths(output->existing);
}

/* perf writes files and directories: opening a pipe that somebody created there could block. */
static bool is_since(const struct perf_output *output, const struct stat *now)
{
	const struct timespec *since = &output->since;

	if (!S_ISREG(now->st_mode) && !S_ISDIR(now->st_mode))
		return false;
	return now->st_mtim.tv_sec > since->tv_sec ||
	       (now->st_mtim.tv_sec == since->tv_sec && now->st_mtim.tv_nsec >= since->tv_nsec);
}

static bool is_written(const struct perf_output *output)
{
	struct stat now;

	if (stat(output->path, &now) || !is_since(output, &now))
		return false;
	return now.st_ino != output->before.st_ino || now.st_dev != output->before.st_dev ||
	       now.st_size != output->before.st_size ||
	       memcmp(&now.st_mtim, &output->before.st_mtim, sizeof(now.st_mtim));
}

static bool contains(char *const *paths, const char *path)
{
	for (; *paths; paths++)
		if (!strcmp(*paths, path))
			return true;
	return false;
}

static bool is_new(const struct perf_output *output, const char *path)
{
	struct stat now;

	return !contains(output->existing, path) && !stat(path, &now) && is_since(output, &now);
}

char **perf_output_written(const struct perf_output *output)
{
	char **paths = calloc(1, sizeof(*paths));
	size_t found = 0, from, to;

	if (!paths ||
	    (is_written(output) && !perf_output_append(&paths, found++, "", output->path)) ||
	    !list_with_time(output->path, &paths, found)) {
		perf_output_free_paths(paths);
		return NULL;
	}
	for (from = to = found; paths[from]; from++) {
		if (is_new(output, paths[from]))
			paths[to++] = paths[from];
		else
			free(paths[from]);
	}
	paths[to] = NULL;
	return paths;
}
