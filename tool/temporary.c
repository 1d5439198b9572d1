// SPDX-License-Identifier: GPL-2.0
/* Temporary: files that are named when they are whole. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "temporary.h"

/* With the process: no entry of perf's has it. */
#define NAME ".new-%ld"

void temporary_make_name(int directory, char name[32])
{
	snprintf(name, 32, NAME, (long)getpid());
	unlinkat(directory, name, 0);
}

bool temporary_open(struct temporary *temporary, int directory, mode_t mode)
{
	temporary->directory = directory;
	temporary->name[0] = '\0';
	temporary->fd = openat(directory, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
	if (temporary->fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
		return temporary->fd >= 0;
	temporary_make_name(directory, temporary->name);
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

	temporary_make_name(directory, temporary);
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
