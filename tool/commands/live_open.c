// SPDX-License-Identifier: GPL-2.0
/*
 * Open for store --live. Each way leads to an O_PATH descriptor, of which the module says
 * whether the file is on FUSE, be it below an overlayfs: to open that would be a request to
 * the server already. Such a descriptor stays one until a worker copies what it is of.
 */

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/array.h"
#include "common/clock.h"
#include "common/copy.h"
#include "common/open_regular.h"
#include "content/content.h"
#include "content/mapped_files.h"
#include "content/process_user.h"
#include "live_open.h"

#define PATIENCE_MS 1000
/* For all of a file. */
#define COPY_PATIENCE_MS 2000
/* Longer than a disk takes for a path. */
#define SLOW_NS 500000000ULL
/* Of processes that are gone. */
#define NOBODY_KNOWN UINT64_MAX

struct question {
	uint32_t pid; /* 0: whatever is at @path here */
	bool may_wait;
	uint64_t addr;
	char path[BUILDID_RECORD_MAX];
};

struct answer {
	struct reason reason;
	bool unread;
};

/* ------------------------------------------------------------ the worker -- */

/* False with @reason; else @fuse is whether a read of it may never end. */
static bool ask_module(int handle, bool *fuse, struct reason *reason)
{
	static uint64_t record[BUILDID_RECORD_MAX / sizeof(uint64_t)];
	/* The worker's own. */
	static struct buildid *module;
	const struct buildid_file *file;
	int err = module ? 0 : buildid_open(&module);

	if (!err)
		err = buildid_resolve_fd(module, handle, record, sizeof(record), &file);
	if (err)
		return reason_set(reason, "%s", strerror(-err));
	*fuse = file->flags & BUILDID_FILE_FUSE;
	return true;
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
	int root, handle;

	if (!question->pid)
		return walk_or_wait(AT_FDCWD, question->path, 0, question->may_wait);
	handle = mapped_handle_at(question->pid, question->addr);
	if (handle >= 0)
		return handle;
	root = process_root(question->pid);
	if (root < 0)
		return -1;
	handle = walk_or_wait(root, question->path, RESOLVE_IN_ROOT, question->may_wait);
	close(root);
	return handle;
}

static void answer_open(const struct question *question, struct answer *answer, int *fd)
{
	int handle = find(question);

	if (handle < 0 && errno == EAGAIN)
		reason_set(&answer->reason, "its path may lead to a server that does not answer");
	else if (handle < 0)
		reason_set(&answer->reason, "%s", strerror(errno));
	else if (!ask_module(handle, &answer->unread, &answer->reason))
		close(handle);
	else
		*fd = answer->unread ? handle : open_untrusted_handle(handle, &answer->reason);
}

/* A server may give any owner. */
static bool copy_as_others(int from, int to, struct reason *reason)
{
	struct stat stat_;

	/* Of no size it could be without an end. */
	if (!copy_size(from))
		return reason_set(reason, "is empty");
	if (fstat(from, &stat_) || fchmod(to, (stat_.st_mode & 0777) | CONTENT_COPY))
		return reason_set(reason, "%s", strerror(errno));
	return copy_file(from, to, LIVE_COPY_MOST, reason);
}

static void answer_copy(int handle, struct answer *answer, int *fd)
{
	int from = open_untrusted_handle(fcntl(handle, F_DUPFD_CLOEXEC, 0), &answer->reason);
	int to;

	if (from < 0)
		return;
	to = memfd_create("copy", MFD_CLOEXEC);
	if (to < 0)
		reason_set(&answer->reason, "cannot be copied: %s", strerror(errno));
	else if (copy_as_others(from, to, &answer->reason))
		*fd = to;
	else
		close(to);
	close(from);
}

static void answer_question(const struct worker_message *message, struct worker_message *answer)
{
	*(struct answer *)answer->data = (struct answer){};
	if (message->fd >= 0)
		answer_copy(message->fd, answer->data, &answer->fd);
	else
		answer_open(message->data, answer->data, &answer->fd);
}

/* ------------------------------------------------------------ the parent -- */

static struct live_wait *wait_of(const struct live_opener *opener, uint64_t user)
{
	size_t i;

	for (i = 0; i < opener->nr_waits; i++)
		if (opener->waits[i].user == user)
			return &opener->waits[i];
	return NULL;
}

