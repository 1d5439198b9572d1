// SPDX-License-Identifier: GPL-2.0
/* Child: a command that runs beside this program. */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "signals.h"

static void run(char **command, int output, int report)
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
		run(command, output, report[1]);
	if (*child < 0) {
		error = errno;
		*child = 0;
	}
	close(report[1]);
	/* Closed by exec without a word when all is well. */
	if (read(report[0], &error, sizeof(error)) < 0)
		error = errno;
	close(report[0]);
	return error;
}

int child_status(int status)
{
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
