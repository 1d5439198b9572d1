// SPDX-License-Identifier: GPL-2.0
/* Supervise: parent and child share the memory with the path. */

#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "columns.h"
#include "signals.h"
#include "supervise.h"

/* Time for a child to end, if it can. */
#define TIMEOUT_MS 1000

/* NULL for a command that is not supervised. */
static char *opens;

void supervise_opens(const char *path)
{
	if (opens)
		snprintf(opens, PATH_MAX, "%s", path);
}

static void end_alike(int status)
{
	if (WIFSIGNALED(status))
		child_end_alike(WTERMSIG(status));
	_exit(child_status(status));
}

static void end_without(pid_t child, int number)
{
	char *path = *opens ? columns_fit(opens, INT_MAX) : NULL;

	/* Not through stdio, whose buffers the child has as well. */
	dprintf(STDERR_FILENO, "buildid: %s: its server does not answer; process %d waits for it\n",
		path ? path : "a file", child);
	child_end_alike(number);
	_exit(128 + number);
}

/* Like SIGINT for a background job of a script. */
static bool is_ignored(int number)
{
	struct sigaction action;

	return !sigaction(number, NULL, &action) && action.sa_handler == SIG_IGN;
}

static void __attribute__((noreturn)) supervise_await(pid_t child, int signals)
{
	struct pollfd poll_ = { .fd = signals, .events = POLLIN };
	int ended = 0, number, status;

	for (;;) {
		if (!poll(&poll_, 1, ended ? TIMEOUT_MS : -1))
			end_without(child, ended);
		number = signals_read(signals);
		if (waitpid(child, &status, WNOHANG) > 0)
			end_alike(status);
		if (!number || number == SIGCHLD || is_ignored(number))
			continue;
		/* From a terminal the child got it, too; twice does no harm. */
		kill(child, number);
		ended = number;
	}
}

void supervise(void)
{
	char *shared =
		mmap(NULL, PATH_MAX, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t parent = getpid(), child;
	int signals;

	if (shared == MAP_FAILED)
		return;
	signals = signals_open_with(&(const int){ SIGHUP }, 1);
	if (signals < 0)
		return;
	/* If ignored, it would not be delivered. */
	signal(SIGCHLD, SIG_DFL);
	fflush(NULL);
	child = fork();
	opens = shared;
	if (child > 0)
		supervise_await(child, signals);
	signals_close(signals);
	if (child)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_FAILURE);
}
