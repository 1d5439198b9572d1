// SPDX-License-Identifier: GPL-2.0
/*
 * What an address was of, when nobody is left to ask: COMMAND and what it starts
 * write lines of PID ADDRESS TIME, and when all of them have ended each is printed
 * with the build-id, the offset in the file and the path of what PID had mapped
 * at ADDRESS at TIME, also of children that never called exec.
 */

#include <errno.h>
#include <inttypes.h>
#include <libbuildid.h>
#include <poll.h>
#include <search.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char usage[] =
	"usage: addresses [-a] COMMAND [ARGUMENT]...\n"
	"\n"
	"Reads \"PID ADDRESS TIME\" from what COMMAND prints: decimal, hexadecimal, and\n"
	"nanoseconds of CLOCK_MONOTONIC. With -a PID may be any process, else COMMAND and\n"
	"what it starts.\n";

#define NEVER UINT64_MAX

/* What is at a place from a time on, until another is there. */
struct range {
	uint64_t start, end, pgoff, since;
	const char *content; /* build-id and path */
};

/* Of one process, or of several by vfork(2). */
struct space {
	struct space *next;
	const struct space *copy_of; /* by fork(2) */
	size_t count, room;
	struct range *ranges;
};

/* From fork or exec to exec or exit a process has one space. */
struct life {
	struct life *before;
	uint64_t start_time, from, to;
	struct space *space;
};

struct process {
	uint32_t pid;
	struct life *newest;
};

static struct space *spaces;
static void *processes; /* a tree, as of tsearch(3) */
static uint64_t lost;

static void die(const char *what, const char *why)
{
	fprintf(stderr, "addresses: %s: %s\n", what, why);
	exit(1);
}

static void *must(void *memory)
{
	if (!memory)
		die("memory", "out of it");
	return memory;
}

/* --------------------------------------------------------------- spaces -- */

static struct space *space_new(const struct space *copy_of)
{
	struct space *space = must(calloc(1, sizeof(*space)));

	space->next = spaces;
	spaces = space;
	space->copy_of = copy_of;
	if (!copy_of || !copy_of->count)
		return space;
	space->count = space->room = copy_of->count;
	space->ranges = must(calloc(space->room, sizeof(*space->ranges)));
	memcpy(space->ranges, copy_of->ranges, space->count * sizeof(*space->ranges));
	return space;
}

static void space_add(struct space *space, const struct range *range)
{
	if (space->count == space->room) {
		space->room = space->room ? 2 * space->room : 32;
		space->ranges =
			must(reallocarray(space->ranges, space->room, sizeof(*space->ranges)));
	}
	space->ranges[space->count++] = *range;
}

/* What was there before the first event was there at each fork since, too. */
static void space_add_old(struct space *space, const struct range *range)
{
	struct space *copy;

	space_add(space, range);
	for (copy = spaces; copy; copy = copy->next)
		if (copy->copy_of == space)
			space_add_old(copy, range);
}

static const struct range *space_find(const struct space *space, uint64_t address, uint64_t time)
{
	const struct range *found = NULL, *range;

	for (range = space->ranges; range < space->ranges + space->count; range++)
		if (address >= range->start && address < range->end && range->since <= time &&
		    (!found || range->since >= found->since))
			found = range;
	return found;
}

/* ------------------------------------------------------------ processes -- */

static int compare(const void *a, const void *b)
{
	uint32_t one = ((const struct process *)a)->pid;
	uint32_t other = ((const struct process *)b)->pid;

	return (one > other) - (one < other);
}

static struct process *process_find(uint32_t pid)
{
	struct process wanted = { .pid = pid };
	struct process **found = tfind(&wanted, &processes, compare);

	return found ? *found : NULL;
}

static struct life *life_new(uint32_t pid, uint64_t start_time, uint64_t from, struct space *space)
{
	struct process *process = process_find(pid);
	struct life *life = must(calloc(1, sizeof(*life)));

