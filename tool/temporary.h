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
	int directory;		/* stays the caller's */
	int fd;
	char name[32];		/* "" for none */
};

/* The directory that @path is in; @name is what it is called there. -1 with errno. */
int temporary_parent(const char *path, const char **name);

/* All functions leave errno behind when they return false. */
bool temporary_open(struct temporary *temporary, int directory, mode_t mode);
/* Give it a name; with @replace in place of what has it. */
bool temporary_name(struct temporary *temporary, const char *name, bool replace);
/* Gone, unless it was given a name. */
void temporary_close(struct temporary *temporary);

/* Give any open file one more name in @directory, in place of what has it. */
bool temporary_link(int fd, int directory, const char *name);
/* A name that nothing else has. */
void temporary_make_name(char name[32]);

#endif
