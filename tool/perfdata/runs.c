// SPDX-License-Identifier: GPL-2.0
/* Runs: what is between two events that change. */

#include "common/array.h"
#include "runs.h"

/* As much as is read at once: shorter runs are in memory by then. */
#define RUN_MIN (1U << 20)

void perfdata_runs_free(struct perfdata_runs *runs)
{
	free(runs->all);
	*runs = (struct perfdata_runs){};
}

/* Add the run from the last break up to @end. */
static int runs_add(struct perfdata_runs *runs, struct perfdata *data, uint64_t end)
{
	uint64_t begin = runs->from ? runs->from : data->streams[runs->stream].begin;

	if (end < begin || end - begin < RUN_MIN)
		return 0;
	if (!array_reserve(runs->all, runs->count))
		return perfdata_no_memory(data);
	runs->all[runs->count++] = (struct perfdata_run){ runs->stream, begin, end };
	return 0;
}

static int end_streams(struct perfdata_runs *runs, struct perfdata *data, size_t number)
{
	for (; runs->stream < number; runs->stream++, runs->from = 0)
		if (runs_add(runs, data, data->streams[runs->stream].end))
			return -1;
	return 0;
}

int perfdata_runs_break(struct perfdata_runs *runs, struct perfdata *data,
			const struct perfdata_item *item)
{
	if (end_streams(runs, data, data->current) || runs_add(runs, data, item->offset))
		return -1;
	runs->from = perfdata_offset(data);
	return 0;
}

int perfdata_runs_end(struct perfdata_runs *runs, struct perfdata *data)
{
	if (end_streams(runs, data, data->nr_streams))
		return -1;
	/* Compressed events are written uncompressed. */
	if (data->zstd)
		perfdata_runs_free(runs);
	return 0;
}

const struct perfdata_run *perfdata_runs_here(struct perfdata_runs *runs,
					      const struct perfdata *data)
{
	uint64_t offset = perfdata_offset(data);
	const struct perfdata_run *run;

	for (; runs->next < runs->count; runs->next++) {
		run = &runs->all[runs->next];
		if (run->stream > data->current ||
		    (run->stream == data->current && run->end > offset))
			break;
	}
	run = runs->next < runs->count ? &runs->all[runs->next] : NULL;
	return run && run->stream == data->current && run->begin <= offset ? run : NULL;
}
