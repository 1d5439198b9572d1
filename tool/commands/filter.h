/* SPDX-License-Identifier: GPL-2.0 */
/* Filter: selects the mappings that a command was asked for. */
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
	const char *path;   /* a pattern of fnmatch(3), NULL for all */
};

/*
 * Add pids to a struct filter, from "1,2,3". NULL, or the reason why the list is invalid or too
 * long.
 */
const char *filter_add_pids(void *to, const char *list);

/* Set the user of a struct filter, by number or name. NULL, or the reason why it is neither. */
const char *filter_set_uid(void *to, const char *user);

/*
 * Whether a record passes: by thread name and path, and by pid, as a log is not filtered by the
 * module. @path: of the mapping, "" if it is unknown.
 */
bool filter_matches(const struct filter *filter, uint32_t pid, const char *comm, const char *path);

/*
 * Have the module filter: fills @options, which then refer to @filter. False after an error was
 * printed, e.g. if a pid does not exist. Call filter_close_options() after use.
 */
bool filter_set_options(const struct filter *filter, struct output *out,
			struct buildid_options *options);
void filter_close_options(const struct buildid_options *options);

/* Whether each pid is that of a process; prints the first that is not. */
bool filter_pids_exist(const struct filter *filter, struct output *out);

#endif
