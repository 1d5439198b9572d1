// SPDX-License-Identifier: GPL-2.0
/* Spool: files without a name, for what cannot be read or written twice. */

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "spool.h"

#define BUFFER (256 * 1024)

/* For filesystems that make no file without a name. */
static int open_and_unlink(const char *directory)
{
	char *path;
	int fd;

	if (asprintf(&path, "%s/buildid-XXXXXX", directory) < 0)
		return -ENOMEM;
	fd = mkostemp(path, O_CLOEXEC);
	if (fd < 0)
		fd = -errno;
	else
		unlink(path);
	free(path);
	return fd;
}

int spool_open(void)
{
	const char *directory = getenv("TMPDIR");
	int fd;

	if (!directory || !*directory)
		directory = "/tmp";
	fd = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == ENOENT))
		return open_and_unlink(directory);
	return fd < 0 ? -errno : fd;
}

static int write_all(int fd, const char *bytes, size_t size)
{
	while (size) {
		ssize_t done = write(fd, bytes, size);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -errno;
		bytes += done;
		size -= (size_t)done;
	}
	return 0;
}

/* From where they are on. */
static int copy(int from, int to)
{
	char *buffer = malloc(BUFFER);
	ssize_t done = 1;
	int err = 0;

	if (!buffer)
		return -ENOMEM;
	while (done && !err) {
		done = read(from, buffer, BUFFER);
		if (done > 0)
			err = write_all(to, buffer, (size_t)done);
		else if (done < 0 && errno != EINTR)
			err = -errno;
	}
	free(buffer);
	return err;
}

int spool_replace(int fd)
{
	int spool = spool_open();
	int err = spool < 0 ? spool : copy(fd, spool);

	close(fd);
	if (err && spool >= 0)
		close(spool);
	return err ? err : spool;
}

int spool_copy(int from, int to)
{
	if (lseek(from, 0, SEEK_SET) < 0)
		return -errno;
	return copy(from, to);
}
