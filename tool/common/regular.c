// SPDX-License-Identifier: GPL-2.0
/* Regular: opening files that anybody may have put there. */

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "regular.h"

int regular_open(const char *path, const char **reason)
{
	struct stat stat_;
	int fd;

	if (!stat(path, &stat_) && !S_ISREG(stat_.st_mode)) {
		*reason = S_ISDIR(stat_.st_mode) ? strerror(EISDIR) : "not a regular file";
		return -1;
	}
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		*reason = strerror(errno);
	return fd;
}
