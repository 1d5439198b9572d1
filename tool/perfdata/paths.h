/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Paths of a perf.data that is annotated, and the contents that each of them had. perf
 * knows a DSO by its name, takes a mapping without a build-id for any content of that
 * name, and perf report compares by name alone. So each content of a path gets a name of
 * its own where that is possible, and else either all mappings of a path get a build-id
 * or none does. Both are known only when all mappings were seen: first all are added,
 * then the paths are judged.
 */
#ifndef TOOL_PERFDATA_PATHS_H
#define TOOL_PERFDATA_PATHS_H

#include "common/hash_map.h"
#include "doubts.h"
#include "annotator.h"

/**
 * struct perfdata_path - one path, and how many of its mappings are what
 * @path: as perf has it, or in front of the suffix of a content's name
 * @kind: what is mapped
 * @annotated: mappings with a build-id
 * @without: mappings whose content has none
 * @missing: mappings whose content is not known
 * @reason: why the content of the first of @missing is not known
 * @executable: some of its mappings are
 * @named: some of its mappings have the name of a content already
 * @contents: how many with a build-id
 * @content: the one of the last mapping that has one
 * @first: the one that keeps the path, as its first mapping is the first of them all;
 *	SIZE_MAX for none
 * @room: bytes that every event of it has beside a name with eight digits
 * @next: the one that was added behind it the last time
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
 * struct perfdata_content - what a path led to for some of its mappings
 * @path: as an index
 * @id: build-id
 * @time: of the first mapping of it that has the path and no other name
 * @name: other than the path; NULL for the path
 * @mappings: how many have it
 * @known: it is the annotator's word, and not the perf.data's alone
 * @foreign: judged: the perf.data says it of several modules: mappings are to have no build-id
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

/* Begins as all zeros. */
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
/* The index of it, which is added if need be; SIZE_MAX without memory. */
size_t perfdata_paths_add(struct perfdata_paths *paths, const char *path, enum perfdata_kind kind);
/* NULL when there is none. */
struct perfdata_path *perfdata_paths_find(const struct perfdata_paths *paths, const char *path,
					  enum perfdata_kind kind);
/*
 * @path had content @id at @time. @plain: the mapping has the path, not the name of a
 * content. NULL without memory.
 */
struct perfdata_content *perfdata_paths_add_content(struct perfdata_paths *paths, size_t path,
						    const struct build_id *id, uint64_t time,
						    bool plain);
/* Why a build-id that is in doubt is not the path's. */
extern const char perfdata_foreign[];

/* NULL when there is none. */
const struct perfdata_content *perfdata_paths_content(const struct perfdata_paths *paths,
						      size_t path, const struct build_id *id);
/*
 * When all were added: give names to contents, unless @keep_names. The first content of
 * a path keeps it, if all its mappings have a build-id. False without memory.
 */
bool perfdata_paths_judge(struct perfdata_paths *paths, bool keep_names);

/* Mappings of it are to have the build-ids of their contents. */
bool perfdata_path_is_annotated(const struct perfdata_path *path);
/* Each of its mappings has a build-id. */
bool perfdata_path_is_done(const struct perfdata_path *path);
/* Contents that share its name with another, as perf report will not tell apart. */
size_t perfdata_path_unnamed(const struct perfdata_path *path);

#endif
