// SPDX-License-Identifier: GPL-2.0
/* Signals: through signalfd(2). One user at a time, as a process has one mask. */

#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "signals.h"

static sigset_t mask_before, mask_now;
static struct sigaction pipe_before;

int signals_open(void)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	int fd;

	sigemptyset(&mask_now);
	sigaddset(&mask_now, SIGINT);
	sigaddset(&mask_now, SIGTERM);
	sigaddset(&mask_now, SIGCHLD);
	fd = signalfd(-1, &mask_now, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		return -errno;
	sigprocmask(SIG_BLOCK, &mask_now, &mask_before);
	sigaction(SIGPIPE, &ignore, &pipe_before);
	return fd;
}

void signals_add(int fd, int number)
{
	sigaddset(&mask_now, number);
	signalfd(fd, &mask_now, 0);
	sigprocmask(SIG_BLOCK, &mask_now, NULL);
}

int signals_read(int fd)
{
	struct signalfd_siginfo info;

	if (read(fd, &info, sizeof(info)) != sizeof(info))
		return 0;
	return (int)info.ssi_signo;
}

void signals_restore(void)
{
	sigaction(SIGPIPE, &pipe_before, NULL);
	sigprocmask(SIG_SETMASK, &mask_before, NULL);
}

void signals_close(int fd)
{
	/* One that came and was not read must not end us after all. */
	while (signals_read(fd))
		;
	close(fd);
	signals_restore();
}
