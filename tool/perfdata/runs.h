/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Runs: long stretches of a perf.data that a rewrite does not change. Nearly all of a recording is
 * samples, which the kernel can copy without this process.
 */
#ifndef TOOL_PERFDATA_RUNS_H
#define TOOL_PERFDATA_RUNS_H

#include "file.h"

/* From @begin to @end in the file of the stream, whole events. */
struct perfdata_run {
	size_t stream;
	uint64_t begin, end;
};

/* Initialized to all zeros. */
struct perfdata_runs {
	struct perfdata_run *all;
	size_t count;
	size_t stream; /* up to which runs are known, ... */
	uint64_t from; /* ... and where in it the next one begins; 0: with the stream */
	size_t next;   /* not passed yet */
};

void perfdata_runs_free(struct perfdata_runs *runs);

/* First pass: @item, the last event read, will change. 0, or -1 with an error. */
int perfdata_runs_break(struct perfdata_runs *runs, struct perfdata *data,
			const struct perfdata_item *item);
/* All events were read. 0 or -1. */
int perfdata_runs_end(struct perfdata_runs *runs, struct perfdata *data);

/* Second pass: the run that the next event is in, or NULL. */
const struct perfdata_run *perfdata_runs_here(struct perfdata_runs *runs,
					      const struct perfdata *data);

#endif
