// SPDX-License-Identifier: GPL-2.0
/*
 * Open for store --live. Each way leads to an O_PATH descriptor, for which the module says whether
 * the file is on FUSE, perhaps below an overlayfs: opening that would already be a request to the
 * server. Such a file stays an O_PATH descriptor until a worker copies its content.
 */

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/param.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/copy.h"
#include "common/open_regular.h"
#include "common/waits.h"
#include "content/content.h"
#include "content/mapped_files.h"
#include "content/process_user.h"
#include "live_open.h"

#define TIMEOUT_MS 1000
/* For all of a file. */
#define COPY_TIMEOUT_MS 2000
/* For a user who has used up their time: longer than it takes without delays. */
#define SHORT_TIMEOUT_MS 20
/* Longer than a disk takes for a path. */
#define SLOW_NS 500000000ULL

#define WAITED_ENOUGH "other files of that user have taken too long"

struct question {
	enum {
		OPEN,
		COPY,
		HOLD,
		RELEASE
	} task;
	uint32_t pid; /* 0: whatever is at @path here */
	bool may_wait;
	int handle; /* the parent's descriptor */
	uint64_t addr;
	char path[BUILDID_RECORD_MAX];
};

struct answer {
	struct reason reason;
	bool unread;
	bool done;
};

/* ------------------------------------------------------------ the worker -- */

/* False with @reason; else sets @fuse if a read of it may never end. */
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

static int live_open_walk(int root, const char *path, uint64_t resolve)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = resolve };

	return (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
}

/* EAGAIN for a path that is not in memory, or on a filesystem that has to ask a server. */
static int walk_or_wait(int root, const char *path, uint64_t resolve, bool may_wait)
{
	int handle = live_open_walk(root, path, resolve | RESOLVE_CACHED);

	if (handle >= 0 || errno != EAGAIN || !may_wait)
		return handle;
	return live_open_walk(root, path, resolve | RESOLVE_NO_MAGICLINKS);
}

static int live_open_find(const struct question *question)
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
	int handle = live_open_find(question);

	if (handle < 0 && errno == EAGAIN)
		reason_set(&answer->reason, "its path may lead to a server that does not answer");
	else if (handle < 0)
		reason_set(&answer->reason, "%s", strerror(errno));
	else if (!ask_module(handle, &answer->unread, &answer->reason))
		close(handle);
	else
		*fd = answer->unread ? handle : open_untrusted_handle(handle, &answer->reason);
}

/* Reopen the parent's descriptor, without asking the server. */
static int open_of_parent(int handle)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/fd/%d", getppid(), handle);
	return open(path, O_PATH | O_CLOEXEC);
}

/* A server may claim any owner. */
static bool copy_as_others(int from, int to, struct reason *reason)
{
	struct stat stat_;

	if (fstat(from, &stat_) || fchmod(to, (stat_.st_mode & 0666) | CONTENT_COPY))
		return reason_set(reason, "%s", strerror(errno));
	return copy_file(from, to, LIVE_COPY_MOST, reason);
}

static void answer_copy(const struct question *question, int to, struct answer *answer)
{
	int from = open_untrusted_handle(open_of_parent(question->handle), &answer->reason);

	if (from < 0)
		return;
	answer->done = copy_as_others(from, to, &answer->reason);
	close(from);
}

static void answer_question(const struct worker_message *message, struct worker_message *answer)
{
	const struct question *question = message->data;
	struct answer *result = answer->data;
	/* Whoever closes a file last may have to wait for its filesystem. */
	static int held;

	*result = (struct answer){};
	switch (question->task) {
	case OPEN:
		answer_open(question, result, &answer->fd);
		break;
	case COPY:
		answer_copy(question, message->fd, result);
		break;
	case HOLD:
		held = open_of_parent(question->handle);
		result->done = held >= 0;
		break;
	case RELEASE:
		close(held);
		break;
	}
}

/* ------------------------------------------------------------ the parent -- */

static bool may_wait(struct live_opener *opener, uint64_t user)
{
	return worker_left(&opener->worker, user) < LIVE_LEFT_MAX &&
	       waits_spent(user) < LIVE_WAIT_NS;
}

/*
 * Any request for this user may take time, or leave one more worker behind. Files of root and of
 * exited processes are never refused, as other users may have caused their delays.
 */
static bool is_refused(struct live_opener *opener, uint64_t user)
{
	return user && user != PROCESS_OF_NOBODY_KNOWN &&
	       (worker_left(&opener->worker, user) >= LIVE_LEFT_MAX ||
		waits_spent(user) >= LIVE_WAIT_MOST_NS);
}

