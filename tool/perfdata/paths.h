/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Paths of a perf.data while it is annotated. perf report knows a DSO by its path, and
 * takes a mapping without a build-id for any content of that path: so either all
 * mappings of a path get a build-id or none does, which is known at the end only.
 */
#ifndef TOOL_PERFDATA_PATHS_H
#define TOOL_PERFDATA_PATHS_H

#include "common/hash_map.h"
#include "rewrite.h"

/**
 * struct perfdata_path - one path, and how many of its mappings are what
 * @path: as perf has it
 * @kind: what is mapped
 * @annotated: mappings with a build-id
 * @without: mappings whose content has none
 * @missing: mappings whose content is not known
 * @reason: why the content of the first of @missing is not known
 */
struct perfdata_path {
	char *path;
	enum perfdata_kind kind;
	uint64_t annotated;
	uint64_t without;
	uint64_t missing;
	const char *reason;
};

/* Begins as all zeros. */
struct perfdata_paths {
	struct perfdata_path *all;
	size_t count;
	struct hash_map map;
};

void perfdata_paths_free(struct perfdata_paths *paths);
/* The index of it, which is added if need be; SIZE_MAX without memory. */
size_t perfdata_paths_add(struct perfdata_paths *paths, const char *path, enum perfdata_kind kind);
/* NULL when there is none. */
const struct perfdata_path *perfdata_paths_find(const struct perfdata_paths *paths,
						const char *path, enum perfdata_kind kind);
/* Some of its mappings have a build-id and some cannot get one: none is to have one. */
bool perfdata_path_is_mixed(const struct perfdata_path *path);
/* Each of its mappings has a build-id. */
bool perfdata_path_is_done(const struct perfdata_path *path);

#endif
