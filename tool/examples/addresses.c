// SPDX-License-Identifier: GPL-2.0
/*
 * Resolves addresses of processes that have exited. COMMAND and what it starts print
 * lines of PID ADDRESS TIME. When all of them have exited, each line is printed with
 * the build-id, the offset in the file and the path of what PID had mapped at ADDRESS
 * at TIME, also for children that never called exec.
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

/* A version of a file. */
struct content {
	uint64_t file_id;
	const char *text; /* build-id and path, once it was read */
};

/* A mapping, from a time on, until another one has the address. */
struct range {
	uint64_t start, end, pgoff, since;
	const struct content *content;
};

/* Of one process, or of several after vfork(2). */
struct address_space {
	struct address_space *next;
	const struct address_space *copy_of; /* after fork(2) */
	size_t count, room;
	struct range *ranges;
};

/* The time from fork or exec to exec or exit, when a process has one address space. */
struct period {
	struct period *before;
	uint64_t start_time, from, to;
	struct address_space *space;
};

struct process {
	uint32_t pid;
	struct period *newest;
};

static struct address_space *address_spaces;
static void *processes, *contents; /* trees of tsearch(3) */
static uint64_t lost;

static void die(const char *what, const char *why)
{
	fprintf(stderr, "addresses: %s: %s\n", what, why);
	exit(1);
}

static void *check_memory(void *memory)
{
	if (!memory)
		die("memory", strerror(ENOMEM));
	return memory;
}

/* ------------------------------------------------------- address spaces -- */

static struct address_space *address_space_new(const struct address_space *copy_of)
{
	struct address_space *space = check_memory(calloc(1, sizeof(*space)));

	space->next = address_spaces;
	address_spaces = space;
	space->copy_of = copy_of;
	if (!copy_of || !copy_of->count)
		return space;
	space->count = space->room = copy_of->count;
	space->ranges = check_memory(calloc(space->room, sizeof(*space->ranges)));
	memcpy(space->ranges, copy_of->ranges, space->count * sizeof(*space->ranges));
	return space;
}

static void address_space_add(struct address_space *space, const struct range *range)
{
	if (space->count == space->room) {
		space->room = space->room ? 2 * space->room : 32;
		space->ranges = check_memory(
			reallocarray(space->ranges, space->room, sizeof(*space->ranges)));
	}
	space->ranges[space->count++] = *range;
}

/* What was mapped before the first event, each child since then has inherited. */
static void address_space_add_old(struct address_space *space, const struct range *range)
{
	struct address_space *copy;

	address_space_add(space, range);
	for (copy = address_spaces; copy; copy = copy->next)
		if (copy->copy_of == space)
			address_space_add_old(copy, range);
}

static const struct range *address_space_find(const struct address_space *space, uint64_t address,
					      uint64_t time)
{
	const struct range *found = NULL, *range;

	for (range = space->ranges; range < space->ranges + space->count; range++)
		if (address >= range->start && address < range->end && range->since <= time &&
		    (!found || range->since >= found->since))
			found = range;
	return found;
}

/* ------------------------------------------------------------ processes -- */

static int compare_pids(const void *a, const void *b)
{
	uint32_t one = ((const struct process *)a)->pid;
	uint32_t other = ((const struct process *)b)->pid;

	return (one > other) - (one < other);
}

static struct process *process_find(uint32_t pid)
{
	struct process key = { .pid = pid };
	struct process **found = tfind(&key, &processes, compare_pids);

	return found ? *found : NULL;
}

static struct period *period_new(uint32_t pid, uint64_t start_time, uint64_t from,
				 struct address_space *space)
{
	struct process *process = process_find(pid);
	struct period *period = check_memory(calloc(1, sizeof(*period)));

	if (!process) {
		process = check_memory(calloc(1, sizeof(*process)));
		process->pid = pid;
		check_memory(tsearch(process, &processes, compare_pids));
	}
	*period = (struct period){ process->newest, start_time, from, NEVER, space };
	process->newest = period;
	return period;
}

/* The current one of a process, which may have started before the first event. */
static struct period *period_of(uint32_t pid, uint64_t start_time)
{
	const struct process *process = process_find(pid);

	if (process && process->newest->start_time == start_time)
		return process->newest;
	return period_new(pid, start_time, 0, address_space_new(NULL));
}

static void handle_fork(const struct buildid_task *task)
{
	struct address_space *space = period_of(task->parent_pid, task->parent_start_time)->space;

	if (!(task->flags & BUILDID_TASK_SHARES_MM))
		space = address_space_new(space);
	period_new(task->pid, task->start_time, task->header.time_mono, space);
}

static void handle_exec(const struct buildid_task *task)
{
	period_of(task->pid, task->start_time)->to = task->header.time_mono;
	period_new(task->pid, task->start_time, task->header.time_mono, address_space_new(NULL));
}

static const struct range *find(uint32_t pid, uint64_t address, uint64_t time)
{
	const struct process *process = process_find(pid);
	const struct period *period = process ? process->newest : NULL;

	while (period && (time < period->from || time >= period->to))
		period = period->before;
	return period ? address_space_find(period->space, address, time) : NULL;
}

/* --------------------------------------------------------------- events -- */

static int compare_contents(const void *a, const void *b)
{
	const struct content *one = a, *other = b;

	return one->file_id < other->file_id ? -1 : one->file_id > other->file_id;
}

