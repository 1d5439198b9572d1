/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Mapped state: the state of the very file that a process has mapped. The file may be anybody's, on
 * a server too: a worker opens and reads it.
 *
 * By /proc/PID/map_files, which takes CAP_CHECKPOINT_RESTORE or CAP_SYS_ADMIN; else by
 * /proc/PID/exe or by the path in the process's root, if what is there is the same inode. What
 * cannot be opened so is asked of the kernel: PROCMAP_QUERY.
 */
#ifndef TOOL_MAPPED_STATE_H
#define TOOL_MAPPED_STATE_H

#include <stdint.h>

#include "common/worker.h"
#include "content/process_maps.h"
#include "file_state.h"
#include "libbuildid/libbuildid.h"

/**
 * struct mapped_state - what is mapped
 * @file: without a version when it could not be opened; the reason is DENIED where nobody told its
 *	identity either
 * @deleted: " (deleted)" behind the path is not part of its name
 * @path: where that of the mapping is ambiguous: the one that it is, or "" if that is not known
 */
struct mapped_state {
	struct file_state file;
	bool deleted;
	char path[BUILDID_RECORD_MAX];
};

struct worker mapped_state_worker(void);

/*
 * Of @mapping of process @pid, in the time of @user, to @state. 0 or an errno of waits_ask(), and
 * nothing is known.
 */
int mapped_state_read(struct worker *worker, uint32_t pid, uint64_t user,
		      const struct process_mapping *mapping, struct mapped_state *state);

#endif
