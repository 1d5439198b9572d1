// SPDX-License-Identifier: GPL-2.0
/*
 * Process file: a question is a name or a descriptor, an answer a descriptor or bytes. The
 * descriptor stays with the parent, so that it is of use to the worker after one that is left.
 */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>
#include <unistd.h>

#include "common/waits.h"
#include "process_file.h"
#include "process_user.h"

struct question {
	char path[96]; /* "": read */
	int flags;
	off_t offset;
	size_t size;
};

struct answer {
	int error;
	char bytes[PROCESS_FILE_PART];
};

static bool set_path(char *path, size_t size, uint32_t pid, const char *name)
{
	const int length = pid ? snprintf(path, size, "/proc/%" PRIu32 "/%s", pid, name) :
				 snprintf(path, size, "/proc/self/%s", name);

	return length > 0 && (size_t)length < size;
}

static ssize_t read_all(int fd, char *bytes, size_t size, off_t offset)
{
	size_t done = 0;
	ssize_t count;

	do {
		count = offset < 0 ? read(fd, bytes + done, size - done) :
				     pread(fd, bytes + done, size - done, offset + (off_t)done);
		if (count > 0)
			done += (size_t)count;
	} while ((count > 0 && done < size) || (count < 0 && errno == EINTR));
	return done || !count ? (ssize_t)done : -1;
}

/* ------------------------------------------------------------ the worker -- */

static void process_file_answer(const struct worker_message *message, struct worker_message *answer)
{
	const struct question *question = message->data;
	struct answer *result = answer->data;
	ssize_t size = 0;

	if (*question->path)
		answer->fd = open(question->path, question->flags | O_CLOEXEC);
	else
		size = read_all(message->fd, result->bytes, question->size, question->offset);
	result->error = (*question->path && answer->fd < 0) || size < 0 ? errno : 0;
	answer->size = offsetof(struct answer, bytes) + (size_t)MAX(size, 0);
}

/* ------------------------------------------------------------ the parent -- */

static struct worker process_worker;
static pid_t process_worker_owner;

static void end_worker(void)
{
	if (process_worker_owner == getpid())
		worker_end(&process_worker);
}

/* That of this process: a child of fork(2) may not ask its parent's. */
static struct worker *process_file_worker(void)
{
	if (!process_worker_owner)
		atexit(end_worker);
	if (process_worker_owner == getpid())
		return &process_worker;
	process_worker_owner = getpid();
	process_worker = (struct worker){
		.task = process_file_answer,
		.question_max = sizeof(struct question),
		.answer_max = sizeof(struct answer),
		.socket = -1,
	};
	return &process_worker;
}

static bool process_file_ask(uint64_t user, struct question *question, int fd,
			     struct answer *result, struct worker_message *answer)
{
	const struct waited waited = { .user = user };
	const struct worker_message message = { question, sizeof(*question), fd };

	*answer = (struct worker_message){ result, sizeof(*result), -1 };
	errno = waits_ask(&waited, process_file_worker(), &message, answer);
	if (!errno)
		errno = result->error;
	return !errno;
}

bool process_file_open(struct process_file *file, uint32_t pid, const char *name, int flags)
{
	struct question question = { .flags = flags };
	struct worker_message answer;
	bool in_our_namespace;
	struct answer result;

	*file = (struct process_file){ .fd = -1 };
	if (!set_path(question.path, sizeof(question.path), pid, name)) {
		errno = ENAMETOOLONG;
		return false;
	}
	file->direct = !pid || pid == (uint32_t)getpid() || worker_is_self();
	if (file->direct) {
		file->fd = open(question.path, flags | O_CLOEXEC);
	} else {
		file->user = process_blamed(pid, &in_our_namespace);
		if (process_file_ask(file->user, &question, -1, &result, &answer))
			file->fd = answer.fd;
		/* It was opened, but there is no room for it here. */
		if (file->fd < 0 && !errno)
			errno = EMFILE;
	}
	return file->fd >= 0;
}

ssize_t process_file_read(const struct process_file *file, void *bytes, size_t size, off_t offset)
{
	struct question question = { .offset = offset, .size = MIN(size, PROCESS_FILE_PART) };
	struct worker_message answer;
	struct answer result;
	size_t got;

	if (file->direct)
		return read_all(file->fd, bytes, size, offset);
	if (!process_file_ask(file->user, &question, file->fd, &result, &answer))
		return -1;
	got = MIN(answer.size - offsetof(struct answer, bytes), question.size);
	memcpy(bytes, result.bytes, got);
	return (ssize_t)got;
}

void process_file_close(const struct process_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
}
