// SPDX-License-Identifier: GPL-2.0
/* Temporary: files that are named when they are whole. */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common.h"
#include "temporary.h"

/* No entry of perf's begins so. */
#define NAME ".new-%016" PRIx64

/* By chance: processes in two containers that share a HOME may be of one number. */
void temporary_make_name(char name[32])
{
	uint64_t number = 0;

	if (getrandom(&number, sizeof(number), GRND_NONBLOCK) != sizeof(number))
		number = clock_ns(CLOCK_MONOTONIC) ^ (uint64_t)getpid() << 40;
	snprintf(name, 32, NAME, number);
}

int temporary_parent(const char *path, const char **name)
{
	const char *slash = strrchr(path, '/');
	char *parent;
	int fd;

	*name = slash ? slash + 1 : path;
	parent = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
	fd = parent ? open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	free(parent);
	return fd;
}

bool temporary_open(struct temporary *temporary, int directory, mode_t mode)
{
	temporary->directory = directory;
	temporary->name[0] = '\0';
	temporary->fd = openat(directory, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
	if (temporary->fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
		return temporary->fd >= 0;
	temporary_make_name(temporary->name);
	temporary->fd = openat(directory, temporary->name, O_CREAT | O_EXCL | O_NOFOLLOW |
			       O_RDWR | O_CLOEXEC, mode);
	return temporary->fd >= 0;
}

static bool link_fd(int fd, int directory, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return !linkat(AT_FDCWD, path, directory, name, AT_SYMLINK_FOLLOW);
}

bool temporary_link(int fd, int directory, const char *name)
{
	char temporary[32];
	bool named;
	int error;

	temporary_make_name(temporary);
	if (!link_fd(fd, directory, temporary))
		return false;
	named = !renameat(directory, temporary, directory, name);
	error = errno;
	/* Still there when both are the same file. */
	unlinkat(directory, temporary, 0);
	errno = error;
	return named;
}

bool temporary_name(struct temporary *temporary, const char *name, bool replace)
{
	int directory = temporary->directory;

	if (!replace)
		return temporary->name[0] ?
			!linkat(directory, temporary->name, directory, name, 0) :
			link_fd(temporary->fd, directory, name);
	return temporary->name[0] ?
		!renameat(directory, temporary->name, directory, name) :
		temporary_link(temporary->fd, directory, name);
}

void temporary_close(struct temporary *temporary)
{
	if (temporary->name[0])
		unlinkat(temporary->directory, temporary->name, 0);
	if (temporary->fd >= 0)
		close(temporary->fd);
	temporary->fd = -1;
}
