/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tarball: the tar archives of bundle and unbundle, by libarchive. A problem is
 * returned as a text, valid until the next call; NULL is success.
 */
#ifndef TOOL_TARBALL_H
#define TOOL_TARBALL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Writing: tar in zstd, as any tar can read. */
struct tarball;

/* NULL only without memory; check tarball_problem(). The caller keeps @fd. */
struct tarball *tarball_write(int fd);
/* All of the regular file at @fd, which must not change meanwhile. */
const char *tarball_add_file(struct tarball *tarball, const char *name, int fd);
const char *tarball_add_link(struct tarball *tarball, const char *name, const char *target);
const char *tarball_finish(struct tarball *tarball);

/* Reading: tar, plain or in zstd, xz, gzip or bzip2. */
struct tarball_member {
	const char *name;
	mode_t type;	    /* S_IFREG, S_IFLNK ...; 0 for a hard link */
	mode_t mode;	    /* permissions as archived: not to be trusted */
	const char *target; /* of a symbolic link, else "" */
};

struct tarball *tarball_read(int fd);
/* 1 with a member, valid until the next call; 0 at the end; -1 with a problem. */
int tarball_next(struct tarball *tarball, struct tarball_member *member);
/*
 * Write the content of the member to @fd. An archive that decompresses to far more
 * than its size is a problem, after which there is no next member.
 */
const char *tarball_extract(struct tarball *tarball, int fd);

const char *tarball_problem(const struct tarball *tarball);
void tarball_close(struct tarball *tarball);

#endif
