/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Recorded mappings: what a process had mapped at an address at a time, from a log of buildid
 * record, whether or not the process still exists.
 *
 * With FORK and EXEC records in the log, a child has its parent's mappings until it calls exec;
 * without them, only its own.
 */
#ifndef TOOL_RECORDED_MAPPINGS_H
#define TOOL_RECORDED_MAPPINGS_H

#include "common/build_id.h"
#include "common/reason.h"
#include "content/file_version.h"
#include "perfdata/perfdata.h"

struct recorded_mappings;

/* The file behind an address. */
struct recorded_file {
	const char *path; /* "" if unknown; valid as long as the mappings */
	struct identity identity;
	struct file_version version;
	uint64_t offset; /* of the address in the file */
};

enum recorded_result {
	RECORDED_FOUND,
	RECORDED_NO_PROCESS, /* no record of the process */
	RECORDED_NO_MAPPING,
};

/*
 * Read all of @log, "-" for standard input. Times are by @clock, _PERF or _MONO. NULL with @reason
 * if it cannot be read. Of a damaged log, the part before the damage is used, and @reason is set as
 * well; otherwise @reason is "".
 */
struct recorded_mappings *recorded_mappings_read(const char *log, enum perfdata_clock clock,
						 struct reason *reason);
void recorded_mappings_free(struct recorded_mappings *mappings);
/* The number of missing records. */
uint64_t recorded_mappings_lost(const struct recorded_mappings *mappings);
/* Whether the log is of this boot: only then are its pids valid now. */
bool recorded_mappings_now(const struct recorded_mappings *mappings);
/* Whether it was recorded without the module. */
bool recorded_mappings_by_perf(const struct recorded_mappings *mappings);
/*
 * Whether the process that had @pid at @time is the last one with it in the log, and its
 * @start_time as in struct buildid_mmap: only that process may still exist.
 */
bool recorded_mappings_last(const struct recorded_mappings *mappings, uint32_t pid, uint64_t time,
			    uint64_t *start_time);
/* @time is UINT64_MAX for the last known state. */
enum recorded_result recorded_mappings_find(const struct recorded_mappings *mappings, uint32_t pid,
					    uint64_t addr, uint64_t time,
					    struct recorded_file *file);

#endif
