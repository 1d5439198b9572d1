/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Temporary: a file that has no name before it is whole. Where the file system
 * cannot do without (overlayfs before Linux 6.3) it has one that nobody looks for,
 * which is left behind only by a process that is killed.
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

/* The directory that @path is in; @name is what it is called there. -1 with errno. */
int temporary_parent(const char *path, const char **name);

/* All functions leave errno behind when they return false. */
bool temporary_open(struct temporary *temporary, int directory, mode_t mode);
/* One more name of an open file in place of a new file. */
bool temporary_link(struct temporary *temporary, int directory, int fd);
/*
 * Give it a name in a directory of the same file system; with @replace in place
 * of what has it.
 */
bool temporary_name(struct temporary *temporary, int directory, const char *name, bool replace);
/* Gone, unless it was given a name. */
void temporary_close(struct temporary *temporary);

/* A name that nothing else has. */
void temporary_make_name(char name[32]);

#endif
