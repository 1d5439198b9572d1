/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lookup child: a process that opens and identifies files on behalf of one that must not
 * wait for ever. A request to a FUSE or NFS server that does not answer cannot be given up
 * by who made it, not even when it is killed. So it is made by a child, which is left
 * behind then.
 */
#ifndef TOOL_LOOKUP_CHILD_H
#define TOOL_LOOKUP_CHILD_H

#include <stdint.h>

#include "libbuildid/libbuildid.h"

/**
 * struct lookup - what a path leads to
 * @error: 0, or an errno: ENOENT and ENOTDIR where there is no file, or none that is
 *	regular; ETIMEDOUT after some seconds, each time half as many
 * @record: the FILE record of what is there, when there is no error
 */
struct lookup {
	int error;
	uint64_t record[BUILDID_RECORD_MAX / sizeof(uint64_t)];
};

/* Begins as { .socket = -1 }: the child is started for the first question. */
struct lookup_child {
	int socket;
	int pid;
	int silences;
};

/* Look up @path with the directory @root as its root directory. Sets @lookup. */
void lookup_child_find(struct lookup_child *child, int root, const char *path,
		       struct lookup *lookup);
void lookup_child_end(struct lookup_child *child);

#endif
