// SPDX-License-Identifier: GPL-2.0
/* Tarball: written and read by libarchive, with a limit on what it may expand to. */

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/copy.h"
#include "libarchive.h"
#include "tarball.h"

#define BLOCK (1U << 20)
/* Programs decompress to ten times their size; a decompression bomb, to more. */
#define EXPANDED_FREE  (1ULL << 30)
#define EXPANDED_TIMES 1000
#define TAR_BLOCK      512

struct tarball {
	struct archive *archive;
	struct archive_entry *entry;
	const char *problem;
	int64_t size; /* of the current member, with its holes */
	int64_t done; /* bytes of it that have been read */
	bool unread;  /* some of it is left */
	uint64_t expanded;
	char buffer[BLOCK];
};

static const char *tarball_fail(struct tarball *tarball, const char *problem)
{
	tarball->problem = problem ? problem : "corrupt archive";
	return tarball->problem;
}

static const char *fail_archive(struct tarball *tarball)
{
	return tarball_fail(tarball, libarchive.error_string(tarball->archive));
}

/* A warning is not a failure: the member is usable. */
static bool is_good(int result)
{
	return result == ARCHIVE_OK || result == ARCHIVE_WARN;
}

static struct tarball *tarball_new(void)
{
	struct tarball *new = calloc(1, sizeof(*new));

	if (new)
		new->problem = libarchive_load();
	return new;
}

void tarball_close(struct tarball *tarball)
{
	if (!tarball)
		return;
	if (tarball->entry)
		libarchive.entry_free(tarball->entry);
	if (tarball->archive)
		libarchive.free(tarball->archive);
	free(tarball);
}

const char *tarball_problem(const struct tarball *tarball)
{
	return tarball->problem;
}

/* --------------------------------------------------------------- writing -- */

struct tarball *tarball_write(int fd)
{
	struct tarball *new = tarball_new();

	if (!new || new->problem)
		return new;
	new->archive = libarchive.write_new();
	new->entry = libarchive.entry_new();
	if (!new->archive || !new->entry)
		tarball_fail(new, strerror(ENOMEM));
	else if (libarchive.write_set_format_pax_restricted(new->archive) ||
		 libarchive.write_add_filter_zstd(new->archive) ||
		 /* Otherwise it would pad with zeros on a pipe, which are not valid zstd. */
		 libarchive.write_set_bytes_in_last_block(new->archive, 1) ||
		 libarchive.write_open_fd(new->archive, fd))
		fail_archive(new);
	return new;
}

static const char *add_header(struct tarball *tarball, const char *name, mode_t type, mode_t mode)
{
	libarchive.entry_set_pathname(tarball->entry, name);
	libarchive.entry_set_filetype(tarball->entry, type);
	libarchive.entry_set_perm(tarball->entry, mode);
	return is_good(libarchive.write_header(tarball->archive, tarball->entry)) ?
		       NULL :
		       fail_archive(tarball);
}

static const char *add_content(struct tarball *tarball, int fd, off_t size)
{
	off_t offset = 0;
	ssize_t got;

	while (offset < size) {
		got = pread(fd, tarball->buffer, BLOCK, offset);
		if (got < 0)
			return tarball_fail(tarball, strerror(errno));
		if (!got)
			return tarball_fail(tarball, "truncated while being read");
		if (got > size - offset)
			got = (ssize_t)(size - offset);
		if (libarchive.write_data(tarball->archive, tarball->buffer, (size_t)got) != got)
			return fail_archive(tarball);
		offset += got;
	}
	return NULL;
}

const char *tarball_add_file(struct tarball *tarball, const char *name, int fd)
{
	struct stat stat_;
	const char *problem;

	if (fstat(fd, &stat_))
		return tarball_fail(tarball, strerror(errno));
	libarchive.entry_clear(tarball->entry);
	libarchive.entry_set_size(tarball->entry, stat_.st_size);
	libarchive.entry_set_mtime(tarball->entry, stat_.st_mtime, 0);
	problem = add_header(tarball, name, S_IFREG, stat_.st_mode & 0755);
	return problem ? problem : add_content(tarball, fd, stat_.st_size);
}

