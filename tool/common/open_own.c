// SPDX-License-Identifier: GPL-2.0
/*
 * Open one's own file: what is at the name is looked at first; what was opened is checked
 * again, and only then emptied. In a directory like /tmp nobody else can replace what
 * is ours in between, and what was not there is created or not opened at all.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "open_own.h"
#include "temporary.h"

#define MAGIC_MAX 16

static int fail(struct reason *reason)
{
	reason_set(reason, "%s", strerror(errno));
	return -1;
}

/* In a directory where everybody may put files, and only their owners remove them. */
static bool is_planted(int directory, const struct stat *entry)
{
	struct stat parent;

	return !fstat(directory, &parent) && (parent.st_mode & S_ISVTX) &&
	       (parent.st_mode & (S_IWGRP | S_IWOTH)) && entry->st_uid != geteuid() &&
	       entry->st_uid != parent.st_uid;
}

static bool begins_with(int fd, const void *magic, size_t size)
{
	char bytes[MAGIC_MAX];

	return size <= sizeof(bytes) && pread(fd, bytes, size, 0) == (ssize_t)size &&
	       !memcmp(bytes, magic, size);
}

/* Empties it, or closes it if it is not to be written to. */
static int check(int fd, const void *magic, size_t size, struct reason *reason)
{
	struct stat status;

	if (fstat(fd, &status)) {
		fail(reason);
	} else if (!S_ISREG(status.st_mode)) {
		return fd;
	} else if (status.st_uid != geteuid()) {
		reason_set(reason, "belongs to another user; remove it first");
	} else if (status.st_nlink > 1) {
		reason_set(reason, "has other hard links; remove it first");
	} else if (status.st_size && !begins_with(fd, magic, size)) {
		reason_set(reason, "exists and is something else; remove it first");
	} else if (ftruncate(fd, 0)) {
		fail(reason);
	} else {
		return fd;
	}
	close(fd);
	return -1;
}

/* @flags: but for the access mode, which goes by what is there. */
static int open_existing(int directory, const char *name, int flags, const void *magic, size_t size,
			 struct reason *reason)
{
	struct stat target;
	int fd;

	if (fstatat(directory, name, &target, flags & O_NOFOLLOW ? AT_SYMLINK_NOFOLLOW : 0)) {
		/* A link that leads nowhere yet. */
		if (errno != ENOENT || flags & O_NOFOLLOW)
			return fail(reason);
		fd = openat(directory, name, O_WRONLY | O_CREAT | flags, 0600);
		return fd < 0 ? fail(reason) : fd;
	}
	/* With O_RDWR we would be a reader of a pipe, too, and never see it closed. */
	flags |= S_ISREG(target.st_mode) ? O_RDWR : O_WRONLY;
	fd = openat(directory, name, flags);
	return fd < 0 ? fail(reason) : check(fd, magic, size, reason);
}

static int open_in(int directory, const char *name, const void *magic, size_t size,
		   struct reason *reason)
{
	int flags = O_NOCTTY | O_CLOEXEC;
	struct stat entry;
	int fd;

	if (fstatat(directory, name, &entry, AT_SYMLINK_NOFOLLOW)) {
		fd = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | flags, 0600);
		return fd < 0 ? fail(reason) : fd;
	}
	if (is_planted(directory, &entry)) {
		reason_set(reason, "another user's, in a directory that all may write to");
		return -1;
	}
	return open_existing(directory, name, flags | (S_ISLNK(entry.st_mode) ? 0 : O_NOFOLLOW),
			     magic, size, reason);
}

int open_own(const char *path, const void *magic, size_t size, struct reason *reason)
{
	const char *name;
	int directory = temporary_parent(path, &name);
	int fd;

	if (directory < 0)
		return fail(reason);
	fd = open_in(directory, name, magic, size, reason);
	close(directory);
	return fd;
}
