// SPDX-License-Identifier: GPL-2.0
/* Descriptors: fails a test program that leaves some open, as LSan does for memory. */

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define MOST 1024

static char before[MOST];
static pid_t program;

static char is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

/* The first one, as its counterpart is the last one, behind those of the tests. */
__attribute__((constructor(101))) static void note_open(void)
{
	int fd;

	program = getpid();
	for (fd = 0; fd < MOST; fd++)
		before[fd] = is_open(fd);
}

__attribute__((destructor(101))) static void find_left_open(void)
{
	char link[32], path[256];
	int fd, left = 0;

	/* A child has those of the test that it was forked in. */
	if (getpid() != program)
		return;
	for (fd = 0; fd < MOST; fd++) {
		ssize_t length;

		if (before[fd] || !is_open(fd))
			continue;
		left++;
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		length = readlink(link, path, sizeof(path));
		fprintf(stderr, "# file descriptor %d is left open: %.*s\n", fd,
			length > 0 ? (int)length : 0, path);
	}
	if (left) {
		fflush(NULL);
		_exit(1);
	}
}
