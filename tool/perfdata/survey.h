/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Survey: the first of a rewrite's two passes over a perf.data. Finds the content of each mapping,
 * and so of all mappings of a path. Takes memory for each content of a path, and 4 bytes per
 * mapping up to a limit: later ones are identified again in the second pass.
 */
#ifndef TOOL_PERFDATA_SURVEY_H
#define TOOL_PERFDATA_SURVEY_H

#include "build_ids.h"
#include "paths.h"

struct perfdata_survey {
	struct perfdata *data;
	const struct perfdata_annotator *annotator;
	struct perfdata_build_ids *build_ids;
	struct perfdata_paths paths;
	uint32_t *found; /* the content that each MMAP and MMAP2 is to be given, as an index */
	size_t nr_found;
	bool found_all; /* of the entries of @found */
	size_t asked;	/* of them, the second time */
	bool *there;	/* for each of the annotator's module events: the recording has it */
	char path[PERFDATA_EVENT_MAX]; /* of a mapping that has the name of a content */
};

/* The first three fields are set, the others zeroed. 0, or -1 with an error. */
int perfdata_survey_add(struct perfdata_survey *survey, const struct perfdata_event *event);
/* Once all events were added: judge, and count what will be done. 0 or -1. */
int perfdata_survey_end(struct perfdata_survey *survey, struct perfdata_counts *counts);
void perfdata_survey_free(struct perfdata_survey *survey);
/*
 * In the second pass, for each MMAP and MMAP2: the content to set, or a foreign one to remove. NULL
 * if it stays unchanged; with an error of the perf.data only if that was modified meanwhile.
 */
const struct perfdata_content *perfdata_survey_find(struct perfdata_survey *survey,
						    const struct perfdata_event *event);
/* The name of a content. */
const char *perfdata_survey_name(const struct perfdata_survey *survey,
				 const struct perfdata_content *content);

#endif
