// SPDX-License-Identifier: GPL-2.0
/* Clock watch: a timer that never expires, but is cancelled when the clock is set. */

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "clock_watch.h"

static int arm(int fd)
{
	/* The kernel clamps this to its maximum, which the clock cannot be set to. */
	static const struct itimerspec never = { .it_value.tv_sec = LONG_MAX };

	return timerfd_settime(fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL);
}

int clock_watch_open(void)
{
	int fd = timerfd_create(CLOCK_REALTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	int err;

	if (fd < 0)
		return -errno;
	if (!arm(fd))
		return fd;
	err = -errno;
	close(fd);
	return err;
}

bool clock_watch_was_set(int fd)
{
	uint64_t expirations;

	if (read(fd, &expirations, sizeof(expirations)) >= 0 || errno != ECANCELED)
		return false;
	arm(fd);
	return true;
}
