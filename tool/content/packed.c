// SPDX-License-Identifier: GPL-2.0
/* Packed: libarchive, which reads streams of any of them, bounded. */

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include "common/array.h"
#include "common/copy.h"
#include "libarchive.h"
#include "packed.h"

#define BLOCK 65536
/* Nobody's few kilobytes are to become all memory there is. */
#define UNPACKED_MAX (1ULL << 30)

bool packed_is(int fd)
{
	static const struct magic {
		size_t size;
		const char *bytes;
	} magics[] = {
		{ 2, "\x1f\x8b" },
		{ 4, "\x28\xb5\x2f\xfd" },
		{ 6, "\xfd"
		     "7zXZ\0" },
	};
	char start[6];
	size_t i;

	if (pread(fd, start, sizeof(start), 0) != (ssize_t)sizeof(start))
		return false;
	for (i = 0; i < ARRAY_SIZE(magics); i++)
		if (!memcmp(start, magics[i].bytes, magics[i].size))
			return true;
	return false;
}

/* NULL, or what is wrong. */
static const char *unpack(struct archive *archive, int to)
{
	struct archive_entry *entry;
	char buffer[BLOCK];
	uint64_t size = 0;
	la_ssize_t got;

	if (libarchive.read_next_header(archive, &entry) != ARCHIVE_OK)
		return "damaged";
	while ((got = libarchive.read_data(archive, buffer, sizeof(buffer))) > 0) {
		size += (uint64_t)got;
		if (size > UNPACKED_MAX)
			return "more than 1 GiB";
		if (!write_all(to, buffer, (size_t)got))
			return strerror(errno);
	}
	return got || !size ? "damaged" : NULL;
}

static bool open_archive(struct archive *archive, int fd)
{
	return !libarchive.read_support_filter_gzip(archive) &&
	       !libarchive.read_support_filter_xz(archive) &&
	       !libarchive.read_support_filter_zstd(archive) &&
	       !libarchive.read_support_format_raw(archive) && !lseek(fd, 0, SEEK_SET) &&
	       !libarchive.read_open_fd(archive, fd, BLOCK);
}

static int open_unpacked(struct archive *archive, int fd, const char **problem)
{
	int to = memfd_create("unpacked", MFD_CLOEXEC);

	if (to < 0)
		*problem = strerror(errno);
	else
		*problem = open_archive(archive, fd) ? unpack(archive, to) : "damaged";
	if (to < 0 || !*problem)
		return to;
	close(to);
	return -1;
}

int packed_open(int fd, const char **problem)
{
	struct archive *archive;
	int to;

	*problem = libarchive_load();
	if (*problem)
		return -1;
	archive = libarchive.read_new();
	if (!archive) {
		*problem = strerror(ENOMEM);
		return -1;
	}
	to = open_unpacked(archive, fd, problem);
	libarchive.free(archive);
	return to;
}
