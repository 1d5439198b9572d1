// SPDX-License-Identifier: GPL-2.0
/* Recorded file: perf.data and logs begin with eight bytes that nothing else does. */

#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/open_regular.h"
#include "identities/log.h"
#include "perfdata/perfdata.h"
#include "recorded_file.h"

enum recorded_kind recorded_kind(const char *path)
{
	struct reason reason;
	struct stat status;
	char magic[8] = "";
	ssize_t size;
	int fd;

	/* of perf record --threads */
	if (!stat(path, &status) && S_ISDIR(status.st_mode))
		return RECORDED_PERFDATA;
	fd = open_regular(path, &reason);
	if (fd < 0)
		return RECORDED_OTHER;
	size = pread(fd, magic, sizeof(magic), 0);
	close(fd);
	if (size != sizeof(magic))
		return RECORDED_OTHER;
	if (!memcmp(magic, LOG_MAGIC, sizeof(magic)))
		return RECORDED_LOG;
	return perfdata_is_magic(magic) ? RECORDED_PERFDATA : RECORDED_OTHER;
}
