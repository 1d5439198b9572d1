/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lookup: what a path leads to, and whether that has the bytes of what is mapped. By a worker,
 * as the way may be by a server.
 */
#ifndef TOOL_LOOKUP_H
#define TOOL_LOOKUP_H

#include <stdbool.h>
#include <stdint.h>

#include "common/worker.h"
#include "libbuildid/libbuildid.h"
#include "source/source.h"

/**
 * struct lookup - what a path leads to
 * @error: 0, or an errno: ENOENT and ENOTDIR where there is no file, or none that is
 *	regular; ETIMEDOUT after some seconds
 * @record: the FILE record of what is there, when there is no error
 */
struct lookup {
	int error;
	uint64_t record[BUILDID_RECORD_MAX / sizeof(uint64_t)];
};

/**
 * struct mapped_place - where a process has a file mapped
 * @pid: the process
 * @addr: an address in the mapping
 * @file: what was mapped there: the file that is compared has to be this one
 */
struct mapped_place {
	uint32_t pid;
	uint64_t addr;
	const struct buildid_file *file;
};

struct worker lookup_worker(void);

/*
 * All below is in the time of the user of @mapped's process: ETIME where waits.h gives no more of it.
 */

/* Look up @path, that of @mapped, with the directory @root as its root directory. Sets @lookup. */
void lookup_find(struct worker *worker, const struct source *source, int root, const char *path,
		 const struct mapped_place *mapped, struct lookup *lookup);

/* What is mapped at @mapped, open for lookup_compare(); -1 when it cannot be opened. */
int lookup_open(struct worker *worker, const struct mapped_place *mapped);

/*
 * Whether what is mapped at @mapped has the bytes of @path with the directory @root as its
 * root directory, or of the file at @root, which may be O_PATH, where @path is "". 0 with @same,
 * or an errno: EAGAIN when another file is at one of the places by now, ETIME after @most
 * nanoseconds.
 */
int lookup_compare(struct worker *worker, int root, const char *path,
		   const struct mapped_place *mapped, uint64_t most, bool *same);

#endif
