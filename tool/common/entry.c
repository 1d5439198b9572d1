// SPDX-License-Identifier: GPL-2.0
/* Entries of directories: made by descriptor and name, never by path. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "entry.h"

/* A slash in it would make the kernel follow the part before it. "." can only be opened. */
static bool is_name(const char *name)
{
	if (*name && !strchr(name, '/') && strcmp(name, "..") != 0)
		return true;
	errno = EINVAL;
	return false;
}

int entry_unnamed(int directory, mode_t mode)
{
	return openat(directory, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
}

int entry_create(int directory, const char *name, mode_t mode)
{
	const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;

	return is_name(name) ? openat(directory, name, flags, mode) : -1;
}

int entry_open_directory(int directory, const char *name)
{
	const int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

	return is_name(name) ? openat(directory, name, flags) : -1;
}

int entry_make_directory(int directory, const char *name, mode_t mode)
{
	if (!is_name(name) || mkdirat(directory, name, mode))
		return -1;
	return entry_open_directory(directory, name);
}

int entry_need_directory(int directory, const char *name, mode_t mode)
{
	if (!is_name(name) || (mkdirat(directory, name, mode) && errno != EEXIST))
		return -1;
	return entry_open_directory(directory, name);
}

/* With a second link it may be a file that others rely on. */
static bool is_own_file(int fd)
{
	struct stat status;

	if (fstat(fd, &status))
		return false;
	errno = EPERM;
	return S_ISREG(status.st_mode) && status.st_uid == geteuid() && status.st_nlink == 1;
}

int entry_need_file(int directory, const char *name, mode_t mode)
{
	const int flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
	int fd = is_name(name) ? openat(directory, name, flags, mode) : -1;

	if (fd < 0 || is_own_file(fd))
		return fd;
	close(fd);
	errno = EPERM;
	return -1;
}

bool entry_link_fd(int fd, int directory, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return is_name(name) && !linkat(AT_FDCWD, path, directory, name, AT_SYMLINK_FOLLOW);
}

bool entry_link(int from, const char *name, int to, const char *new_name)
{
	return is_name(name) && is_name(new_name) && !linkat(from, name, to, new_name, 0);
}

bool entry_symlink(const char *target, int directory, const char *name)
{
	return is_name(name) && !symlinkat(target, directory, name);
}

bool entry_rename(int from, const char *name, int to, const char *new_name, unsigned int flags)
{
	if (!is_name(name) || !is_name(new_name))
		return false;
	/* Not every filesystem supports flags. */
	if (!flags)
		return !renameat(from, name, to, new_name);
	return !renameat2(from, name, to, new_name, flags);
}

void entry_remove_tree(int directory, const char *name)
{
	int fd = entry_open_directory(directory, name);
	DIR *below = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;

	while (below && (entry = readdir(below)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
		    unlinkat(fd, entry->d_name, 0))
			entry_remove_tree(fd, entry->d_name);
	if (below)
		closedir(below);
	else if (fd >= 0)
		close(fd);
	unlinkat(directory, name, AT_REMOVEDIR);
}