static void add_wait(struct live_opener *opener, uint64_t user, uint64_t ns, uint64_t now)
{
	struct live_wait *wait = wait_of(opener, user);

	if (wait)
		wait->ns += ns;
	else if (array_reserve(opener->waits, opener->nr_waits))
		opener->waits[opener->nr_waits++] = (struct live_wait){ user, ns, now };
}

static bool may_wait(struct live_opener *opener, uint64_t user)
{
	struct live_wait *wait = wait_of(opener, user);
	uint64_t now = clock_ns(CLOCK_MONOTONIC), back;

	if (!wait)
		return true;
	back = (now - wait->since) / LIVE_WAIT_BACK;
	wait->ns -= back < wait->ns ? back : wait->ns;
	wait->since = now;
	return wait->ns < LIVE_WAIT_NS;
}

/* Of the time of @user. A descriptor, or -1 with the answer's reason. */
static int ask(struct live_opener *opener, const struct worker_message *message, uint64_t user,
	       struct answer *answer)
{
	struct worker_message answer_ = { answer, sizeof(*answer), -1 };
	uint64_t begin = clock_ns(CLOCK_MONOTONIC), end;
	int error = worker_ask(&opener->worker, message, &answer_);

	end = clock_ns(CLOCK_MONOTONIC);
	if (end - begin > SLOW_NS)
		add_wait(opener, user, end - begin, end);
	if (!error)
		return answer_.fd;
	if (error == ETIMEDOUT)
		reason_set(&answer->reason, "its server does not answer");
	else if (error == EBUSY)
		reason_set(&answer->reason, "%d other files' servers do not answer",
			   WORKERS_LEFT_MAX);
	else
		reason_set(&answer->reason, "%s", strerror(error));
	return -1;
}

bool live_open_mapped(struct live_opener *opener, uint32_t pid, uint64_t addr, const char *path,
		      struct live_file *file, struct reason *reason)
{
	struct process_owner owner = { NOBODY_KNOWN, true };
	struct question question = { .pid = pid, .addr = addr };
	struct worker_message message = { &question, sizeof(question), -1 };
	struct answer answer;

	if (pid)
		process_owner(pid, &owner);
	/* Whoever can make root's paths slow need not. */
	question.may_wait = owner.in_our_namespace && (!owner.user || may_wait(opener, owner.user));
	snprintf(question.path, sizeof(question.path), "%s", path);
	opener->worker.patience_ms = PATIENCE_MS;
	*file = (struct live_file){ .user = owner.user };
	file->fd = ask(opener, &message, owner.user, &answer);
	file->unread = file->fd >= 0 && answer.unread;
	*reason = answer.reason;
	return file->fd >= 0;
}

int live_open(struct live_opener *opener, const char *path, struct reason *reason)
{
	struct live_file file;

	if (!live_open_mapped(opener, 0, 0, path, &file, reason) || !file.unread)
		return file.fd;
	reason_set(reason, LIVE_ON_FUSE);
	close(file.fd);
	return -1;
}

int live_copy(struct live_opener *opener, const struct live_file *file, struct reason *reason)
{
	struct question unused = {};
	struct worker_message message = { &unused, sizeof(unused), file->fd };
	struct answer answer;
	int fd;

	if (!may_wait(opener, file->user)) {
		reason_set(reason, LIVE_ON_FUSE);
		return -1;
	}
	opener->worker.patience_ms = COPY_PATIENCE_MS;
	fd = ask(opener, &message, file->user, &answer);
	*reason = answer.reason;
	return fd;
}

void live_opener_init(struct live_opener *opener)
{
	*opener = (struct live_opener){
		.worker = {
			.task = answer_question,
			.question_max = sizeof(struct question),
			.answer_max = sizeof(struct answer),
			.socket = -1,
		},
	};
}

bool live_knows_fuse(struct buildid *module)
{
	uint64_t record[BUILDID_RECORD_MAX / sizeof(uint64_t)];
	const struct buildid_file *file;
	int handle = open("/proc/self/exe", O_PATH | O_CLOEXEC);
	int err = buildid_resolve_fd(module, handle, record, sizeof(record), &file);

	close(handle);
	return !err;
}

void live_opener_end(struct live_opener *opener)
{
	worker_end(&opener->worker);
	free(opener->waits);
}
