// SPDX-License-Identifier: GPL-2.0
/* Write, copy and compare: the only loops of write(2) and pwrite(2). */

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/param.h>
#include <sys/stat.h>
#include <unistd.h>

#include "copy.h"

#define BUFFER 65536
/* As an offset: use and advance the descriptor's. */
#define HERE (-1)

static bool copy_put(int fd, const char *bytes, size_t size, off_t offset)
{
	ssize_t done;

	while (size) {
		done = offset == HERE ? write(fd, bytes, size) : pwrite(fd, bytes, size, offset);
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return false;
		bytes += done;
		size -= (size_t)done;
		if (offset != HERE)
			offset += done;
	}
	return true;
}

bool write_all(int fd, const void *bytes, size_t size)
{
	return copy_put(fd, bytes, size, HERE);
}

bool pwrite_all(int fd, const void *bytes, size_t size, off_t offset)
{
	if (offset < 0)
		errno = EINVAL;
	return offset >= 0 && copy_put(fd, bytes, size, offset);
}

bool copy_stream(int from, int to)
{
	char buffer[BUFFER];
	ssize_t got;

	/* Fails for a pipe, which has no position. */
	lseek(from, 0, SEEK_SET);
	while ((got = read(from, buffer, sizeof(buffer)))) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 || !write_all(to, buffer, (size_t)got))
			return false;
	}
	return true;
}

/*
 * Copy from @at up to @end, or to the end of the file; the byte at @start becomes the first one of
 * @to. Returns the position reached, or -1.
 */
static off_t copy_plain(int from, int to, off_t start, off_t at, off_t end)
{
	char buffer[BUFFER];
	ssize_t got;

	for (; at < end; at += got) {
		got = pread(from, buffer, MIN(sizeof(buffer), (size_t)(end - at)), at);
		if (got <= 0)
			return got ? -1 : at;
		if (!pwrite_all(to, buffer, (size_t)got, at - start))
			return -1;
	}
	return at;
}

static off_t copy_range(int from, int to, off_t start, off_t at, off_t end)
{
	off_t in = at, out = at - start;

	while (in < end)
		if (copy_file_range(from, &in, to, &out, (size_t)(end - in), 0) <= 0)
			return copy_plain(from, to, start, in, end);
	return in;
}

ssize_t copy_bytes(int from, uint64_t at, int to, uint64_t offset, size_t size)
{
	off_t start = (off_t)(at - offset);
	off_t reached = copy_range(from, to, start, (off_t)at, (off_t)(at + size));

	return reached < 0 ? -1 : reached - (off_t)at;
}

/* The first data of the file from *@at on, up to *@end; false when the rest is a hole. */
static bool next_data(int fd, off_t size, off_t *at, off_t *end)
{
	off_t data = *at < size ? lseek(fd, *at, SEEK_DATA) : size;

	*end = size;
	if (data >= size || (data < 0 && errno == ENXIO))
		return false;
	/* This filesystem does not report holes. */
	if (data < 0)
		return true;
	*at = data;
	data = lseek(fd, data, SEEK_HOLE);
	if (data >= 0 && data < size)
		*end = data;
	return true;
}

/* The next offset from @at on where either file has data. */
static off_t data_of_either(int one, int other, off_t at)
{
	const int fds[] = { one, other };
	off_t first = INT64_MAX, data;
	size_t i;

	for (i = 0; i < sizeof(fds) / sizeof(*fds); i++) {
		data = lseek(fds[i], at, SEEK_DATA);
		if (data < 0)
			data = errno == ENXIO ? INT64_MAX : at;
		first = MIN(first, data);
	}
	return first;
}

bool same_bytes(int one, int other, uint64_t offset, uint64_t size)
{
	char of_one[BUFFER], of_other[BUFFER];
	ssize_t got, other_got;
	uint64_t at, end;

	offset = MIN(offset, (uint64_t)INT64_MAX);
	end = offset + MIN(size, (uint64_t)INT64_MAX - offset);
	for (at = offset; (at = (uint64_t)data_of_either(one, other, (off_t)at)) < end;
	     at += (uint64_t)got) {
		size_t wanted = MIN(sizeof(of_one), (size_t)(end - at));

		got = pread(one, of_one, wanted, (off_t)at);
		other_got = pread(other, of_other, wanted, (off_t)at);
		if (got <= 0 || other_got <= 0)
			return true;
		got = MIN(got, other_got);
		if (memcmp(of_one, of_other, (size_t)got))
			return false;
	}
	return true;
}

uint64_t copy_size(int from)
{
	off_t at, end = 0;
	uint64_t bytes = 0;
	struct stat stat_;

	if (fstat(from, &stat_))
		return 0;
	for (at = 0; next_data(from, stat_.st_size, &at, &end); at = end)
		bytes += (uint64_t)(end - at);
	return bytes;
}

static bool copy_data(int from, int to, off_t start, off_t size, uint64_t most)
{
	off_t at, end;

	for (at = start; next_data(from, start + size, &at, &end); at = end) {
		if ((uint64_t)(end - at) > most) {
			errno = EFBIG;
			return false;
		}
		most -= (uint64_t)(end - at);
		if (copy_range(from, to, start, at, end) < 0)
			return false;
	}
	return !ftruncate(to, size);
}

/* For a file that reports no size, as those in procfs. */
static bool copy_unsized(int from, int to, uint64_t most)
{
	off_t end = most < INT64_MAX ? (off_t)most + 1 : INT64_MAX;
	struct stat stat_;

	if (copy_plain(from, to, 0, 0, end) < 0 || fstat(to, &stat_))
		return false;
	if (stat_.st_size < end)
		return true;
	errno = EFBIG;
	return false;
}

static bool is_as_before(int fd, const struct stat *before)
{
	struct stat now;

	return !fstat(fd, &now) && now.st_size == before->st_size &&
	       now.st_mtim.tv_sec == before->st_mtim.tv_sec &&
	       now.st_mtim.tv_nsec == before->st_mtim.tv_nsec;
}

static bool copy_finish(int from, const struct stat *before, bool done, struct reason *reason)
{
	if (!done)
		return reason_set(reason, "cannot be copied: %s", strerror(errno));
	if (!is_as_before(from, before))
		return reason_set(reason, "changed while being copied");
	return true;
}

bool copy_file(int from, int to, uint64_t most, struct reason *reason)
{
	struct stat before;
	bool done;

	done = !fstat(from, &before) &&
	       (before.st_size ? copy_data(from, to, 0, before.st_size, most) :
				 copy_unsized(from, to, most));
	return copy_finish(from, &before, done, reason);
}

bool copy_part(int from, int to, uint64_t start, uint64_t size, uint64_t most,
	       struct reason *reason)
{
	struct stat before;
	bool done;

	done = !fstat(from, &before) && copy_data(from, to, (off_t)start, (off_t)size, most);
	return copy_finish(from, &before, done, reason);
}
