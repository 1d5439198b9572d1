/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Survey: the first of the two times that a rewrite reads a perf.data. What each mapping
 * is, and so what all mappings of a path are. Takes memory for each content of a path,
 * and 4 bytes for each mapping, of so many: a later one is identified anew the second time.
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
	bool found_all; /* of those that have a place in it */
	size_t asked;	/* of them, the second time */
	bool *there;	/* of each of the annotator's module events: the recording has it */
	char path[PERFDATA_EVENT_MAX]; /* of a mapping that has the name of a content */
};

/* The first three fields are set, the others zeroed. 0, or -1 with an error. */
int perfdata_survey_add(struct perfdata_survey *survey, const struct perfdata_event *event);
/* When all events were added: judge, and count what will be done. 0 or -1. */
int perfdata_survey_end(struct perfdata_survey *survey, struct perfdata_counts *counts);
void perfdata_survey_free(struct perfdata_survey *survey);
/*
 * When it has ended, of each MMAP and MMAP2: the content that it is to be given, or one that is
 * foreign and to be taken from it. NULL: it stays as it is; without an error of the perf.data,
 * unless it was changed meanwhile.
 */
const struct perfdata_content *perfdata_survey_find(struct perfdata_survey *survey,
						    const struct perfdata_event *event);
/* The name of a content. */
const char *perfdata_survey_name(const struct perfdata_survey *survey,
				 const struct perfdata_content *content);

#endif