	if (!process) {
		process = must(calloc(1, sizeof(*process)));
		process->pid = pid;
		must(tsearch(process, &processes, compare));
	}
	*life = (struct life){ process->newest, start_time, from, NEVER, space };
	process->newest = life;
	return life;
}

/* That of the process now, which may have been there before the first event. */
static struct life *life_of(uint32_t pid, uint64_t start_time)
{
	const struct process *process = process_find(pid);

	if (process && process->newest->start_time == start_time)
		return process->newest;
	return life_new(pid, start_time, 0, space_new(NULL));
}

static void forked(const struct buildid_task *task)
{
	struct space *space = life_of(task->parent_pid, task->parent_start_time)->space;

	if (!(task->flags & BUILDID_TASK_SHARES_MM))
		space = space_new(space);
	life_new(task->pid, task->start_time, task->header.time_mono, space);
}

static void execed(const struct buildid_task *task)
{
	life_of(task->pid, task->start_time)->to = task->header.time_mono;
	life_new(task->pid, task->start_time, task->header.time_mono, space_new(NULL));
}

static const struct range *find(uint32_t pid, uint64_t address, uint64_t time)
{
	const struct process *process = process_find(pid);
	const struct life *life = process ? process->newest : NULL;

	while (life && (time < life->from || time >= life->to))
		life = life->before;
	return life ? space_find(life->space, address, time) : NULL;
}

/* --------------------------------------------------------------- events -- */

static const char *content_of(const struct buildid_file *file)
{
	const char *path = file ? buildid_file_path(file) : "";
	const uint8_t *id = NULL;
	size_t size = 0, i;
	char *text, *end;

	if (file)
		id = buildid_file_id_bytes(file, &size);
	text = must(malloc(2 * size + strlen(path) + 3));
	end = text + sprintf(text, "%s", id ? "" : "-");
	for (i = 0; i < size; i++)
		end += sprintf(end, "%02x", id[i]);
	sprintf(end, " %s", path);
	return text;
}

static void mapped(const struct buildid_event *event)
{
	const struct buildid_mmap *mmap = (const void *)event->record;
	bool old = mmap->header.flags & BUILDID_RECORD_SNAPSHOT;
	struct space *space = life_of(mmap->pid, mmap->start_time)->space;
	const struct range range = {
		.start = mmap->addr,
		.end = mmap->addr + mmap->len,
		.pgoff = mmap->pgoff,
		.since = old ? 0 : mmap->header.time_mono,
		.content = content_of(event->file),
	};

	if (old)
		space_add_old(space, &range);
	else
		space_add(space, &range);
}

static void take(const struct buildid_event *event)
{
	const struct buildid_lost *gone = (const void *)event->record;
	const struct buildid_task *task = (const void *)event->record;

	switch (event->record->type) {
	case BUILDID_RECORD_MMAP:
		if (!(event->flags & BUILDID_EVENT_DUPLICATE))
			mapped(event);
		break;
	case BUILDID_RECORD_FORK:
		forked(task);
		break;
	case BUILDID_RECORD_EXEC:
		execed(task);
		break;
	case BUILDID_RECORD_EXIT:
		life_of(task->pid, task->start_time)->to = task->header.time_mono;
		break;
	case BUILDID_RECORD_LOST:
		lost += gone->ring_full + gone->missed_probe;
		break;
	}
}

/* All there is: 0, or why there is no more. */
static int take_all(struct buildid_recorder *recorder, int timeout_ms)
{
	const struct buildid_event *event;
	int err;

	while (!(err = buildid_recorder_next(recorder, timeout_ms, &event)))
		take(event);
	if (err == -EPERM || err == -ESTALE) /* of one process of a snapshot */
		return -EAGAIN;
	if (err != -EAGAIN && err != -EINTR && err != -ENODATA)
		die(BUILDID_DEVICE, buildid_strerror(err));
	return err;
}

