/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Worker: a child process that does what may never end. A request to a FUSE or NFS server
 * that does not answer cannot be given up by who made it, not even when it is killed. So a
 * worker makes it, which is left behind when it does not answer in time.
 *
 * A worker has nothing of its parent's open, but for what a question brings.
 */
#ifndef TOOL_WORKER_H
#define TOOL_WORKER_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* At most this many are left behind at a time: then nothing is asked. */
#define WORKERS_LEFT_MAX 64

/**
 * struct worker_message - a question or an answer
 * @data: of both
 * @size: of @data; for what is received, the size of the buffer, and then of the message
 * @fd: a descriptor that goes with it, or -1
 */
struct worker_message {
	void *data;
	size_t size;
	int fd;
};

/*
 * Runs in the worker: sets what is in the buffer of @answer, its size and its descriptor.
 * The descriptors of both are closed behind it.
 */
typedef void worker_task(const struct worker_message *question, struct worker_message *answer);

struct worker_left {
	pid_t pid;
	uint64_t user;
};

/* Begins as { .task, .question_max, .answer_max, .patience_ms, .socket = -1 }. */
struct worker {
	worker_task *task;
	size_t question_max, answer_max;
	int patience_ms;
	uint64_t user; /* whom to hold responsible for a worker that is left behind */
	int socket;
	pid_t pid;
	struct worker_left left[WORKERS_LEFT_MAX];
	size_t nr_left;
};

/*
 * Have @worker do its task; it is started for the first question. 0 with @answer, whose
 * descriptor is the caller's to close; else an errno: ETIMEDOUT when it was left behind,
 * EBUSY when WORKERS_LEFT_MAX are.
 */
int worker_ask(struct worker *worker, const struct worker_message *question,
	       struct worker_message *answer);
/* How many are left behind for @user still. */
size_t worker_left(struct worker *worker, uint64_t user);
void worker_end(struct worker *worker);

#endif
