// SPDX-License-Identifier: GPL-2.0
/* Mount device: by the mount's line in /proc/PID/mountinfo. */

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "mount_device.h"

/* "ID PARENT MAJOR:MINOR ..." */
static bool find_mount(FILE *mounts, uint64_t wanted, uint32_t *major, uint32_t *minor)
{
	char *line = NULL;
	bool found = false;
	size_t room = 0;
	uint64_t id;

	while (!found && getline(&line, &room, mounts) > 0)
		found = sscanf(line, "%" SCNu64 " %*u %u:%u ", &id, major, minor) == 3 &&
			id == wanted;
	free(line);
	return found;
}

bool mount_device_of(uint32_t pid, int fd, uint32_t *major, uint32_t *minor)
{
	struct statx stat_;
	char path[64];
	FILE *mounts;
	bool found;

	if (statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_MNT_ID, &stat_) ||
	    !(stat_.stx_mask & STATX_MNT_ID))
		return false;
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/mountinfo", pid);
	mounts = fopen(path, "re");
	if (!mounts)
		return false;
	found = find_mount(mounts, stat_.stx_mnt_id, major, minor);
	fclose(mounts);
	return found;
}
