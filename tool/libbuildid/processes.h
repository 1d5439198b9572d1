/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Processes: which ones pass the filters of a subscription, as /proc and
 * cgroups show them; neither installed nor exported.
 */
#ifndef TOOL_PROCESSES_H
#define TOOL_PROCESSES_H

#include <stdbool.h>

#include "libbuildid.h"

/**
 * struct buildid_processes - the processes found
 * @pids: in ascending order, or as the options name them
 * @count: of @pids
 */
struct buildid_processes {
	uint32_t *pids;
	size_t count;
	size_t room;
};

/*
 * Those that pass the filters in @options of pids, descendants and cgroup.
 * Whether they pass the one of the uid is to be asked of each. 0 or a negative
 * errno; nothing is to be freed after an error.
 */
int buildid_processes_find(struct buildid_processes *processes,
			   const struct buildid_options *options);
void buildid_processes_free(struct buildid_processes *processes);

/* Whether the process has @uid as its real one; not if it is gone. */
bool buildid_process_has_uid(uint32_t pid, uint32_t uid);

#endif