static struct content *content_of(uint64_t file_id)
{
	struct content request = { .file_id = file_id };
	void *found = tfind(&request, &contents, compare_contents);
	struct content *new;

	if (found)
		return *(struct content **)found;
	new = check_memory(malloc(sizeof(*new)));
	*new = request;
	check_memory(tsearch(new, &contents, compare_contents));
	return new;
}

static void handle_file(const struct buildid_file *file)
{
	struct content *content = content_of(file->file_id);
	const char *path = buildid_file_path(file);
	const uint8_t *id;
	size_t size, i;
	char *text, *end;

	if (content->text)
		return;
	id = buildid_file_id_bytes(file, &size);
	text = check_memory(malloc(2 * size + strlen(path) + 3));
	end = text + sprintf(text, "%s", id ? "" : "-");
	for (i = 0; i < size; i++)
		end += sprintf(end, "%02x", id[i]);
	sprintf(end, " %s", path);
	content->text = text;
}

static void handle_mmap(const struct buildid_event *event)
{
	const struct buildid_mmap *mmap = (const void *)event->record;
	bool old = mmap->header.flags & BUILDID_RECORD_SNAPSHOT;
	struct address_space *space = period_of(mmap->pid, mmap->start_time)->space;
	const struct range range = {
		.start = mmap->addr,
		.end = mmap->addr + mmap->len,
		.pgoff = mmap->pgoff,
		.since = old ? 0 : mmap->header.time_mono,
		.content = content_of(mmap->file_id),
	};

	if (old)
		address_space_add_old(space, &range);
	else
		address_space_add(space, &range);
}

static void handle_event(const struct buildid_event *event)
{
	const struct buildid_lost *losses = (const void *)event->record;
	const struct buildid_task *task = (const void *)event->record;

	switch (event->record->type) {
	case BUILDID_RECORD_FILE:
		handle_file(event->file);
		break;
	case BUILDID_RECORD_MMAP:
		if (!(event->flags & BUILDID_EVENT_DUPLICATE))
			handle_mmap(event);
		break;
	case BUILDID_RECORD_FORK:
		handle_fork(task);
		break;
	case BUILDID_RECORD_EXEC:
		handle_exec(task);
		break;
	case BUILDID_RECORD_EXIT:
		period_of(task->pid, task->start_time)->to = task->header.time_mono;
		break;
	case BUILDID_RECORD_LOST:
		lost += losses->ring_full + losses->missed_probe;
		break;
	}
}

/* Handle all events there are. Return: why there are no more for now. */
static int handle_events(struct buildid_recorder *recorder, int timeout_ms)
{
	const struct buildid_event *event;
	int err;

	while (!(err = buildid_recorder_next(recorder, timeout_ms, &event)))
		handle_event(event);
	/* for one process of a snapshot */
	if (err == -EPERM || err == -ESTALE || err == -ETIMEDOUT)
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

/* What is printed, until all processes that could print have exited. */
static char *read_output(struct buildid_recorder *recorder, int output)
{
	struct pollfd polls[] = {
		{ .fd = output, .events = POLLIN },
		{ .fd = buildid_fd(buildid_recorder_handle(recorder)), .events = POLLIN },
	};
	size_t size = 0, room = 4096;
	char *text = check_memory(malloc(room));
	ssize_t got = 1;

	while (got) {
		handle_events(recorder, 0);
		poll(polls, 2, buildid_recorder_timeout(recorder));
		if (!(polls[0].revents & (POLLIN | POLLHUP)))
			continue;
		got = read(output, text + size, room - size - 1);
		if (got < 0)
			die("read", strerror(errno));
		size += (size_t)got;
		if (room - size < 1024)
			text = check_memory(realloc(text, room *= 2));
	}
	text[size] = '\0';
	return text;
}

static void resolve_lines(char *lines)
{
	uint64_t address, time;
	const struct range *range;
	char *line, *rest;
	uint32_t pid;

	for (line = strtok_r(lines, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		if (sscanf(line, "%" SCNu32 " %" SCNx64 " %" SCNu64, &pid, &address, &time) != 3)
			die(line, "not PID ADDRESS TIME");
		range = find(pid, address, time);
		printf("%" PRIu32 " %" PRIx64 " ", pid, address);
		if (range)
			printf("%" PRIx64 " %s\n", address - range->start + range->pgoff,
			       range->content->text ? range->content->text : "- ");
		else
			printf("- - -\n");
	}
}

int main(int argc, char **argv)
{
	struct buildid_recorder *recorder;
	bool all = argc > 1 && !strcmp(argv[1], "-a");
	int go, output, status;
	char *lines;
	pid_t command;

	if (argc < 2 + all || (!all && *argv[1] == '-')) {
		fputs(usage, stderr);
		return 2;
	}
	command = start_command(argv + 1 + all, &go, &output);
	recorder = start_recorder(command, all);
	while (buildid_recorder_snapshotting(recorder))
		handle_events(recorder, 0);
	if (write(go, "", 1) != 1)
		die("pipe", strerror(errno));
	lines = read_output(recorder, output);
	if (waitpid(command, &status, 0) != command)
		die("wait", strerror(errno));

	buildid_recorder_stop(recorder);
	while (handle_events(recorder, -1) != -ENODATA)
		;
	resolve_lines(lines);
	buildid_recorder_free(recorder);
	if (lost)
		fprintf(stderr, "addresses: %" PRIu64 " records lost\n", lost);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
