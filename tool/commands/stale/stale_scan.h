/* SPDX-License-Identifier: GPL-2.0 */
/* Stale scan: processes whose mapped content is not what its path leads to now. */
#ifndef TOOL_STALE_SCAN_H
#define TOOL_STALE_SCAN_H

#include <stdbool.h>

#include "commands/current_file.h"
#include "source/source.h"

/**
 * struct stale - a file of a process that is stale
 * @pid: of the process
 * @start_time: as in struct buildid_mmap
 * @comm: the process's name
 * @mmap: a mapping of it
 * @path: as /proc/PID/maps shows it
 * @runs: what is mapped
 * @now: what is at @path; NULL when it was deleted
 */
struct stale {
	uint32_t pid;
	uint64_t start_time;
	const char *comm;
	const struct buildid_mmap *mmap;
	const char *path;
	const struct buildid_file *runs;
	const struct current_file *now;
};

/**
 * struct stale_scan - a scan
 * @nr_pids: 0 for all processes
 * @pids: only these
 * @temporary: deleted files that were made to be deleted, too
 * @found: called for each stale file of each process
 * @data: for @found
 * @current: NULL at first; what is known of paths, and of users whose servers are silent
 * @alive: a counter, as all below: processes that were there, with file mappings or without
 * @processes: whose mappings were compared
 * @stale: of these, those that have a stale file
 * @denied: processes that may not be looked at
 * @skipped: processes that kept calling exec, or kept their address space locked
 * @unknown: mapped files that could not be compared
 * @unsure: mapped files with the identity of what is at their path, but not compared with it
 */
struct stale_scan {
	uint32_t nr_pids;
	const uint32_t *pids;
	bool temporary;
	void (*found)(void *data, const struct stale *stale);
	void *data;
	struct current_files *current;

	size_t alive;
	size_t processes;
	size_t stale;
	size_t denied;
	size_t skipped;
	size_t unknown;
	size_t unsure;
};

/* Returns 0, or the negative errno that ended it. Another one may follow, of other @pids. */
int stale_scan(struct stale_scan *scan, struct source *source);
void stale_scan_end(struct stale_scan *scan);

#endif
