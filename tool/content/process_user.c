// SPDX-License-Identifier: GPL-2.0
/* Process user: from /proc/PID/status and /proc/PID/ns. */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "process_user.h"

/* A newline in the process's name, which comes before, is escaped. */
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

bool process_in_our_user_namespace(uint32_t pid)
{
	struct stat ours, its;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/ns/user", pid);
	return !stat("/proc/self/ns/user", &ours) && !stat(path, &its) &&
	       ours.st_dev == its.st_dev && ours.st_ino == its.st_ino;
}
