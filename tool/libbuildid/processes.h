/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The processes that pass the filters of a subscription, found in /proc and in
 * cgroups; neither installed nor exported.
 */
#ifndef LIBBUILDID_PROCESSES_H
#define LIBBUILDID_PROCESSES_H

#include <stdbool.h>

#include "libbuildid.h"

/**
 * struct buildid_processes - the processes found
 * @pids: in ascending order, or as the options name them
 * @count: of @pids
 * @room: of @pids, as allocated
 */
struct buildid_processes {
	uint32_t *pids;
	size_t count;
	size_t room;
};

/*
 * Find the processes that pass the filters of @options by pid, descendants and cgroup; the caller
 * checks the uid of each when its turn comes. Return: 0 or a negative errno, with nothing to free.
 */
int buildid_processes_find(struct buildid_processes *processes,
			   const struct buildid_options *options);
void buildid_processes_free(struct buildid_processes *processes);

/* Whether @uid is the process's real one; false when the process is gone. */
bool buildid_process_has_uid(uint32_t pid, uint32_t uid);

#endif
