// SPDX-License-Identifier: GPL-2.0
/*
 * Open our own file: what exists at the place is checked by a handle, and then reopened through
 * that, not by name. What does not exist is created, or not opened at all. So nobody can substitute
 * another file in between.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "entry.h"
#include "open_own.h"
#include "own_place.h"

struct request {
	bool chosen;
	const void *magic;
	size_t size;
	struct reason *reason;
};

static int open_own_fail(struct reason *reason)
{
	reason_set(reason, "%s", strerror(errno));
	return -1;
}

static int open_own_refuse(struct reason *reason, const char *why)
{
	reason_set(reason, "%s", why);
	return -1;
}

static bool is_trusted(const struct stat *status)
{
	return status->st_uid == geteuid() || !status->st_uid;
}

static int open_emptied(const struct own_place *place, const struct request *request)
{
	int fd = own_place_open_file(place, O_RDWR, request->magic, request->size, request->reason);

	if (fd < 0 || !ftruncate(fd, 0))
		return fd;
	open_own_fail(request->reason);
	close(fd);
	return -1;
}

/* Could anybody but its owner or root have put @entry into the directory? */
static const char *why_not(const struct stat *entry, const struct stat *parent,
			   const struct request *request)
{
	if (S_ISREG(entry->st_mode) || S_ISDIR(entry->st_mode))
		return NULL;
	if (!request->chosen)
		return "is no regular file; remove it first";
	if (!is_trusted(parent))
		return "is no regular file, and in another user's directory; remove it first";
	/* A terminal belongs to its user, and nobody can put another one into its directory. */
	if (!is_trusted(entry) && (parent->st_mode & (S_IWGRP | S_IWOTH)))
		return "is another user's, and no regular file; remove it first";
	return NULL;
}

static int open_there(const struct own_place *place, const struct request *request)
{
	struct stat entry, parent;
	const char *why;
	int fd;

	if (fstat(place->there, &entry) || fstat(place->directory, &parent))
		return open_own_fail(request->reason);
	/* The target of a link in /proc is already open. */
	why = place->is_proc ? NULL : why_not(&entry, &parent, request);
	if (why)
		return open_own_refuse(request->reason, why);
	if (S_ISREG(entry.st_mode))
		return open_emptied(place, request);
	/* O_RDWR would make us a reader of a pipe, too, so that we would never see it closed. */
	fd = own_place_reopen(place, O_WRONLY);
	return fd < 0 ? open_own_fail(request->reason) : fd;
}

int open_own(const char *path, bool chosen, const void *magic, size_t size, struct reason *reason)
{
	const struct request request = { chosen, magic, size, reason };
	struct own_place place;
	int fd;

	if (!own_place_open(&place, path, chosen, reason))
		return -1;
	fd = place.there >= 0 ? open_there(&place, &request) :
				entry_create(place.directory, place.name, 0600);
	if (fd < 0 && place.there < 0)
		open_own_fail(reason);
	own_place_close(&place);
	return fd;
}
