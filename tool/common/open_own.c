// SPDX-License-Identifier: GPL-2.0
/*
 * Open one's own file: a handle of what is at the name is looked at, and then that is
 * opened, not the name again. Links are followed one by one, so that each is looked at.
 * What was not there is created or not opened at all. So nobody can put something else
 * there in between.
 */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "open_own.h"
#include "temporary.h"

#define MAGIC_MAX 16
/* As in the kernel. */
#define LINKS_MAX 40
/* No descriptor and no error: go on with what the link says. */
#define IS_LINK (-2)

struct request {
	bool chosen;
	const void *magic;
	size_t size;
	struct reason *reason;
};

static int fail(struct reason *reason)
{
	reason_set(reason, "%s", strerror(errno));
	return -1;
}

static int refuse(struct reason *reason, const char *why)
{
	reason_set(reason, "%s", why);
	return -1;
}

static bool is_trusted(const struct stat *status)
{
	return status->st_uid == geteuid() || !status->st_uid;
}

static bool begins_with(int fd, const void *magic, size_t size)
{
	char bytes[MAGIC_MAX];

	return size <= sizeof(bytes) && pread(fd, bytes, size, 0) == (ssize_t)size &&
	       !memcmp(bytes, magic, size);
}

/* Whose it is, before an open can wait for another's lease. */
static const char *why_not_ours(const struct stat *file)
{
	if (file->st_uid != geteuid())
		return "belongs to another user; remove it first";
	return file->st_nlink > 1 ? "has other hard links; remove it first" : NULL;
}

static int empty(int fd, const struct request *request)
{
	struct stat status;

	if (fstat(fd, &status))
		return fail(request->reason);
	if (status.st_size && !begins_with(fd, request->magic, request->size))
		return refuse(request->reason, "exists and is something else; remove it first");
	return ftruncate(fd, 0) ? fail(request->reason) : 0;
}

/* @handle: an O_PATH descriptor, of no link */
static int reopen(int handle, const struct request *request)
{
	const char *why = NULL;
	struct stat status;
	bool is_file;
	char path[64];
	int fd;

	if (fstat(handle, &status))
		return fail(request->reason);
	is_file = S_ISREG(status.st_mode);
	if (is_file)
		why = why_not_ours(&status);
	if (why)
		return refuse(request->reason, why);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", handle);
	/* With O_RDWR we would be a reader of a pipe, too, and never see it closed. */
	fd = open(path, (is_file ? O_RDWR : O_WRONLY) | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return fail(request->reason);
	if (is_file && empty(fd, request)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Links in /proc lead to what may have no name. Nobody can put one there. */
static bool is_proc(int directory)
{
	struct statfs filesystem;

	return !fstatfs(directory, &filesystem) && filesystem.f_type == PROC_SUPER_MAGIC;
}

static int follow(int directory, const char *name, int handle, char target[PATH_MAX],
		  const struct request *request)
{
	ssize_t length;
	int end, fd;

	if (is_proc(directory)) {
		end = openat(directory, name, O_PATH | O_CLOEXEC);
		if (end < 0)
			return fail(request->reason);
		fd = reopen(end, request);
		close(end);
		return fd;
	}
	length = readlinkat(handle, "", target, PATH_MAX - 1);
	if (length < 0)
		return fail(request->reason);
	target[length] = '\0';
	return IS_LINK;
}

/* Whether what @entry says was put into the directory by nobody but its owner or root. */
static const char *why_not(const struct stat *entry, const struct stat *parent,
			   const struct request *request)
{
	if (S_ISREG(entry->st_mode) || S_ISDIR(entry->st_mode))
		return NULL;
	if (!request->chosen)
		return "is no regular file; remove it first";
	if (!is_trusted(parent))
		return "is no regular file, and in another user's directory; remove it first";
	/* A terminal is its user's, in a directory where nobody can put another. */
	if (!is_trusted(entry) &&
	    (S_ISLNK(entry->st_mode) || (parent->st_mode & (S_IWGRP | S_IWOTH))))
		return "is another user's, and no regular file; remove it first";
	return NULL;
}

static int open_entry(int directory, const char *name, int handle, char target[PATH_MAX],
		      const struct request *request)
{
	struct stat entry, parent;
	const char *why;

	if (fstat(handle, &entry) || fstat(directory, &parent))
		return fail(request->reason);
	why = why_not(&entry, &parent, request);
	if (why)
		return refuse(request->reason, why);
	if (S_ISLNK(entry.st_mode))
		return follow(directory, name, handle, target, request);
	return reopen(handle, request);
}

/* A descriptor; -1 with a reason; IS_LINK with its @target, which @name may be part of. */
static int open_in(int directory, const char *name, char target[PATH_MAX],
		   const struct request *request)
{
	int handle = openat(directory, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	int fd;

	if (handle >= 0) {
		fd = open_entry(directory, name, handle, target, request);
		close(handle);
		return fd;
	}
	if (errno != ENOENT)
		return fail(request->reason);
	fd = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOCTTY | O_CLOEXEC, 0600);
	return fd < 0 ? fail(request->reason) : fd;
}

int open_own(const char *path, bool chosen, const void *magic, size_t size, struct reason *reason)
{
	const struct request request = { chosen, magic, size, reason };
	int at = AT_FDCWD, fd = IS_LINK, directory, links;
	char target[PATH_MAX];
	const char *name;

	for (links = 0; fd == IS_LINK && links <= LINKS_MAX; links++) {
		directory = temporary_parent(at, path, &name);
		if (at >= 0)
			close(at);
		at = directory;
		if (directory < 0)
			return fail(reason);
		fd = open_in(directory, name, target, &request);
		path = target;
	}
	close(at);
	return fd == IS_LINK ? refuse(reason, strerror(ELOOP)) : fd;
}
