// SPDX-License-Identifier: GPL-2.0
/* Compressed files: libarchive reads a stream of any kind, block by block. */

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include "common/array.h"
#include "common/copy.h"
#include "common/memory_limit.h"
#include "libarchive.h"
#include "compressed.h"

#define BLOCK	65536
#define CORRUPT "corrupt or truncated"
/*
 * A few kilobytes from anybody must not decompress to all available memory, which for the service
 * of store --live is 512 MiB; nor may input that decompresses to nothing be read forever. The
 * largest kernel modules have 100 MB.
 */
#define DECOMPRESSED_MAX (256U << 20)
#define COMPRESSED_MAX	 (64U << 20)
/* For the window, which the file chooses: 128 MiB at most for zstd -22, 64 for xz -9. */
#define MEMORY_MAX (160U << 20)

struct source {
	int fd;
	off_t at;
	char block[BLOCK];
};

/* ARCHIVE_FILTER_NONE if it is not compressed. */
static int filter_of(int fd)
{
	static const struct magic {
		int filter;
		size_t size;
		const char *bytes;
	} magics[] = {
		{ ARCHIVE_FILTER_GZIP, 2, "\x1f\x8b" },
		{ ARCHIVE_FILTER_ZSTD, 4, "\x28\xb5\x2f\xfd" },
		{ ARCHIVE_FILTER_XZ, 6,
		  "\xfd"
		  "7zXZ\0" },
	};
	char start[6];
	size_t i;

	if (pread(fd, start, sizeof(start), 0) != (ssize_t)sizeof(start))
		return ARCHIVE_FILTER_NONE;
	for (i = 0; i < ARRAY_SIZE(magics); i++)
		if (!memcmp(start, magics[i].bytes, magics[i].size))
			return magics[i].filter;
	return ARCHIVE_FILTER_NONE;
}

bool is_compressed(int fd)
{
	return filter_of(fd) != ARCHIVE_FILTER_NONE;
}

static la_ssize_t read_block(struct archive *archive, void *data, const void **block)
{
	struct source *source = data;
	ssize_t got;

	(void)archive;
	*block = source->block;
	if (source->at >= COMPRESSED_MAX)
		return ARCHIVE_FATAL;
	got = pread(source->fd, source->block, sizeof(source->block), source->at);
	if (got > 0)
		source->at += got;
	return got < 0 ? ARCHIVE_FATAL : got;
}

/* NULL, or a problem. */
static const char *read_into(struct archive *archive, int to)
{
	struct archive_entry *entry;
	char buffer[BLOCK];
	uint64_t size = 0;
	la_ssize_t got;

	if (libarchive.read_next_header(archive, &entry) != ARCHIVE_OK)
		return CORRUPT;
	while ((got = libarchive.read_data(archive, buffer, sizeof(buffer))) > 0) {
		size += (uint64_t)got;
		if (size > DECOMPRESSED_MAX)
			return "larger than 256 MiB";
		if (!write_all(to, buffer, (size_t)got))
			return strerror(errno);
	}
	return got || !size ? CORRUPT : NULL;
}

/* Support just one filter: otherwise the output would be checked for further ones. */
static bool open_archive(struct archive *archive, struct source *source)
{
	return !libarchive.read_append_filter(archive, filter_of(source->fd)) &&
	       !libarchive.read_support_format_raw(archive) &&
	       !libarchive.read_open(archive, source, NULL, read_block, NULL);
}

static int to_memfd(struct archive *archive, int fd, const char **problem)
{
	int to = memfd_create("decompressed", MFD_CLOEXEC);
	struct source source = { .fd = fd };

	if (to < 0)
		*problem = strerror(errno);
	else
		*problem = open_archive(archive, &source) ? read_into(archive, to) : CORRUPT;
	if (*problem && source.at >= COMPRESSED_MAX)
		*problem = "larger than 64 MiB";
	if (to < 0 || !*problem)
		return to;
	close(to);
	return -1;
}

int decompress(int fd, const char **problem)
{
	struct memory_limit limit;
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
	memory_limit_begin(&limit, MEMORY_MAX);
	to = to_memfd(archive, fd, problem);
	libarchive.free(archive);
	memory_limit_end(&limit);
	return to;
}
