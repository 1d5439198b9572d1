/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Process snapshot: the records of buildid_snapshot_next(), made of /proc/PID/maps.
 *
 * What it has not: files that cannot be opened nor asked of the kernel, whose reason is DENIED;
 * cookies; whether a file is open for writing. Times are of just before a process was read.
 */
#ifndef TOOL_PROCESS_SNAPSHOT_H
#define TOOL_PROCESS_SNAPSHOT_H

#include "common/worker.h"
#include "file_ids.h"
#include "libbuildid/libbuildid.h"

/*
 * What snapshots share. Begins as { .worker = mapped_state_worker() }. @perf_ahead: by what perf's
 * clock is ahead of CLOCK_MONOTONIC, for time_perf; 0 where that is not known.
 */
struct process_files {
	struct worker worker;
	struct file_ids ids;
	int64_t perf_ahead;
};

void process_files_free(struct process_files *files);

struct process_snapshot;

/* As buildid_snapshot_new(): of @options only pids and BUILDID_SUB_DATA. 0 or a negative errno. */
int process_snapshot_new(struct process_snapshot **snapshot, struct process_files *files,
			 const struct buildid_options *options);
/*
 * As buildid_snapshot_next(); -EPERM of a process that may not be looked at, and -ESTALE of one
 * that kept calling exec, are followed by those of the next one.
 */
int process_snapshot_next(struct process_snapshot *snapshot, const struct buildid_record **record);
/* How many processes with mappings there were. */
size_t process_snapshot_processes(const struct process_snapshot *snapshot);
void process_snapshot_free(struct process_snapshot *snapshot);

#endif
