/* SPDX-License-Identifier: GPL-2.0 */
/* Filter: which mappings are wanted. */
#ifndef TOOL_FILTER_H
#define TOOL_FILTER_H

#include <stdbool.h>

#include "common/output.h"
#include "libbuildid/libbuildid.h"

struct filter {
	uint32_t pids[BUILDID_SUB_PIDS_MAX];
	uint32_t nr_pids;
	bool children; /* descendants of @pids, too */
	bool by_uid;
	uint32_t uid;
	const char *cgroup; /* a directory, NULL for all */
	const char *comm;   /* NULL for all */
	const char *path;   /* a pattern as of fnmatch(3), NULL for all */
};

/* From "1,2,3"; a reason when that is no list of pids, or too long a one. */
const char *filter_add_pids(struct filter *filter, const char *list);

/* From the number or the name of a user; a reason when it is neither. */
const char *filter_set_uid(struct filter *filter, const char *user);

/* Why the options given do not go together, NULL when they do. */
const char *filter_conflict(const struct filter *filter);

/*
 * What is left to look at when the source filters as filter_subscribe() says,
 * and for one that does not: pids, name of the thread, path.
 * @path: of the mapping, "" when it is not known.
 */
bool filter_wants(const struct filter *filter, uint32_t pid, const char *comm, const char *path);

/*
 * Fill in what the source is to filter, after a look at whether the pids exist;
 * tells of what is wrong. @filter has to stay as long as @options; what was
 * opened is closed by filter_subscribed().
 */
bool filter_subscribe(const struct filter *filter, struct output *out,
		      struct buildid_options *options);
void filter_subscribed(const struct buildid_options *options);

/* Whether all pids are of processes; tells of the first that is not. */
bool filter_pids_exist(const struct filter *filter, struct output *out);

#endif
