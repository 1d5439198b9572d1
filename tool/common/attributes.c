// SPDX-License-Identifier: GPL-2.0
/* Attributes: copies all, or says which one cannot be kept. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "attributes.h"

#define SECURITY "security."
/* As in the kernel: XATTR_SIZE_MAX and XATTR_LIST_MAX. */
#define ROOM (64U << 10)

struct attributes {
	int from, to;
	char *names, *value, *other;
	struct reason *reason;
};

static bool attributes_fail(const struct attributes *attributes, const char *what)
{
	return reason_set(attributes->reason, "its %s cannot be kept: %s; give an --output", what,
			  strerror(errno));
}

static bool copy_owner_and_mode(const struct attributes *attributes)
{
	struct stat from, to;

	if (fstat(attributes->from, &from) || fstat(attributes->to, &to))
		return attributes_fail(attributes, "owner");
	/* Only root may chown files to others. */
	if ((from.st_uid != to.st_uid || from.st_gid != to.st_gid) &&
	    fchown(attributes->to, from.st_uid, from.st_gid))
		return attributes_fail(attributes, "owner");
	/* Permission to run the old content as another user does not extend to the new one. */
	return fchmod(attributes->to, from.st_mode & (S_ISREG(from.st_mode) ? 01777 : 07777)) ?
		       attributes_fail(attributes, "mode") :
		       true;
}

/* Attributes of the content, not of the file: the kernel's own, and a program's capabilities. */
static bool is_of_content(const char *name)
{
	return !strcmp(name, SECURITY "ima") || !strcmp(name, SECURITY "evm") ||
	       !strcmp(name, SECURITY "capability");
}

static bool attributes_keep(const struct attributes *attributes, const char *name)
{
	ssize_t size = fgetxattr(attributes->from, name, attributes->value, ROOM);

	if (size < 0)
		return errno == ENODATA || attributes_fail(attributes, name);
	/* A value inherited from the directory need not be set, as that may require privileges. */
	if (fgetxattr(attributes->to, name, attributes->other, ROOM) == size &&
	    !memcmp(attributes->value, attributes->other, (size_t)size))
		return true;
	return fsetxattr(attributes->to, name, attributes->value, (size_t)size, 0) ?
		       attributes_fail(attributes, name) :
		       true;
}

/* Drop an inherited ACL, which would open the file to others. A label grants nothing by itself. */
static bool drop(const struct attributes *attributes, const char *name)
{
	if (!strncmp(name, SECURITY, strlen(SECURITY)) ||
	    fgetxattr(attributes->from, name, NULL, 0) >= 0 || errno != ENODATA)
		return true;
	/* XFS lists an ACL twice, to root. */
	return !fremovexattr(attributes->to, name) || errno == ENODATA ||
	       attributes_fail(attributes, name);
}

static bool for_each(const struct attributes *attributes, int fd,
		     bool (*act)(const struct attributes *attributes, const char *name))
{
	ssize_t size = flistxattr(fd, attributes->names, ROOM);
	const char *name;
	bool good = true;

	if (size < 0)
		return errno == ENOTSUP || attributes_fail(attributes, "attributes");
	for (name = attributes->names; good && name < attributes->names + size;
	     name += strlen(name) + 1)
		if (!is_of_content(name))
			good = act(attributes, name);
	return good;
}

bool attributes_copy(int from, int to, struct reason *reason)
{
	char *room = malloc(3 * (size_t)ROOM);
	const struct attributes attributes = {
		from, to, room, room + ROOM, room + 2 * (size_t)ROOM, reason,
	};
	bool good;

	if (!room)
		return reason_set(reason, "%s", strerror(ENOMEM));
	/* The mode first: with an ACL, its bits for the group are the ACL's mask. */
	good = copy_owner_and_mode(&attributes) && for_each(&attributes, to, drop) &&
	       for_each(&attributes, from, attributes_keep);
	free(room);
	return good;
}
