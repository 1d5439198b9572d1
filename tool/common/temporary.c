// SPDX-License-Identifier: GPL-2.0
/* Temporary files: named once they are complete, or never. */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "entry.h"
#include "temporary.h"

/* No entry that perf makes in ~/.debug begins with a dot and this. */
#define NAME	  ".new-%016" PRIx64
#define NAME_SCAN ".new-%" SCNx64

/* Random: processes in two containers that share a HOME may have the same pid. */
void temporary_make_name(char name[32])
{
	uint64_t number = 0;

	if (getrandom(&number, sizeof(number), GRND_NONBLOCK) != sizeof(number))
		number = clock_ns(CLOCK_MONOTONIC) ^ (uint64_t)getpid() << 40;
	snprintf(name, 32, NAME, number);
}

bool temporary_is_name(const char *name)
{
	uint64_t number;
	char again[32];

	if (sscanf(name, NAME_SCAN, &number) != 1)
		return false;
	snprintf(again, sizeof(again), NAME, number);
	return !strcmp(name, again);
}

bool temporary_open(struct temporary *temporary, int directory, mode_t mode)
{
	temporary->directory = directory;
	temporary->name[0] = '\0';
	temporary->fd = entry_unnamed(directory, mode);
	if (temporary->fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
		return temporary->fd >= 0;
	temporary_make_name(temporary->name);
	temporary->fd = entry_create(directory, temporary->name, mode);
	return temporary->fd >= 0;
}

static bool give_name(struct temporary *temporary, int fd)
{
	temporary_make_name(temporary->name);
	if (entry_link_fd(fd, temporary->directory, temporary->name))
		return true;
	temporary->name[0] = '\0';
	return false;
}

bool temporary_link(struct temporary *temporary, int directory, int fd)
{
	temporary->directory = directory;
	temporary->fd = -1;
	return give_name(temporary, fd);
}

bool temporary_name(struct temporary *temporary, int directory, const char *name, bool replace)
{
	/* rename(2) replaces, linkat(2) does not: so it needs a name first. */
	if (replace)
		return (temporary->name[0] || give_name(temporary, temporary->fd)) &&
		       entry_rename(temporary->directory, temporary->name, directory, name, 0);
	if (!temporary->name[0])
		return entry_link_fd(temporary->fd, directory, name);
	/* FAT supports this but no links; NFS links but not this. */
	if (entry_rename(temporary->directory, temporary->name, directory, name, RENAME_NOREPLACE))
		return true;
	return errno == EINVAL &&
	       entry_link(temporary->directory, temporary->name, directory, name);
}

void temporary_close(struct temporary *temporary)
{
	/* A rename over another link to the same file does nothing, and leaves both. */
	if (temporary->name[0])
		unlinkat(temporary->directory, temporary->name, 0);
	if (temporary->fd >= 0)
		close(temporary->fd);
	temporary->fd = -1;
}

int temporary_unnamed(void)
{
	const char *path = getenv("TMPDIR");
	int directory = open(path && *path ? path : "/tmp", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct temporary file = { .fd = -1 };

	if (directory < 0)
		return -1;
	if (temporary_open(&file, directory, 0600) && file.name[0])
		unlinkat(directory, file.name, 0);
	close(directory);
	return file.fd;
}
