// SPDX-License-Identifier: GPL-2.0
/* Worker: questions and answers are messages of a socket, each with its descriptor. */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "worker.h"

/* The worker's end; 0 to 2 are /dev/null. */
#define SOCKET 3

struct envelope {
	struct iovec iov;
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))];
	struct msghdr header;
};

static void wrap(struct envelope *envelope, const struct worker_message *message)
{
	envelope->iov = (struct iovec){ message->data, message->size };
	envelope->header = (struct msghdr){
		.msg_iov = &envelope->iov,
		.msg_iovlen = 1,
		.msg_control = envelope->control,
		.msg_controllen = sizeof(envelope->control),
	};
}

static bool send_message(int socket, const struct worker_message *message)
{
	struct envelope envelope;
	struct cmsghdr *control;

	wrap(&envelope, message);
	if (message->fd < 0) {
		envelope.header.msg_control = NULL;
		envelope.header.msg_controllen = 0;
	} else {
		control = CMSG_FIRSTHDR(&envelope.header);
		*control = (struct cmsghdr){
			.cmsg_level = SOL_SOCKET,
			.cmsg_type = SCM_RIGHTS,
			.cmsg_len = CMSG_LEN(sizeof(message->fd)),
		};
		memcpy(CMSG_DATA(control), &message->fd, sizeof(message->fd));
	}
	return sendmsg(socket, &envelope.header, MSG_NOSIGNAL) >= 0;
}

/* False when the other end is closed, too. */
static bool receive_message(int socket, struct worker_message *message)
{
	const struct cmsghdr *control;
	struct envelope envelope;
	ssize_t size;

	wrap(&envelope, message);
	message->fd = -1;
	size = recvmsg(socket, &envelope.header, MSG_CMSG_CLOEXEC);
	if (size <= 0)
		return false;
	message->size = (size_t)size;
	control = CMSG_FIRSTHDR(&envelope.header);
	if (control)
		memcpy(&message->fd, CMSG_DATA(control), sizeof(message->fd));
	return true;
}

static void close_descriptor(const struct worker_message *message)
{
	if (message->fd >= 0)
		close(message->fd);
}

/* ------------------------------------------------------------ the worker -- */

static bool is_self;

/* Keeping the parent's output open would make its reader wait for the worker, too. */
static bool leave_all_but(int socket)
{
	int null = open("/dev/null", O_RDWR);
	int fd;

	if (null < 0)
		return false;
	socket = fcntl(socket, F_DUPFD, SOCKET + 1);
	for (fd = 0; fd < SOCKET; fd++)
		dup2(null, fd);
	return dup2(socket, SOCKET) == SOCKET && !close_range(SOCKET + 1, ~0U, 0);
}

static void work(const struct worker *worker, int socket)
{
	struct worker_message question = { .data = malloc(worker->question_max) };
	struct worker_message answer = { .data = malloc(worker->answer_max) };
	bool asked = true;

	is_self = true;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!question.data || !answer.data || !leave_all_but(socket))
		return;
	while (asked) {
		question.size = worker->question_max;
		asked = receive_message(SOCKET, &question);
		if (!asked)
			break;
		answer.size = worker->answer_max;
		answer.fd = -1;
		worker->task(&question, &answer);
		asked = send_message(SOCKET, &answer);
		close_descriptor(&question);
		close_descriptor(&answer);
	}
}

/* ------------------------------------------------------------ the parent -- */

/* Reap workers that have finished at last. */
static void worker_reap(struct worker *worker)
{
	size_t i, left = 0;

	for (i = 0; i < worker->nr_left; i++)
		if (!waitpid(worker->left[i].pid, NULL, WNOHANG))
			worker->left[left++] = worker->left[i];
	worker->nr_left = left;
}

static int worker_start(struct worker *worker)
{
	int sockets[2];

	worker_reap(worker);
	if (worker->socket >= 0)
		return 0;
	if (worker->nr_left == WORKERS_LEFT_MAX)
		return EBUSY;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets))
		return errno;
	worker->pid = fork();
	if (!worker->pid) {
		work(worker, sockets[1]);
		_exit(0);
	}
	close(sockets[1]);
	if (worker->pid > 0) {
		worker->socket = sockets[0];
		return 0;
	}
	close(sockets[0]);
	return EAGAIN;
}

static void leave_behind(struct worker *worker)
{
	kill(worker->pid, SIGKILL);
	close(worker->socket);
	worker->socket = -1;
	worker->left[worker->nr_left++] = (struct worker_left){ worker->pid, worker->user };
}

static int worker_await(const struct worker *worker, struct worker_message *answer)
{
	struct pollfd poll_ = { .fd = worker->socket, .events = POLLIN };
	int ready;

	do {
		ready = poll(&poll_, 1, worker->timeout_ms);
	} while (ready < 0 && errno == EINTR);
	if (!ready)
		return ETIMEDOUT;
	return receive_message(worker->socket, answer) ? 0 : EIO;
}

int worker_ask(struct worker *worker, const struct worker_message *question,
	       struct worker_message *answer)
{
	int error = worker_start(worker);

	if (error)
		return error;
	error = send_message(worker->socket, question) ? worker_await(worker, answer) : errno;
	if (error)
		leave_behind(worker);
	return error;
}

size_t worker_left(struct worker *worker, uint64_t user)
{
	size_t i, count = 0;

	worker_reap(worker);
	for (i = 0; i < worker->nr_left; i++)
		count += worker->left[i].user == user;
	return count;
}

bool worker_is_self(void)
{
	return is_self;
}

void worker_end(struct worker *worker)
{
	if (worker->socket < 0)
		return;
	close(worker->socket);
	worker->socket = -1;
	waitpid(worker->pid, NULL, 0);
}