static struct buildid_recorder *start_recorder(pid_t command, bool all)
{
	const uint32_t pid = (uint32_t)command;
	struct buildid_options subscribe = {
		.size = sizeof(subscribe),
		.flags = BUILDID_SUB_TASKS,
		.ring_size = 4 << 20,
	};
	const struct buildid_recorder_options options = {
		.size = sizeof(options),
		.flags = BUILDID_RECORDER_SNAPSHOT,
		.subscribe = &subscribe,
	};
	struct buildid_recorder *recorder;
	int err;

	if (!all) {
		subscribe.flags |= BUILDID_SUB_CHILDREN;
		subscribe.nr_pids = 1;
		subscribe.pids = &pid;
	}
	err = buildid_recorder_new(&recorder, &options);
	if (err)
		die(BUILDID_DEVICE, buildid_strerror(err));
	return recorder;
}

/* ----------------------------------------------------------------- main -- */

/* A child that waits for a byte before it becomes COMMAND, printing to @output. */
static pid_t start_command(char **command, int *go, int *output)
{
	int ends[2], out[2];
	pid_t child;
	char byte;

	if (pipe(ends) || pipe(out))
		die("pipe", strerror(errno));
	child = fork();
	if (child < 0)
		die("fork", strerror(errno));
	if (child) {
		close(ends[0]);
		close(out[1]);
		*go = ends[1];
		*output = out[0];
		return child;
	}
	close(ends[1]);
	close(out[0]);
	dup2(out[1], STDOUT_FILENO);
	close(out[1]);
	if (read(ends[0], &byte, 1) == 1) {
		close(ends[0]);
		execvp(*command, command);
		fprintf(stderr, "addresses: %s: %s\n", *command, strerror(errno));
	}
	_exit(127);
}

/* What is printed, until nobody is left who could. */
static char *read_output(struct buildid_recorder *recorder, int output)
{
	struct pollfd polls[] = {
		{ .fd = output, .events = POLLIN },
		{ .fd = buildid_fd(buildid_recorder_handle(recorder)), .events = POLLIN },
	};
	size_t size = 0, room = 4096;
	char *text = must(malloc(room));
	ssize_t got = 1;

	while (got) {
		take_all(recorder, 0);
		poll(polls, 2, buildid_recorder_timeout(recorder));
		if (!(polls[0].revents & (POLLIN | POLLHUP)))
			continue;
		got = read(output, text + size, room - size - 1);
		if (got < 0)
			die("read", strerror(errno));
		size += (size_t)got;
		if (room - size < 1024)
			text = must(realloc(text, room *= 2));
	}
	text[size] = '\0';
	return text;
}

static void answer(char *questions)
{
	uint64_t address, time;
	const struct range *range;
	char *line, *rest;
	uint32_t pid;

	for (line = strtok_r(questions, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		if (sscanf(line, "%" SCNu32 " %" SCNx64 " %" SCNu64, &pid, &address, &time) != 3)
			die(line, "not PID ADDRESS TIME");
		range = find(pid, address, time);
		printf("%" PRIu32 " %" PRIx64 " ", pid, address);
		if (range)
			printf("%" PRIx64 " %s\n", address - range->start + range->pgoff,
			       range->content);
		else
			printf("- - -\n");
	}
}

int main(int argc, char **argv)
{
	struct buildid_recorder *recorder;
	bool all = argc > 1 && !strcmp(argv[1], "-a");
	int go, output, status;
	char *questions;
	pid_t command;

	if (argc < 2 + all || (!all && *argv[1] == '-')) {
		fputs(usage, stderr);
		return 2;
	}
	command = start_command(argv + 1 + all, &go, &output);
	recorder = start_recorder(command, all);
	while (buildid_recorder_snapshotting(recorder))
		take_all(recorder, 0);
	if (write(go, "", 1) != 1)
		die("pipe", strerror(errno));
	questions = read_output(recorder, output);
	if (waitpid(command, &status, 0) != command)
		die("wait", strerror(errno));

	buildid_recorder_stop(recorder);
	while (take_all(recorder, -1) != -ENODATA)
		;
	answer(questions);
	buildid_recorder_free(recorder);
	if (lost)
		fprintf(stderr, "addresses: %" PRIu64 " records lost\n", lost);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
