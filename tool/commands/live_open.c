// SPDX-License-Identifier: GPL-2.0
/*
 * Open for store --live. Others' records wait in the ring as long as a server has to
 * answer: what is on a disk is open within microseconds.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/open_regular.h"
#include "content/mapped_files.h"
#include "libbuildid/libbuildid.h"
#include "live_open.h"

#define PATIENCE_MS 1000

struct question {
	uint32_t pid; /* 0: whatever is at @path */
	uint64_t addr;
	char path[BUILDID_RECORD_MAX];
};

/* The module sees what is below an overlayfs, and tells by reading the file. */
static bool may_read(int fd, struct reason *reason)
{
	static uint64_t record[BUILDID_RECORD_MAX / sizeof(uint64_t)];
	/* The worker's own. */
	static struct buildid *handle;
	const struct buildid_file *file;
	int err = handle ? 0 : buildid_open(&handle);

	if (!err)
		err = buildid_resolve_fd(handle, fd, record, sizeof(record), &file);
	if (err)
		return reason_set(reason, "%s", strerror(-err));
	if (file->flags & BUILDID_FILE_FUSE)
		return reason_set(reason, LIVE_ON_FUSE);
	return true;
}

static void answer_open(const struct worker_message *message, struct worker_message *answer)
{
	const struct question *question = message->data;
	struct reason *reason = answer->data;

	reason_set(reason, "%s", "");
	if (question->pid)
		answer->fd =
			mapped_file_open_at(question->pid, question->addr, question->path, reason);
	else
		answer->fd = open_untrusted(AT_FDCWD, question->path, reason);
	if (answer->fd >= 0 && !may_read(answer->fd, reason)) {
		close(answer->fd);
		answer->fd = -1;
	}
}

struct worker live_opener(void)
{
	return (struct worker){
		.task = answer_open,
		.question_max = sizeof(struct question),
		.answer_max = sizeof(struct reason),
		.patience_ms = PATIENCE_MS,
		.socket = -1,
	};
}

int live_open_mapped(struct worker *opener, uint32_t pid, uint64_t addr, const char *path,
		     struct reason *reason)
{
	struct question question = { .pid = pid, .addr = addr };
	struct worker_message message = { &question, sizeof(question), -1 };
	struct worker_message answer = { reason, sizeof(*reason), -1 };
	int error;

	snprintf(question.path, sizeof(question.path), "%s", path);
	error = worker_ask(opener, &message, &answer);
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

int live_open(struct worker *opener, const char *path, struct reason *reason)
{
	return live_open_mapped(opener, 0, 0, path, reason);
}
