/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Paths of a perf.data that is annotated, and the contents that each of them had. perf identifies a
 * DSO by its name, takes a mapping without a build-id for any content of that name, and perf report
 * compares names only. So each content of a path gets its own name if possible; otherwise, all
 * mappings of a path get a build-id, or none of them. Both are known only after all mappings: first
 * all are added, then the paths are judged.
 */
#ifndef TOOL_PERFDATA_PATHS_H
#define TOOL_PERFDATA_PATHS_H

#include "common/hash_map.h"
#include "doubts.h"
#include "annotator.h"

/**
 * struct perfdata_path - one path, with counts of its mappings
 * @path: as perf has it, without the suffix of a content name
 * @kind: what is mapped
 * @annotated: mappings with a build-id
 * @without: mappings whose content has no build-id
 * @missing: mappings whose content is not known
 * @reason: why the content of the first of @missing is not known
 * @executable: some of its mappings are executable
 * @named: some of its mappings already have a content name
 * @contents: number of contents with a build-id
 * @content: that of the last mapping that has one
 * @first: the content that keeps the path, as it was mapped first; SIZE_MAX for none
 * @room: bytes that are free in every event besides a name with eight digits
 * @next: the path that was added after it the last time
 * @split: judged: its contents have names of their own
 */
struct perfdata_path {
	char *path;
	enum perfdata_kind kind;
	uint64_t annotated;
	uint64_t without;
	uint64_t missing;
	const char *reason;
	bool executable;
	bool named;
	size_t contents;
	size_t content;
	size_t first;
	size_t room;
	size_t next;
	bool split;
};

/**
 * struct perfdata_content - one content of a path
 * @path: as an index
 * @id: build-id
 * @time: of its first mapping that has the plain path
 * @name: other than the path; NULL for the path
 * @mappings: number of mappings that have it
 * @known: it is from the annotator, not just from the perf.data
 * @foreign: judged: the perf.data has it for several modules, so mappings get no build-id
 * @in_full: with all digits, as another content has the first ones, too
 */
struct perfdata_content {
	size_t path;
	struct build_id id;
	uint64_t time;
	char *name;
	uint64_t mappings;
	bool known;
	bool foreign;
	bool in_full;
};

/* Initialized to all zeros. */
struct perfdata_paths {
	struct perfdata_path *all;
	size_t count;
	size_t last; /* added */
	struct hash_map map;
	struct perfdata_content *contents;
	size_t nr_contents;
	struct hash_map content_map;
	struct perfdata_doubts doubts;
};

void perfdata_paths_free(struct perfdata_paths *paths);
/* Find or add it; returns its index, SIZE_MAX without memory. */
size_t perfdata_paths_add(struct perfdata_paths *paths, const char *path, enum perfdata_kind kind);
/* NULL when there is none. */
struct perfdata_path *perfdata_paths_find(const struct perfdata_paths *paths, const char *path,
					  enum perfdata_kind kind);
/*
 * @path had content @id at @time. @plain: the mapping has the path, not a content name. NULL
 *	without memory.
 */
struct perfdata_content *perfdata_paths_add_content(struct perfdata_paths *paths, size_t path,
						    const struct build_id *id, uint64_t time,
						    bool plain);
/* The reason for dropping a doubtful build-id. */
extern const char perfdata_foreign[];

/* NULL when there is none. */
const struct perfdata_content *perfdata_paths_content(const struct perfdata_paths *paths,
						      size_t path, const struct build_id *id);
/*
 * Once all were added: give names to contents, unless @keep_names. The first content of
 * a path keeps it, if all its mappings have a build-id. False without memory.
 */
bool perfdata_paths_judge(struct perfdata_paths *paths, bool keep_names);

/* Its mappings get the build-ids of their contents. */
bool perfdata_path_is_annotated(const struct perfdata_path *path);
/* Each of its mappings has a build-id. */
bool perfdata_path_is_done(const struct perfdata_path *path);
/* Number of contents that share a name with another, which perf report cannot distinguish. */
size_t perfdata_path_unnamed(const struct perfdata_path *path);

#endif
