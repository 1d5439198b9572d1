// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Finds the processes that a snapshot covers.
 *
 * The module filters what it delivers, but a snapshot asks for one process after the other: so the
 * same filters are applied here, to /proc and to the files of a cgroup. Processes come and go
 * meanwhile: an exited one is left out, and a new one is in the stream.
 */

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "processes.h"

#define FIRST_ROOM 256

static int processes_add(struct buildid_processes *processes, uint32_t pid)
{
	if (processes->count == processes->room) {
		size_t room = processes->room ? processes->room * 2 : FIRST_ROOM;
		uint32_t *pids = reallocarray(processes->pids, room, sizeof(*pids));

		if (!pids)
			return -ENOMEM;
		processes->pids = pids;
		processes->room = room;
	}
	processes->pids[processes->count++] = pid;
	return 0;
}

void buildid_processes_free(struct buildid_processes *processes)
{
	free(processes->pids);
	*processes = (struct buildid_processes){};
}

static int compare_pids(const void *a, const void *b)
{
	uint32_t one = *(const uint32_t *)a, other = *(const uint32_t *)b;

	return (one > other) - (one < other);
}

/* In ascending order, each once. */
static void processes_sort(struct buildid_processes *processes)
{
	size_t count = 0, i;

	if (processes->count)
		qsort(processes->pids, processes->count, sizeof(*processes->pids), compare_pids);
	for (i = 0; i < processes->count; i++)
		if (!count || processes->pids[i] != processes->pids[count - 1])
			processes->pids[count++] = processes->pids[i];
	processes->count = count;
}

static bool processes_has(const uint32_t *sorted, size_t count, uint32_t pid)
{
	return count && bsearch(&pid, sorted, count, sizeof(*sorted), compare_pids);
}

/* Keep only those that are also in @sorted. */
static void intersect(struct buildid_processes *processes, const struct buildid_processes *sorted)
{
	size_t count = 0, i;

	for (i = 0; i < processes->count; i++)
		if (processes_has(sorted->pids, sorted->count, processes->pids[i]))
			processes->pids[count++] = processes->pids[i];
	processes->count = count;
}

/* ---------------------------------------------------------------- /proc -- */

static int find_all(struct buildid_processes *processes)
{
	struct dirent *entry;
	DIR *directory;
	int err = 0;

	directory = opendir("/proc");
	if (!directory)
		return -errno;
	errno = 0;
	while (!err && (entry = readdir(directory))) {
		if (isdigit((unsigned char)*entry->d_name))
			err = processes_add(processes, (uint32_t)strtoul(entry->d_name, NULL, 10));
		errno = 0;
	}
	if (!err)
		err = -errno;
	closedir(directory);
	return err;
}

/*
 * The first number after "@key:" in the status of a task; false when it is gone.
 * Tgid, PPid and Uid are all in the first lines, where a newline in the task's name
 * is escaped.
 */
static bool status_number(uint32_t pid, const char *key, uint32_t *number)
{
	char path[32], text[1024], line[16];
	const char *found;
	ssize_t size;
	int fd;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/status", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	size = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (size <= 0)
		return false;

	text[size] = '\0';
	snprintf(line, sizeof(line), "\n%s:", key);
	found = strstr(text, line);
	if (found)
		*number = (uint32_t)strtoul(found + strlen(line), NULL, 10);
	return found;
}

bool buildid_process_has_uid(uint32_t pid, uint32_t uid)
{
	uint32_t real;

	return status_number(pid, "Uid", &real) && real == uid;
}

/* Add those of @all whose parent is in @family, until no more are found. */
static int add_descendants(struct buildid_processes *family, const struct buildid_processes *all)
{
	uint32_t parent;
	size_t sorted, i;
	int err = 0;

	do {
		processes_sort(family);
		sorted = family->count;
		for (i = 0; !err && i < all->count; i++)
			if (!processes_has(family->pids, sorted, all->pids[i]) &&
			    status_number(all->pids[i], "PPid", &parent) &&
			    processes_has(family->pids, sorted, parent))
				err = processes_add(family, all->pids[i]);
	} while (!err && family->count > sorted);
	return err;
}

