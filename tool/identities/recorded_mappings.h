/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Recorded mappings: what a process had mapped at an address at a time, by a log of
 * buildid record, whether the process is still there or not.
 *
 * With FORK and EXEC records in the log a child has what its parent had, until it calls
 * exec; without them only what it mapped itself.
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
	const char *path; /* "" when it is not known; valid as long as the mappings are */
	struct identity identity;
	struct file_version version;
	uint64_t offset; /* of the address in the file */
};

enum recorded_result {
	RECORDED_FOUND,
	RECORDED_NO_PROCESS, /* no record is of it */
	RECORDED_NO_MAPPING,
};

/*
 * Read all of @log, "-" for standard input. Times are by @clock, _PERF or _MONO. NULL
 * with @reason when it cannot be read; of one that is damaged, what comes before that
 * counts, and then @reason is set, too, else it is "".
 */
struct recorded_mappings *recorded_mappings_read(const char *log, enum perfdata_clock clock,
						 struct reason *reason);
void recorded_mappings_free(struct recorded_mappings *mappings);
/* How many records are missing. */
uint64_t recorded_mappings_lost(const struct recorded_mappings *mappings);
/* Whether the log is of this boot: only then do its pids mean something now. */
bool recorded_mappings_now(const struct recorded_mappings *mappings);
/*
 * Whether the process that had @pid at @time is the last one that had it, by the log, and
 * its @start_time as in struct buildid_mmap: only that process may still be there.
 */
bool recorded_mappings_last(const struct recorded_mappings *mappings, uint32_t pid, uint64_t time,
			    uint64_t *start_time);
/* @time is UINT64_MAX for the last that is known. */
enum recorded_result recorded_mappings_find(const struct recorded_mappings *mappings, uint32_t pid,
					    uint64_t addr, uint64_t time,
					    struct recorded_file *file);

#endif
