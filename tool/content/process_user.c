// SPDX-License-Identifier: GPL-2.0
/* Process user: from /proc/PID/status and /proc/PID/ns. */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/nsfs.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process_user.h"

/* A newline in the process's name, which precedes, is escaped. */
bool process_user(uint32_t pid, uid_t *uid)
{
	char path[64], *line = NULL;
	bool found = false;
	size_t size = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/status", pid);
	file = fopen(path, "re");
	if (!file)
		return false;
	while (!found && getline(&line, &size, file) >= 0)
		found = sscanf(line, "Uid: %u", uid) == 1;
	free(line);
	fclose(file);
	if (!found)
		errno = ESRCH;
	return found;
}

static bool same_file(int fd, const struct stat *other)
{
	struct stat stat_;

	return !fstat(fd, &stat_) && stat_.st_dev == other->st_dev && stat_.st_ino == other->st_ino;
}

/* Closes @namespace, and returns the outermost one around it that is not @ours; -1 with errno. */
static int outermost(int namespace, const struct stat *ours)
{
	int parent;

	while ((parent = ioctl(namespace, NS_GET_PARENT)) >= 0 && !same_file(parent, ours)) {
		close(namespace);
		namespace = parent;
	}
	if (parent >= 0) {
		close(parent);
		return namespace;
	}
	close(namespace);
	return -1;
}

struct process_owner {
	uid_t user;
	bool in_our_namespace;
};

/* False when it has exited or may not be looked at. */
static bool process_owner(uint32_t pid, struct process_owner *owner)
{
	struct stat ours;
	char path[64];
	int namespace;
	bool known;
	uid_t uid;

	if (stat("/proc/self/ns/user", &ours) || !process_user(pid, &uid))
		return false;
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/ns/user", pid);
	namespace = open(path, O_RDONLY | O_CLOEXEC);
	if (namespace < 0)
		return false;
	*owner = (struct process_owner){ uid, same_file(namespace, &ours) };
	if (owner->in_our_namespace) {
		close(namespace);
		return true;
	}
	namespace = outermost(namespace, &ours);
	if (namespace < 0)
		return false;
	known = !ioctl(namespace, NS_GET_OWNER_UID, &owner->user);
	close(namespace);
	return known;
}

uint64_t process_blamed(uint32_t pid, bool *in_our_namespace)
{
	struct process_owner owner;

	*in_our_namespace = false;
	if (!process_owner(pid, &owner))
		return PROCESS_OF_NOBODY_KNOWN;
	*in_our_namespace = owner.in_our_namespace;
	return owner.user || owner.in_our_namespace ? owner.user : PROCESS_NAMESPACED_BY_ROOT;
}
