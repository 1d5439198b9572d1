// SPDX-License-Identifier: GPL-2.0
/* Signals: through signalfd(2). One user at a time, as a process has one mask. */

#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "signals.h"

static sigset_t mask_before;
static struct sigaction pipe_before;

int signals_open(void)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	sigset_t mask;
	int fd;

	sigemptyset(&mask);
	sigaddset(&mask, SIGINT);
	sigaddset(&mask, SIGTERM);
	sigaddset(&mask, SIGCHLD);
	fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	if (fd < 0)
		return -errno;
	sigprocmask(SIG_BLOCK, &mask, &mask_before);
	sigaction(SIGPIPE, &ignore, &pipe_before);
	return fd;
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
