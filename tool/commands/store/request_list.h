/* SPDX-License-Identifier: GPL-2.0 */
/* Request list: the contents that a perf.data refers to, as requests to locate. */
#ifndef TOOL_REQUEST_LIST_H
#define TOOL_REQUEST_LIST_H

#include "common/output.h"
#include "content/locate.h"

struct request_list {
	struct request *items;
	size_t count;
	/* Paths without a build-id, which cannot be located. */
	const char **unknown;
	size_t nr_unknown;
	struct perfdata *data; /* owns the paths */
};

/*
 * The DSOs that have samples; all of them with @all, if none has a sample, or if more than the
 * samples' own addresses is looked up. False after the error was printed.
 */
bool request_list_read(struct request_list *list, struct output *out, const char *path, bool all);
void request_list_free(struct request_list *list);

#endif
