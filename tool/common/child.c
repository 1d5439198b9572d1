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
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "signals.h"

static void exec(char **command, int output, int report)
{
	int error;

	signals_restore();
	if (output >= 0)
		dup2(output, STDOUT_FILENO);
	execvp(command[0], command);
	error = errno;
	if (write(report, &error, sizeof(error)) < 0)
		_exit(EXIT_FAILURE);
	_exit(error == ENOENT ? 127 : 126);
}

int child_start(char **command, int output, pid_t *child)
{
	int error = 0;
	int report[2];

	if (pipe2(report, O_CLOEXEC))
		return errno;
	*child = fork();
	if (!*child)
		exec(command, output, report[1]);
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
