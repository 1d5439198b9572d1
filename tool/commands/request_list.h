/* SPDX-License-Identifier: GPL-2.0 */
/* Wanted: the contents that a perf.data names. */
#ifndef TOOL_REQUEST_LIST_H
#define TOOL_REQUEST_LIST_H

#include "common/output.h"
#include "content/locate.h"

struct request_list {
	struct request *items;
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
bool request_list_read(struct request_list *list, struct output *out, const char *path, bool all);
void request_list_free(struct request_list *list);

#endif
