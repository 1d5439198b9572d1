// SPDX-License-Identifier: GPL-2.0
/*
 * Open for store --live. Each way leads to an O_PATH descriptor, of which the module says
 * whether the file is on FUSE, be it below an overlayfs: to open that would be a request to
 * the server already.
 */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/array.h"
#include "common/clock.h"
#include "common/open_regular.h"
#include "content/process_maps.h"
#include "content/process_user.h"
#include "libbuildid/libbuildid.h"
#include "live_open.h"

#define PATIENCE_MS 1000
/* Longer than a disk takes for a path. */
#define SLOW_NS 500000000ULL
/* Of processes that are gone. */
#define NOBODY_KNOWN ((uid_t)-1)

struct question {
	uint32_t pid; /* 0: whatever is at @path here */
	bool may_wait;
	uint64_t addr;
	char path[BUILDID_RECORD_MAX];
};

/* ------------------------------------------------------------ the worker -- */

/* Closes @handle. */
static int open_unless_fuse(int handle, struct reason *reason)
{
	static uint64_t record[BUILDID_RECORD_MAX / sizeof(uint64_t)];
	/* The worker's own. */
	static struct buildid *module;
	const struct buildid_file *file;
	int err = module ? 0 : buildid_open(&module);

	if (!err)
		err = buildid_resolve_fd(module, handle, record, sizeof(record), &file);
	if (!err && !(file->flags & BUILDID_FILE_FUSE))
		return open_untrusted_handle(handle, reason);
	reason_set(reason, "%s", err ? strerror(-err) : LIVE_ON_FUSE);
	close(handle);
	return -1;
}

static int map_files(uint32_t pid, uint64_t addr)
{
	struct process_mapping mapping;
	struct process_maps maps;
	char path[96];
	int handle = -1;

	if (!process_maps_open(&maps, pid))
		return -1;
	while (handle < 0 && process_maps_next(&maps, &mapping)) {
		if (addr < mapping.start || addr >= mapping.end)
			continue;
		snprintf(path, sizeof(path), "/proc/%" PRIu32 "/map_files/%" PRIx64 "-%" PRIx64,
			 pid, mapping.start, mapping.end);
		handle = open(path, O_PATH | O_CLOEXEC);
	}
	process_maps_close(&maps);
	return handle;
}

static int walk(int root, const char *path, uint64_t resolve)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = resolve };

	return (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
}

/* A path that is not in memory, or on a filesystem that has to be asked, is EAGAIN. */
static int walk_or_wait(int root, const char *path, uint64_t resolve, bool may_wait)
{
	int handle = walk(root, path, resolve | RESOLVE_CACHED);

	if (handle >= 0 || errno != EAGAIN || !may_wait)
		return handle;
	return walk(root, path, resolve | RESOLVE_NO_MAGICLINKS);
}

static int find(const struct question *question)
{
	char path[64];
	int root, handle;

	if (!question->pid)
		return walk_or_wait(AT_FDCWD, question->path, 0, question->may_wait);
	handle = map_files(question->pid, question->addr);
	if (handle >= 0)
		return handle;
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/root", question->pid);
	root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return -1;
	handle = walk_or_wait(root, question->path, RESOLVE_IN_ROOT, question->may_wait);
	close(root);
	return handle;
}

static void answer_open(const struct worker_message *message, struct worker_message *answer)
{
	struct reason *reason = answer->data;
	int handle = find(message->data);

	reason_set(reason, "%s", "");
	if (handle >= 0)
		answer->fd = open_unless_fuse(handle, reason);
	else if (errno == EAGAIN)
		reason_set(reason, "its path may lead to a server that does not answer");
	else
		reason_set(reason, "%s", strerror(errno));
}

/* ------------------------------------------------------------ the parent -- */

static struct live_slow *slow_of(struct live_opener *opener, uid_t uid)
{
	size_t i;

	for (i = 0; i < opener->nr_slow; i++)
		if (opener->slow[i].uid == uid)
			return &opener->slow[i];
	return NULL;
}

static void add_slow(struct live_opener *opener, uid_t uid)
{
	struct live_slow *slow = slow_of(opener, uid);

	if (slow)
		slow->count++;
	else if (array_reserve(opener->slow, opener->nr_slow))
		opener->slow[opener->nr_slow++] = (struct live_slow){ uid, 1 };
}

/* Root's is not counted: whoever can make root's paths slow need not. */
static bool may_wait(struct live_opener *opener, uint32_t pid, uid_t *uid)
{
	const struct live_slow *slow;

	*uid = NOBODY_KNOWN;
	if (pid && process_user(pid, uid) && !process_in_our_user_namespace(pid))
		return false;
	slow = slow_of(opener, *uid);
	return !*uid || !slow || slow->count < LIVE_SLOW_MAX;
}

int live_open_mapped(struct live_opener *opener, uint32_t pid, uint64_t addr, const char *path,
		     struct reason *reason)
{
	struct question question = { .pid = pid, .addr = addr };
	struct worker_message message = { &question, sizeof(question), -1 };
	struct worker_message answer = { reason, sizeof(*reason), -1 };
	uint64_t begin = clock_ns(CLOCK_MONOTONIC);
	uid_t uid;
	int error;

	question.may_wait = may_wait(opener, pid, &uid);
	snprintf(question.path, sizeof(question.path), "%s", path);
	error = worker_ask(&opener->worker, &message, &answer);
	if (question.may_wait && clock_ns(CLOCK_MONOTONIC) - begin > SLOW_NS)
		add_slow(opener, uid);
	if (!error)
		return answer.fd;
	if (error == ETIMEDOUT)
		reason_set(reason, "its server does not answer");
	else if (error == EBUSY)
		reason_set(reason, "%d other files' servers do not answer", WORKERS_LEFT_MAX);
	else
		reason_set(reason, "%s", strerror(error));
	return -1;
}

int live_open(struct live_opener *opener, const char *path, struct reason *reason)
{
	return live_open_mapped(opener, 0, 0, path, reason);
}

void live_opener_init(struct live_opener *opener)
{
	*opener = (struct live_opener){
		.worker = {
			.task = answer_open,
			.question_max = sizeof(struct question),
			.answer_max = sizeof(struct reason),
			.patience_ms = PATIENCE_MS,
			.socket = -1,
		},
	};
}

void live_opener_end(struct live_opener *opener)
{
	worker_end(&opener->worker);
	free(opener->slow);
}