const char *tarball_add_link(struct tarball *tarball, const char *name, const char *target)
{
	libarchive.entry_clear(tarball->entry);
	libarchive.entry_set_symlink(tarball->entry, target);
	return add_header(tarball, name, S_IFLNK, 0777);
}

const char *tarball_finish(struct tarball *tarball)
{
	return libarchive.write_close(tarball->archive) ? fail_archive(tarball) : NULL;
}

/* --------------------------------------------------------------- reading -- */

/* Not everything that libarchive supports: for some filters it runs a program. */
static bool open_reading(struct archive *archive, int fd)
{
	return is_good(libarchive.read_support_filter_zstd(archive)) &&
	       is_good(libarchive.read_support_filter_xz(archive)) &&
	       is_good(libarchive.read_support_filter_gzip(archive)) &&
	       is_good(libarchive.read_support_filter_bzip2(archive)) &&
	       !libarchive.read_support_format_tar(archive) &&
	       !libarchive.read_open_fd(archive, fd, BLOCK);
}

struct tarball *tarball_read(int fd)
{
	struct tarball *new = tarball_new();

	if (!new || new->problem)
		return new;
	new->archive = libarchive.read_new();
	if (!new->archive)
		tarball_fail(new, strerror(ENOMEM));
	else if (!open_reading(new->archive, fd))
		fail_archive(new);
	return new;
}

/*
 * Is the current member too large up to @end? Holes count, as a copy may have them filled. Offsets
 * and sizes are untrusted.
 */
static bool is_too_much(struct tarball *tarball, int64_t end)
{
	uint64_t packed = (uint64_t)libarchive.filter_bytes(tarball->archive, -1);

	if (end < tarball->done)
		return true;
	tarball->expanded += (uint64_t)(end - tarball->done);
	tarball->done = end;
	return tarball->expanded > EXPANDED_FREE + EXPANDED_TIMES * packed;
}

/* The rest of the archive is not read. */
static const char *give_up(struct tarball *tarball)
{
	return tarball_fail(tarball, "decompresses to more than 1000 times its size");
}

/* Write it to @fd, or discard it if that is negative. */
static const char *read_member(struct tarball *tarball, int fd)
{
	int64_t end, offset;
	const void *bytes;
	size_t size;
	int result;

	while (is_good(
		result = libarchive.read_data_block(tarball->archive, &bytes, &size, &offset))) {
		if (__builtin_add_overflow(offset, size, &end) || is_too_much(tarball, end))
			return give_up(tarball);
		if (fd >= 0 && !pwrite_all(fd, bytes, size, offset))
			return strerror(errno);
	}
	tarball->unread = false;
	/* The next member may still be good. */
	return result == ARCHIVE_EOF ? NULL : libarchive.error_string(tarball->archive);
}

int tarball_next(struct tarball *tarball, struct tarball_member *member)
{
	struct archive_entry *entry;
	int result;

	/* libarchive would decompress it without a limit. */
	if (!tarball->problem && tarball->unread)
		read_member(tarball, -1);
	if (tarball->problem)
		return -1;
	result = libarchive.read_next_header(tarball->archive, &entry);
	if (result == ARCHIVE_EOF)
		return 0;
	if (!is_good(result)) {
		fail_archive(tarball);
		return -1;
	}
	/* The header. */
	tarball->done = -TAR_BLOCK;
	if (is_too_much(tarball, 0)) {
		give_up(tarball);
		return -1;
	}
	tarball->unread = true;
	tarball->size = libarchive.entry_size(entry);
	member->name = libarchive.entry_pathname(entry);
	member->type = libarchive.entry_hardlink(entry) ? 0 : libarchive.entry_filetype(entry);
	member->mode = libarchive.entry_perm(entry);
	member->target = libarchive.entry_symlink(entry);
	/* Also NULL if the locale cannot represent it. */
	if (!member->name)
		member->name = "";
	if (!member->target)
		member->target = "";
	return 1;
}

const char *tarball_extract(struct tarball *tarball, int fd)
{
	const char *problem = read_member(tarball, fd);

	if (problem)
		return problem;
	/* It may end in a hole. */
	if (is_too_much(tarball, tarball->size))
		return give_up(tarball);
	return ftruncate(fd, tarball->size) ? strerror(errno) : NULL;
}
