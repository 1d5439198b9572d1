// SPDX-License-Identifier: GPL-2.0
/* Open regular files: the descriptor is checked, not the path. */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "array.h"
#include "open_regular.h"
#include "supervise.h"

/*
 * Their files are regular in type only: some have no end, some make a driver act, and some, such as
 * /proc/kmsg, take what is read away from other readers.
 */
static bool is_pseudo(int fd)
{
	static const unsigned int magics[] = {
		PROC_SUPER_MAGIC,
		SYSFS_MAGIC,
		DEBUGFS_MAGIC,
		TRACEFS_MAGIC,
	};
	struct statfs filesystem;
	size_t i;

	if (fstatfs(fd, &filesystem))
		return true;
	for (i = 0; i < ARRAY_SIZE(magics); i++)
		if ((unsigned int)filesystem.f_type == magics[i])
			return true;
	return false;
}

/* The path may be a link, even in /proc/PID/map_files. */
static void note_opened(int handle)
{
	char link[32], target[PATH_MAX];
	ssize_t size;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", handle);
	size = readlink(link, target, sizeof(target) - 1);
	if (size <= 0)
		return;
	target[size] = '\0';
	supervise_opens(target);
}

/* Closes @handle, an O_PATH descriptor or -1 with errno. @own: its path, if the user's. */
static int reopen(int handle, const char *own, struct reason *reason)
{
	char path[64];
	struct stat stat_;
	int fd = -1;

	/* Even fstat(2) may ask a server. */
	if (handle >= 0 && !own)
		note_opened(handle);
	if (handle < 0 || fstat(handle, &stat_)) {
		reason_set(reason, "%s", strerror(errno));
	} else if (S_ISDIR(stat_.st_mode)) {
		reason_set(reason, "%s", strerror(EISDIR));
	} else if (!S_ISREG(stat_.st_mode) || (!own && is_pseudo(handle))) {
		reason_set(reason, "not a regular file");
	} else {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", handle);
		/* O_NONBLOCK, or it would wait for the holder of a lease on the file. */
		fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
		/* There may be no /proc in a chroot. */
		if (fd < 0 && errno == ENOENT && own)
			fd = open(own, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
		if (fd < 0)
			reason_set(reason, "%s", strerror(errno));
	}
	if (handle >= 0)
		close(handle);
	return fd;
}

int open_regular(const char *path, struct reason *reason)
{
	return reopen(open(path, O_PATH | O_CLOEXEC), path, reason);
}

int open_untrusted_handle(int handle, struct reason *reason)
{
	return reopen(handle, NULL, reason);
}

int open_untrusted(int directory, const char *path, struct reason *reason)
{
	supervise_opens(path);
	return reopen(openat(directory, path, O_PATH | O_CLOEXEC), NULL, reason);
}

int open_untrusted_in(int root, const char *path, struct reason *reason)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT };

	supervise_opens(path);
	return reopen((int)syscall(SYS_openat2, root, path, &how, sizeof(how)), NULL, reason);
}
