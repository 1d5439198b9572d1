/* SPDX-License-Identifier: GPL-2.0 */
/* Lookup: what a path leads to, by a worker, as the way may be by a server. */
#ifndef TOOL_LOOKUP_H
#define TOOL_LOOKUP_H

#include <stdint.h>

#include "common/worker.h"
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

struct worker lookup_worker(void);

/* Look up @path with the directory @root as its root directory. Sets @lookup. */
void lookup_find(struct worker *worker, int root, const char *path, struct lookup *lookup);

#endif
