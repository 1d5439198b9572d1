// SPDX-License-Identifier: GPL-2.0
/* Copy: by ranges of data. */

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "copy.h"

/* Up to @end, or to the end of the file. */
static bool copy_plain(int from, int to, off_t at, off_t end)
{
	char buffer[65536];
	ssize_t got, put;

	while (at < end) {
		got = pread(from, buffer, sizeof(buffer), at);
		if (got <= 0)
			return !got;
		put = pwrite(to, buffer, (size_t)got, at);
		if (put <= 0)
			return false;
		at += put;
	}
	return true;
}

static bool copy_range(int from, int to, off_t at, off_t end)
{
	off_t in = at, out = at;

	while (in < end)
		if (copy_file_range(from, &in, to, &out, (size_t)(end - in), 0) <= 0)
			return copy_plain(from, to, in, end);
	return true;
}

static bool copy_data(int from, int to, off_t size)
{
	off_t data, hole;

	for (hole = 0; hole < size;) {
		data = lseek(from, hole, SEEK_DATA);
		if (data < 0 && errno == ENXIO)
			break;
		/* Nobody knows of holes there. */
		if (data < 0)
			return copy_range(from, to, hole, size);
		hole = lseek(from, data, SEEK_HOLE);
		if (hole < 0 || hole > size)
			hole = size;
		if (!copy_range(from, to, data, hole))
			return false;
	}
	return !ftruncate(to, size);
}

static bool is_as_before(int fd, const struct stat *before)
{
	struct stat now;

	return !fstat(fd, &now) && now.st_size == before->st_size &&
	       now.st_mtim.tv_sec == before->st_mtim.tv_sec &&
	       now.st_mtim.tv_nsec == before->st_mtim.tv_nsec;
}

bool copy_file(int from, int to, struct reason *reason)
{
	struct stat before;
	bool done;

	/* Files of /proc have no size. */
	done = !fstat(from, &before) && (before.st_size ? copy_data(from, to, before.st_size) :
							  copy_plain(from, to, 0, INT64_MAX));
	if (!done)
		return reason_set(reason, "cannot be copied: %s", strerror(errno));
	if (!is_as_before(from, &before))
		return reason_set(reason, "was changed as it was copied");
	return true;
}
