/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Temporary files: a file has no name until it is complete, so that nobody opens half of it, and a
 * killed process leaves nothing behind. On filesystems without O_TMPFILE (overlayfs before Linux
 * 6.3) the file has a random name meanwhile, which a killed process does leave behind.
 *
 * Functions return false, or -1, with errno.
 */
#ifndef TOOL_TEMPORARY_H
#define TOOL_TEMPORARY_H

#include <stdbool.h>
#include <sys/types.h>

struct temporary {
	int directory; /* stays the caller's */
	int fd;	       /* -1 for a link */
	char name[32]; /* "" for none */
};

bool temporary_open(struct temporary *temporary, int directory, mode_t mode);
/* Another name for an open file, instead of a new file. */
bool temporary_link(struct temporary *temporary, int directory, int fd);
/*
 * Give it a name in a directory of the same filesystem. An existing file with that name is replaced
 * with @replace, else it is an error.
 */
bool temporary_name(struct temporary *temporary, int directory, const char *name, bool replace);
/* Removes the file unless it was named. */
void temporary_close(struct temporary *temporary);

/* A random name, for a temporary file or link. */
void temporary_make_name(char name[32]);
bool temporary_is_name(const char *name);

/* A file in TMPDIR, else /tmp, that never gets a name: open for reading and writing. */
int temporary_unnamed(void);

#endif