static int find_named(struct buildid_processes *processes, const struct buildid_options *options)
{
	struct buildid_processes all = {};
	int err = 0;
	uint32_t i;

	for (i = 0; !err && i < options->nr_pids; i++)
		err = processes_add(processes, options->pids[i]);
	if (err || !(options->flags & BUILDID_SUB_CHILDREN))
		return err;
	err = find_all(&all);
	if (!err)
		err = add_descendants(processes, &all);
	buildid_processes_free(&all);
	return err;
}

/* -------------------------------------------------------------- cgroups -- */

/* A thread's process may have other threads in other cgroups. */
static int add_listed(struct buildid_processes *processes, FILE *list, bool threads)
{
	uint32_t pid;
	int err = 0;

	/* 0 means a process outside this pid namespace. */
	while (!err && fscanf(list, "%" SCNu32, &pid) == 1)
		if (pid && (!threads || status_number(pid, "Tgid", &pid)))
			err = processes_add(processes, pid);
	if (!err && ferror(list))
		err = errno ? -errno : -EIO;
	return err;
}

/* A threaded cgroup has no list of processes: EOPNOTSUPP. */
static int add_list(struct buildid_processes *processes, int directory, bool threads)
{
	int fd = openat(directory, threads ? "cgroup.threads" : "cgroup.procs",
			O_RDONLY | O_CLOEXEC);
	FILE *list;
	int err;

	if (fd < 0)
		return -errno;
	list = fdopen(fd, "r");
	if (!list) {
		close(fd);
		return -ENOMEM;
	}
	errno = 0;
	err = add_listed(processes, list, threads);
	fclose(list);
	return err;
}

static int add_cgroup(struct buildid_processes *processes, int fd);

static int add_below(struct buildid_processes *processes, DIR *directory)
{
	struct dirent *entry;
	int err = 0;
	int fd;

	while (!err && (entry = readdir(directory))) {
		if (entry->d_type != DT_DIR || *entry->d_name == '.')
			continue;
		fd = openat(dirfd(directory), entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0)
			continue;
		err = add_cgroup(processes, fd);
		/* The cgroup was removed meanwhile. */
		if (err == -ENODEV || err == -ENOENT)
			err = 0;
	}
	return err;
}

/* Closes @fd. */
static int add_cgroup(struct buildid_processes *processes, int fd)
{
	DIR *directory = fdopendir(fd);
	int err;

	if (!directory) {
		err = -errno;
		close(fd);
		return err;
	}
	err = add_list(processes, fd, false);
	if (err == -EOPNOTSUPP)
		err = add_list(processes, fd, true);
	if (!err)
		err = add_below(processes, directory);
	closedir(directory);
	return err;
}

static int find_in_cgroup(struct buildid_processes *processes, int fd)
{
	/* Not dup(2), which would share the caller's position in the directory. */
	int own = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int err;

	if (own < 0)
		return -errno;
	err = add_cgroup(processes, own);
	processes_sort(processes);
	return err;
}

int buildid_processes_find(struct buildid_processes *processes,
			   const struct buildid_options *options)
{
	struct buildid_processes members = {};
	bool in_cgroup = options->flags & BUILDID_SUB_CGROUP;
	int err;

	*processes = (struct buildid_processes){};
	if (options->nr_pids)
		err = find_named(processes, options);
	else if (in_cgroup)
		err = find_in_cgroup(processes, options->cgroup_fd);
	else
		err = find_all(processes);
	if (!err && in_cgroup && options->nr_pids) {
		err = find_in_cgroup(&members, options->cgroup_fd);
		intersect(processes, &members);
		buildid_processes_free(&members);
	}
	if (err)
		buildid_processes_free(processes);
	return err;
}
