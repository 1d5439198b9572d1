/* SPDX-License-Identifier: GPL-2.0 */
/* Filter: which mappings are wanted. */
#ifndef TOOL_FILTER_H
#define TOOL_FILTER_H

#include <stdbool.h>

#include "libbuildid.h"
#include "output.h"

struct filter {
	uint32_t pids[BUILDID_SUB_PIDS_MAX];
	uint32_t nr_pids;
	const char *comm;	/* NULL for all */
	const char *path;	/* a pattern as of fnmatch(3), NULL for all */
};

/* From "1,2,3"; a reason when that is no list of pids, or too long a one. */
const char *filter_add_pids(struct filter *filter, const char *list);

/* @path: of the mapping, "" when it is not known. */
bool filter_wants(const struct filter *filter, const struct buildid_mmap *mmap,
		  const char *path);

/* Whether all pids are of processes; tells of the first that is not. */
bool filter_pids_exist(const struct filter *filter, struct output *out);

#endif
