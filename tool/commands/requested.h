/* SPDX-License-Identifier: GPL-2.0 */
/* Wanted: the contents that a perf.data names. */
#ifndef TOOL_WANTED_H
#define TOOL_WANTED_H

#include "common/output.h"
#include "content/locate.h"

struct wanted_list {
	struct wanted *items;
	size_t count;
	/* What has no build-id: paths, which have to be told. */
	const char **unknown;
	size_t nr_unknown;
	struct perfdata *data; /* whose memory the paths are */
};

/*
 * Of the DSOs that samples lie in; of all with @all, and when there is none with a
 * sample. False after it was told why not.
 */
bool wanted_read(struct wanted_list *list, struct output *out, const char *path, bool all);
void wanted_free(struct wanted_list *list);

#endif
