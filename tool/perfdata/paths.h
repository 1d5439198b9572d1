/* SPDX-License-Identifier: GPL-2.0 */
/* Paths of a perf.data while it is annotated: all mappings of one, or none. */
#ifndef TOOL_PERFDATA_PATHS_H
#define TOOL_PERFDATA_PATHS_H

#include "rewrite.h"

/**
 * struct perfdata_path - one path, and how its mappings fare
 * @path: as perf has it
 * @kind: what it is of
 * @annotated: mappings with an id
 * @without: whose content has none
 * @missing: whose content is not known
 * @reason: why the first of @missing is not
 */
struct perfdata_path {
	char *path;
	enum perfdata_kind kind;
	uint64_t annotated;
	uint64_t without;
	uint64_t missing;
	const char *reason;
	size_t next; /* of the same hash, plus one */
};

struct perfdata_paths {
	struct perfdata_path *all;
	size_t count, room;
	size_t *buckets;
};

void perfdata_paths_free(struct perfdata_paths *paths);
/* The number of it, made if need be; SIZE_MAX without memory. */
size_t perfdata_paths_add(struct perfdata_paths *paths, const char *path, enum perfdata_kind kind);
/* NULL when there is none. */
const struct perfdata_path *perfdata_paths_find(const struct perfdata_paths *paths,
						const char *path, enum perfdata_kind kind);
/* Some of its mappings have an id and some cannot, so none is to have one. */
bool perfdata_path_is_mixed(const struct perfdata_path *path);
/* Each of its mappings has its id. */
bool perfdata_path_is_done(const struct perfdata_path *path);

#endif
