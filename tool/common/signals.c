// SPDX-License-Identifier: GPL-2.0
/* Signals: through signalfd(2). One user at a time, as a process has one mask. */

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "signals.h"

static sigset_t mask_before;
static struct sigaction pipe_before;

/* A blocked signal is delivered even if it is ignored, as by nohup(1). */
static bool is_ignored(int number)
{
	struct sigaction action;

	return !sigaction(number, NULL, &action) && action.sa_handler == SIG_IGN;
}

int signals_open_with(const int *numbers, size_t count)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	sigset_t mask;
	int fd;

	sigemptyset(&mask);
	sigaddset(&mask, SIGINT);
	sigaddset(&mask, SIGTERM);
	sigaddset(&mask, SIGCHLD);
	while (count--)
		if (!is_ignored(numbers[count]))
			sigaddset(&mask, numbers[count]);
	fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		return -errno;
	sigprocmask(SIG_BLOCK, &mask, &mask_before);
	sigaction(SIGPIPE, &ignore, &pipe_before);
	return fd;
}

int signals_open(void)
{
	return signals_open_with(NULL, 0);
}

int signals_read_from(int fd, pid_t *sender)
{
	struct signalfd_siginfo info;

	if (read(fd, &info, sizeof(info)) != sizeof(info))
		return 0;
	/*
	 * SI_USER and other codes for signals from processes are not positive. A sender outside our
	 * pid namespace has no pid here.
	 */
	*sender = info.ssi_code > 0 ? 0 : info.ssi_pid ? (pid_t)info.ssi_pid : -1;
	return (int)info.ssi_signo;
}

int signals_read(int fd)
{
	pid_t sender;

	return signals_read_from(fd, &sender);
}

void signals_restore(void)
{
	sigaction(SIGPIPE, &pipe_before, NULL);
	sigprocmask(SIG_SETMASK, &mask_before, NULL);
}

void signals_close(int fd)
{
	/* A pending signal that was not read must not end us now. */
	while (signals_read(fd))
		;
	close(fd);
	signals_restore();
}
