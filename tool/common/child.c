// SPDX-License-Identifier: GPL-2.0
/*
 * Child: fork(2) and execvp(3), with the errno of a failed exec through a pipe.
 *
 * Not posix_spawn(3): glibc's leaves signals 32 and 33 ignored in the child, but a recorded program
 * must see the same environment as without a recording; and it does not run a script without "#!"
 * by sh, as execvp(3) and shells do.
 */

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "clock.h"
#include "signals.h"

#define NS_PER_MS 1000000

static void exec(char **command, int output, bool quiet, int report)
{
	int error;

	signals_restore();
	if (output >= 0)
		dup2(output, STDOUT_FILENO);
	if (quiet)
		dup2(open("/dev/null", O_WRONLY | O_CLOEXEC), STDERR_FILENO);
	execvp(command[0], command);
	error = errno;
	if (write(report, &error, sizeof(error)) < 0)
		_exit(EXIT_FAILURE);
	_exit(error == ENOENT ? 127 : 126);
}

/* As child_start(); @quiet: without its messages. */
static int start(char **command, int output, bool quiet, pid_t *child)
{
	int error = 0;
	int report[2];

	if (pipe2(report, O_CLOEXEC))
		return errno;
	*child = fork();
	if (!*child)
		exec(command, output, quiet, report[1]);
	if (*child < 0) {
		error = errno;
		*child = 0;
	}
	close(report[1]);
	/* A successful exec closes the pipe without writing. */
	if (read(report[0], &error, sizeof(error)) < 0)
		error = errno;
	close(report[0]);
	return error;
}

int child_start(char **command, int output, pid_t *child)
{
	return start(command, output, false, child);
}

static bool wait_readable(int fd, uint64_t deadline)
{
	struct pollfd wanted = { .fd = fd, .events = POLLIN };
	uint64_t now;

	do {
		now = clock_ns(CLOCK_MONOTONIC);
		if (now >= deadline)
			return false;
	} while (poll(&wanted, 1, (int)((deadline - now) / NS_PER_MS) + 1) <= 0);
	return true;
}

/* Up to the end of @fd; @text has room for CHILD_OUTPUT_MAX and a NUL. 0 or an errno. */
static int read_to_end(int fd, uint64_t deadline, char *text, size_t *size)
{
	ssize_t got;

	for (*size = 0; wait_readable(fd, deadline); *size += (size_t)got) {
		got = read(fd, text + *size, CHILD_OUTPUT_MAX + 1 - *size);
		if (got < 0)
			return errno;
		if (*size + (size_t)got > CHILD_OUTPUT_MAX)
			return EFBIG;
		text[*size + (size_t)got] = '\0';
		if (!got)
			return 0;
	}
	return ETIMEDOUT;
}

static int run_for(char **command, int timeout_ms, char *text, size_t *size)
{
	const uint64_t deadline = clock_ns(CLOCK_MONOTONIC) + (uint64_t)timeout_ms * NS_PER_MS;
	int ends[2], error;
	pid_t child = 0;

	if (pipe2(ends, O_CLOEXEC)) {
		error = errno;
	} else {
		error = start(command, ends[1], true, &child);
		close(ends[1]);
		if (!error)
			error = read_to_end(ends[0], deadline, text, size);
		close(ends[0]);
	}
	if (child <= 0)
		return error;
	kill(child, SIGKILL);
	/* One that waits for a disk or a server does not end before that does. */
	waitpid(child, NULL, error == ETIMEDOUT ? WNOHANG : 0);
	return error;
}

char *child_output(char **command, int timeout_ms, size_t *size)
{
	char *text = malloc(CHILD_OUTPUT_MAX + 1);
	int error = text ? run_for(command, timeout_ms, text, size) : ENOMEM;

	if (!error)
		return text;
	free(text);
	errno = error;
	return NULL;
}

int child_status(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

void child_end_alike(int number)
{
	sigset_t mask;

	fflush(NULL);
	prctl(PR_SET_DUMPABLE, 0);
	signal(number, SIG_DFL);
	sigemptyset(&mask);
	sigaddset(&mask, number);
	sigprocmask(SIG_UNBLOCK, &mask, NULL);
	raise(number);
}
