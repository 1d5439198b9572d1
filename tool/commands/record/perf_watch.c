// SPDX-License-Identifier: GPL-2.0
/*
 * Perf watch: /proc of a process that maps files under perf's name.
 *
 * A pid may be reused before it was looked at: what was read counts only if the process is the same
 * before and after.
 */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/array.h"
#include "common/process_stat.h"
#include "perf_line.h"
#include "perf_watch.h"

#define WORDS_MAX 4096
#define LINE_MAX_ (1U << 20)
/* Parents between a command and its perf. */
#define DEPTH_MAX 64
/* A process may become perf by another exec, so it is looked at again. */
#define LOOKS_MAX 16

/* ----------------------------------------------------------------- /proc -- */

static bool descends(pid_t pid, pid_t ancestor)
{
	struct process_stat process;
	int depth;

	for (depth = 0; depth < DEPTH_MAX && pid > 0; depth++) {
		if (pid == ancestor)
			return true;
		if (!process_stat_read(pid, &process))
			return false;
		pid = process.parent;
	}
	return false;
}

/* The words of a process's command line, up to NULL; free() the first, then the array. */
static char **read_words(pid_t pid)
{
	char **words = calloc(WORDS_MAX + 1, sizeof(*words));
	char *text = malloc(LINE_MAX_ + 1), *at;
	size_t size = 0, count = 0;
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	file = words && text ? fopen(path, "re") : NULL;
	if (file) {
		size = fread(text, 1, LINE_MAX_, file);
		fclose(file);
	}
	if (!size) {
		free(text);
		free(words);
		return NULL;
	}
	text[size] = '\0';
	for (at = text; at < text + size && count < WORDS_MAX; at += strlen(at) + 1)
		words[count++] = at;
	return words;
}

static void free_words(char **words)
{
	if (words)
		free(words[0]);
	free(words);
}

static bool read_link(pid_t pid, const char *name, char target[PATH_MAX])
{
	char path[64];
	ssize_t size;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	size = readlink(path, target, PATH_MAX - 1);
	target[size > 0 ? size : 0] = '\0';
	return *target == '/';
}

static bool has_pipe_for_stdout(pid_t pid)
{
	struct stat status;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/fd/1", (int)pid);
	return !stat(path, &status) && S_ISFIFO(status.st_mode);
}

/* ------------------------------------------------------------------ perf -- */

/* The path for us of what the process opens as @output; free() it. */
static char *path_of(pid_t pid, const char *output)
{
	char place[PATH_MAX], *path = NULL;

	if (!read_link(pid, *output == '/' ? "root" : "cwd", place))
		return strdup(output);
	if (!strcmp(place, "/"))
		*place = '\0';
	if (asprintf(&path, "%s%s%s", place, *output == '/' ? "" : "/", output) < 0)
		return NULL;
	return path;
}

static void add_output(struct perf_seen *seen, const char *output, struct timespec since)
{
	struct perf_output *outputs = array_grow(seen->outputs, seen->nr_outputs, sizeof(*outputs));
	char *path = path_of((pid_t)seen->pid, output);

	if (outputs) {
		seen->outputs = outputs;
		if (path && perf_output_expect(&outputs[seen->nr_outputs], path, since))
			seen->nr_outputs++;
	}
	free(path);
}

static void add_outputs(struct perf_seen *seen, const struct perf_line *line, struct timespec since)
{
	size_t i;

	if (!line->named && !line->own_name && has_pipe_for_stdout((pid_t)seen->pid))
		return;
	for (i = 0; i < line->nr_outputs; i++)
		if (strcmp(line->outputs[i], "-"))
			add_output(seen, line->outputs[i], since);
}

static bool is_seen(const struct perf_watch *watch, const struct buildid_mmap *mmap)
{
	size_t i;

	for (i = 0; i < watch->nr_seen; i++)
		if (watch->seen[i].pid == mmap->pid &&
		    watch->seen[i].start_time == mmap->start_time)
			return true;
	return false;
}

static void free_seen(struct perf_seen *seen)
{
	size_t i;

	for (i = 0; i < seen->nr_outputs; i++)
		perf_output_free(&seen->outputs[i]);
	free(seen->outputs);
	if (seen->fd >= 0)
		close(seen->fd);
}

/* False unless it is a perf that records. */
static bool look_at(struct perf_seen *seen, struct timespec since)
{
	pid_t pid = (pid_t)seen->pid;
	struct process_stat before, after;
	struct perf_line line;
	char **words;
	bool good;

	if (!process_stat_read(pid, &before))
		return false;
	words = read_words(pid);
	if (!words)
		return false;
	good = perf_line_parse(&line, words) == PERF_LINE_RECORD;
	if (good)
		add_outputs(seen, &line, since);
	free_words(words);
	return good && process_stat_read(pid, &after) && after.start == before.start;
}

static bool may_look(struct perf_watch *watch, const struct buildid_mmap *mmap)
{
	size_t slot = mmap->pid % PERF_WATCH_SLOTS;

	if (watch->looked[slot].pid != mmap->pid ||
	    watch->looked[slot].start_time != mmap->start_time) {
		watch->looked[slot].pid = mmap->pid;
		watch->looked[slot].start_time = mmap->start_time;
		watch->looked[slot].count = descends((pid_t)mmap->pid, watch->command) ? 0 :
											 LOOKS_MAX;
	}
	if (watch->looked[slot].count == LOOKS_MAX)
		return false;
	watch->looked[slot].count++;
	return true;
}

void perf_watch_record(struct perf_watch *watch, const struct buildid_record *record)
{
	const struct buildid_mmap *mmap = (const void *)record;
	struct perf_seen seen = { .fd = -1 };

	if (record->type != BUILDID_RECORD_MMAP || (record->flags & BUILDID_RECORD_SNAPSHOT) ||
	    !watch->command || strncmp((const char *)mmap->comm, "perf", 4) ||
	    is_seen(watch, mmap) || !may_look(watch, mmap))
		return;
	seen.pid = mmap->pid;
	seen.start_time = mmap->start_time;
	seen.fd = (int)syscall(SYS_pidfd_open, (pid_t)mmap->pid, 0);
	if (look_at(&seen, watch->since) && array_reserve(watch->seen, watch->nr_seen))
		watch->seen[watch->nr_seen++] = seen;
	else
		free_seen(&seen);
}

static bool runs(const struct perf_seen *seen)
{
	struct pollfd ended = { .fd = seen->fd, .events = POLLIN };

	return seen->fd >= 0 && !poll(&ended, 1, 0);
}

bool perf_watch_is_running(const struct perf_watch *watch)
{
	size_t i;

	for (i = 0; i < watch->nr_seen; i++)
		if (runs(&watch->seen[i]))
			return true;
	return false;
}

bool perf_watch_signal(const struct perf_watch *watch, int number, pid_t except)
{
	bool sent = false;
	size_t i;

	for (i = 0; i < watch->nr_seen; i++)
		if (watch->seen[i].pid != (uint32_t)except && runs(&watch->seen[i]) &&
		    !syscall(SYS_pidfd_send_signal, watch->seen[i].fd, number, NULL, 0))
			sent = true;
	return sent;
}

void perf_watch_free(struct perf_watch *watch)
{
	size_t i;

	for (i = 0; i < watch->nr_seen; i++)
		free_seen(&watch->seen[i]);
	free(watch->seen);
}
