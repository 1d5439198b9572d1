// SPDX-License-Identifier: GPL-2.0
/*
 * Lookup child: a question is a path with a descriptor of its root directory, an answer a
 * struct lookup, each one message. The child has nothing of its parent's open: a reader of
 * the parent's output would wait for it, too.
 */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/param.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/open_regular.h"
#include "lookup_child.h"

/* Halved by each silence, as a user may have many users' processes: twice that in all. */
#define PATIENCE_MS	  5000
#define PATIENCE_HALVINGS 6

/* The one message that carries a descriptor. */
struct question {
	char path[BUILDID_RECORD_MAX];
	struct iovec iov;
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))];
	struct msghdr message;
};

static void question_init(struct question *question, size_t size)
{
	question->iov = (struct iovec){ question->path, size };
	question->message = (struct msghdr){
		.msg_iov = &question->iov,
		.msg_iovlen = 1,
		.msg_control = question->control,
		.msg_controllen = sizeof(question->control),
	};
}

/* ------------------------------------------------------------- the child -- */

/* open_untrusted_in() says it in words. What is no regular file is none to compare with. */
static int why_not(int root, const char *path)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT };
	int fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
	struct stat stat_;
	int error;

	if (fd < 0)
		return errno;
	error = fstat(fd, &stat_) ? errno : S_ISREG(stat_.st_mode) ? EACCES : ENOENT;
	close(fd);
	return error;
}

static void look_up(struct buildid *handle, int root, const char *path, struct lookup *lookup)
{
	const struct buildid_file *file;
	struct reason reason;
	int fd = open_untrusted_in(root, path, &reason);

	memset(lookup, 0, sizeof(*lookup));
	if (fd < 0) {
		lookup->error = why_not(root, path);
		return;
	}
	lookup->error =
		-buildid_resolve_fd(handle, fd, lookup->record, sizeof(lookup->record), &file);
	close(fd);
}

/* The root directory that came with a question, or -1 when there is none any more. */
static int receive(int socket, struct question *question)
{
	const struct cmsghdr *control;
	ssize_t size;
	int root;

	question_init(question, sizeof(question->path) - 1);
	size = recvmsg(socket, &question->message, MSG_CMSG_CLOEXEC);
	control = size > 0 ? CMSG_FIRSTHDR(&question->message) : NULL;
	if (!control)
		return -1;
	question->path[size] = '\0';
	memcpy(&root, CMSG_DATA(control), sizeof(root));
	return root;
}

static void leave_all_but(int socket)
{
	int null = open("/dev/null", O_RDWR);
	int fd;

	for (fd = 0; fd < 3; fd++)
		dup2(null, fd);
	dup2(socket, 3);
	close_range(4, ~0U, 0);
}

static void answer_all(int socket)
{
	static struct question question;
	static struct lookup lookup;
	struct buildid *handle;
	int root;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	leave_all_but(socket);
	if (buildid_open(&handle))
		return;
	while ((root = receive(3, &question)) >= 0) {
		look_up(handle, root, question.path, &lookup);
		close(root);
		if (send(3, &lookup, sizeof(lookup), MSG_NOSIGNAL) < 0)
			return;
	}
}

/* ------------------------------------------------------------ the parent -- */

static bool start(struct lookup_child *child)
{
	int sockets[2];

	if (child->socket >= 0)
		return true;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets))
		return false;
	child->pid = fork();
	if (!child->pid) {
		answer_all(sockets[1]);
		_exit(0);
	}
	close(sockets[1]);
	if (child->pid > 0) {
		child->socket = sockets[0];
		return true;
	}
	close(sockets[0]);
	return false;
}

static bool ask(const struct lookup_child *child, int root, const char *path)
{
	static struct question question;
	struct cmsghdr *control;
	size_t size = strlen(path);

	if (!size || size >= sizeof(question.path))
		return false;
	memcpy(question.path, path, size);
	question_init(&question, size);
	control = CMSG_FIRSTHDR(&question.message);
	*control = (struct cmsghdr){
		.cmsg_level = SOL_SOCKET,
		.cmsg_type = SCM_RIGHTS,
		.cmsg_len = CMSG_LEN(sizeof(root)),
	};
	memcpy(CMSG_DATA(control), &root, sizeof(root));
	return sendmsg(child->socket, &question.message, MSG_NOSIGNAL) >= 0;
}

/* 0 or an errno. */
static int await(const struct lookup_child *child, struct lookup *lookup)
{
	struct pollfd poll_ = { .fd = child->socket, .events = POLLIN };
	int ready;

	do {
		ready = poll(&poll_, 1, PATIENCE_MS >> MIN(child->silences, PATIENCE_HALVINGS));
	} while (ready < 0 && errno == EINTR);
	if (!ready)
		return ETIMEDOUT;
	return recv(child->socket, lookup, sizeof(*lookup), 0) == sizeof(*lookup) ? 0 : EIO;
}

/* It cannot be waited for: it may never end. Whoever adopts it will. */
static void leave_behind(struct lookup_child *child)
{
	kill(child->pid, SIGKILL);
	close(child->socket);
	child->socket = -1;
}

void lookup_child_find(struct lookup_child *child, int root, const char *path,
		       struct lookup *lookup)
{
	int error;

	lookup->error = EIO;
	if (!start(child) || !ask(child, root, path))
		return;
	error = await(child, lookup);
	if (!error)
		return;
	lookup->error = error;
	child->silences += error == ETIMEDOUT;
	leave_behind(child);
}

void lookup_child_end(struct lookup_child *child)
{
	if (child->socket < 0)
		return;
	close(child->socket);
	child->socket = -1;
	waitpid(child->pid, NULL, 0);
}