/* Time beyond @given is charged to @user. False with the answer's reason. */
static bool live_open_ask(struct live_opener *opener, const struct worker_message *message,
			  uint64_t user, uint64_t given, struct worker_message *answer)
{
	struct reason *reason = &((struct answer *)answer->data)->reason;
	uint64_t begin = clock_ns(CLOCK_MONOTONIC), took;
	int error;

	opener->worker.user = user;
	error = worker_ask(&opener->worker, message, answer);
	took = clock_ns(CLOCK_MONOTONIC) - begin;
	if (took > given)
		waits_charge(user, took, LIVE_WAIT_MOST_NS);
	if (!error)
		return true;
	if (error == ETIMEDOUT)
		reason_set(reason, "its server does not answer");
	else if (error == EBUSY)
		reason_set(reason, "%d other files' servers do not answer", WORKERS_LEFT_MAX);
	else
		reason_set(reason, "%s", strerror(error));
	return false;
}

static bool open_file(struct live_opener *opener, struct question *question, uint64_t user,
		      struct live_file *file, struct reason *reason)
{
	struct worker_message message = { question, sizeof(*question), -1 };
	struct answer result = {};
	struct worker_message answer = { &result, sizeof(result), -1 };
	bool patient = may_wait(opener, user);

	*file = (struct live_file){ .fd = -1, .user = user };
	if (is_refused(opener, user))
		return reason_set(reason, WAITED_ENOUGH);
	question->may_wait &= patient;
	/* A user who can lock the address space of root's processes needs no other way. */
	opener->worker.timeout_ms = patient || !user ? TIMEOUT_MS : SHORT_TIMEOUT_MS;
	if (live_open_ask(opener, &message, user, patient ? SLOW_NS : 0, &answer))
		file->fd = answer.fd;
	file->unread = result.unread;
	*reason = result.reason;
	return file->fd >= 0;
}

bool live_open_mapped(struct live_opener *opener, uint32_t pid, uint64_t addr, const char *path,
		      struct live_file *file, struct reason *reason)
{
	struct question question = { .task = OPEN, .pid = pid, .addr = addr };
	uint64_t user = process_blamed(pid, &question.may_wait);

	/* There is no path but the one here. */
	question.may_wait |= !pid;

	snprintf(question.path, sizeof(question.path), "%s", path);
	return open_file(opener, &question, user, file, reason);
}

int live_open(struct live_opener *opener, uint64_t user, const char *path, struct reason *reason)
{
	struct question question = { .task = OPEN, .may_wait = true };
	struct live_file file;

	snprintf(question.path, sizeof(question.path), "%s", path);
	if (!open_file(opener, &question, user, &file, reason) || !file.unread)
		return file.fd;
	reason_set(reason, LIVE_ON_FUSE);
	live_close(opener, &file);
	return -1;
}

/* A worker that is left behind leaves nothing usable. */
static int copied(int to, const struct answer *result, struct reason *reason)
{
	*reason = result->reason;
	if (result->done)
		return to;
	(void)!ftruncate(to, 0);
	close(to);
	return -1;
}

int live_copy(struct live_opener *opener, const struct live_file *file, struct reason *reason)
{
	struct question question = { .task = COPY, .handle = file->fd };
	struct worker_message message = { &question, sizeof(question), -1 };
	struct answer result = {};
	struct worker_message answer = { &result, sizeof(result), -1 };

	if (!may_wait(opener, file->user)) {
		reason_set(reason, WAITED_ENOUGH);
		return -1;
	}
	message.fd = memfd_create("copy", MFD_CLOEXEC);
	if (message.fd < 0) {
		reason_set(reason, "cannot be copied: %s", strerror(errno));
		return -1;
	}
	opener->worker.timeout_ms = COPY_TIMEOUT_MS;
	live_open_ask(opener, &message, file->user, 0, &answer);
	return copied(message.fd, &result, reason);
}

/*
 * Closing a file last may unmount its filesystem, and write that out: never in this process.
 * Without a worker the descriptor stays open: for no more files than are queued, as no more are
 * opened then.
 */
static void close_unread(struct live_opener *opener, const struct live_file *file)
{
	struct question question = { .task = HOLD, .handle = file->fd };
	struct worker_message message = { &question, sizeof(question), -1 };
	struct answer result = {};
	struct worker_message answer = { &result, sizeof(result), -1 };

	/* No server can delay that. */
	opener->worker.timeout_ms = TIMEOUT_MS;
	if (is_refused(opener, file->user) ||
	    !live_open_ask(opener, &message, file->user, SLOW_NS, &answer) || !result.done)
		return;
	close(file->fd);
	question.task = RELEASE;
	answer.size = sizeof(result);
	opener->worker.timeout_ms = may_wait(opener, file->user) ? TIMEOUT_MS : SHORT_TIMEOUT_MS;
	live_open_ask(opener, &message, file->user, 0, &answer);
}

void live_close(struct live_opener *opener, const struct live_file *file)
{
	if (file->unread)
		close_unread(opener, file);
	else if (file->fd >= 0)
		close(file->fd);
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

void live_opener_end(struct live_opener *opener)
{
	worker_end(&opener->worker);
}
