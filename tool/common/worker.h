/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Worker: a child process for operations that may never end. A process that waits for a FUSE or NFS
 * server that does not reply cannot stop waiting, even when killed. So a worker does the waiting,
 * and is left behind if it does not answer in time.
 *
 * A worker inherits no open file, and only has the descriptors that come with a question.
 */
#ifndef TOOL_WORKER_H
#define TOOL_WORKER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* At most this many are left behind at a time; then no more questions are sent. */
#define WORKERS_LEFT_MAX 64

/**
 * struct worker_message - a question or an answer
 * @data: of both
 * @size: of @data; when receiving, first the size of the buffer, then that of the message
 * @fd: a descriptor that goes with it, or -1
 */
struct worker_message {
	void *data;
	size_t size;
	int fd;
};

/*
 * Runs in the worker: fills in the buffer of @answer, its size and its descriptor. The descriptors
 * of both are closed afterwards.
 */
typedef void worker_task(const struct worker_message *question, struct worker_message *answer);

struct worker_left {
	pid_t pid;
	uint64_t user;
};

/* Initialized to { .task, .question_max, .answer_max, .timeout_ms, .socket = -1 }. */
struct worker {
	worker_task *task;
	size_t question_max, answer_max;
	int timeout_ms;
	uint64_t user; /* the user to blame for a worker that is left behind */
	int socket;
	pid_t pid;
	struct worker_left left[WORKERS_LEFT_MAX];
	size_t nr_left;
};

/*
 * Have @worker do its task; it is started for the first question. 0 with @answer, whose descriptor
 * the caller closes; else an errno: ETIMEDOUT if it was left behind, EBUSY if WORKERS_LEFT_MAX are.
 */
int worker_ask(struct worker *worker, const struct worker_message *question,
	       struct worker_message *answer);
/* The number of workers still left behind because of @user. */
size_t worker_left(struct worker *worker, uint64_t user);
void worker_end(struct worker *worker);
/* Whether this process is a worker. */
bool worker_is_self(void);

#endif
