// SPDX-License-Identifier: GPL-2.0
/* Paths and contents: counted while events are read, judged at the end. */

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/content_name.h"
#include "format.h"
#include "paths.h"

void perfdata_paths_free(struct perfdata_paths *paths)
{
	size_t i;

	for (i = 0; i < paths->count; i++)
		free(paths->all[i].path);
	for (i = 0; i < paths->nr_contents; i++)
		free(paths->contents[i].name);
	free(paths->all);
	free(paths->contents);
	hash_map_free(&paths->map);
	hash_map_free(&paths->content_map);
	perfdata_doubts_free(&paths->doubts);
}

static bool is_path(const struct perfdata_path *of, const char *path, enum perfdata_kind kind)
{
	return of->kind == kind && !strcmp(of->path, path);
}

struct perfdata_path *perfdata_paths_find(const struct perfdata_paths *paths, const char *path,
					  enum perfdata_kind kind)
{
	const uint64_t hash = hash_text(path);
	const struct hash_slot *slot = NULL;

	while ((slot = hash_map_next(&paths->map, hash, slot))) {
		struct perfdata_path *found = &paths->all[slot->value];

		if (is_path(found, path, kind))
			return found;
	}
	return NULL;
}

static size_t find_or_add_path(struct perfdata_paths *paths, const char *path,
			       enum perfdata_kind kind)
{
	const struct perfdata_path *found = perfdata_paths_find(paths, path, kind);
	struct perfdata_path new = { .kind = kind, .first = SIZE_MAX, .room = SIZE_MAX };

	if (found)
		return (size_t)(found - paths->all);
	new.path = strdup(path);
	if (!new.path || !array_reserve(paths->all, paths->count) ||
	    !hash_map_add(&paths->map, hash_text(path), (uint32_t)paths->count)) {
		free(new.path);
		return SIZE_MAX;
	}
	paths->all[paths->count] = new;
	return paths->count++;
}

/* Processes of one program map the same files in the same order. */
size_t perfdata_paths_add(struct perfdata_paths *paths, const char *path, enum perfdata_kind kind)
{
	size_t next = paths->count ? paths->all[paths->last].next : 0;

	if (next >= paths->count || !is_path(&paths->all[next], path, kind))
		next = find_or_add_path(paths, path, kind);
	if (next == SIZE_MAX)
		return next;
	paths->all[paths->last].next = next;
	paths->last = next;
	return next;
}

/* ---------------------------------------------------------------- contents -- */

static uint64_t content_hash(size_t path, const struct build_id *id)
{
	return hash_bytes(hash_bytes(hash_start(), &path, sizeof(path)), id->bytes, id->size);
}

static struct perfdata_content *find_content(const struct perfdata_paths *paths, size_t path,
					     const struct build_id *id)
{
	const uint64_t hash = content_hash(path, id);
	const struct hash_slot *slot = NULL;

	while ((slot = hash_map_next(&paths->content_map, hash, slot))) {
		struct perfdata_content *found = &paths->contents[slot->value];

		if (found->path == path && build_id_equal(&found->id, id))
			return found;
	}
	return NULL;
}

const struct perfdata_content *perfdata_paths_content(const struct perfdata_paths *paths,
						      size_t path, const struct build_id *id)
{
	return find_content(paths, path, id);
}

static struct perfdata_content *add_content(struct perfdata_paths *paths, size_t path,
					    const struct build_id *id)
{
	struct perfdata_content *new;

	if (!array_reserve(paths->contents, paths->nr_contents) ||
	    !hash_map_add(&paths->content_map, content_hash(path, id),
			  (uint32_t)paths->nr_contents))
		return NULL;
	paths->all[path].contents++;
	new = &paths->contents[paths->nr_contents++];
	*new = (struct perfdata_content){ .path = path, .id = *id, .time = UINT64_MAX };
	return new;
}

/* Usually the same as the last time. */
static struct perfdata_content *find_or_add(struct perfdata_paths *paths, size_t path,
					    const struct build_id *id)
{
	struct perfdata_path *of = &paths->all[path];
	struct perfdata_content *content = of->contents ? &paths->contents[of->content] : NULL;

	if (content && build_id_equal(&content->id, id))
		return content;
	content = find_content(paths, path, id);
	if (!content)
		content = add_content(paths, path, id);
	if (!content || !perfdata_doubts_add(&paths->doubts, of->kind, of->path, id))
		return NULL;
	of->content = (size_t)(content - paths->contents);
	return content;
}

struct perfdata_content *perfdata_paths_add_content(struct perfdata_paths *paths, size_t path,
						    const struct build_id *id, uint64_t time,
						    bool plain)
{
	struct perfdata_content *content = find_or_add(paths, path, id);
	struct perfdata_path *of = &paths->all[path];

	if (!content)
		return NULL;
	content->mappings++;
	of->named |= !plain;
	if (!plain)
		return content;
	if (time < content->time)
		content->time = time;
	/* Among equal times it is the first in the file, so that the result is stable. */
	if (of->first == SIZE_MAX || time < paths->contents[of->first].time)
		of->first = (size_t)(content - paths->contents);
	return content;
}

/* ------------------------------------------------------------------- judge -- */

const char perfdata_foreign[] = "its build-id is not believed, as the recording has it for other "
				"modules, too; perf 6.17 to 6.19 write such recordings";

static bool are_unknown(const struct perfdata_path *path)
{
	return path->missing || path->without;
}

/* perf report compares the last components of names only. */
static const char *last_component(const char *name)
{
	return basename(name);
}

/*
 * Contents whose names would be equal, or equal to the path of a mapped file, get names with all
 * digits.
 */
static void find_clashes(struct perfdata_paths *paths, struct hash_map *names, size_t number)
{
	struct perfdata_content *content = &paths->contents[number], *other;
	const char *name = last_component(content->name);
	const struct hash_slot *slot = NULL;

	content->in_full = perfdata_paths_find(paths, content->name, PERFDATA_KIND_USER);
	while ((slot = hash_map_next(names, hash_text(name), slot))) {
		other = &paths->contents[slot->value];
		if (strcmp(name, last_component(other->name)) != 0 ||
		    build_id_equal(&content->id, &other->id))
			continue;
		content->in_full = other->in_full = true;
		return;
	}
}

static bool name_shortly(struct perfdata_paths *paths)
{
	struct hash_map names = {};
	bool good = true;
	size_t i;

	for (i = 0; good && i < paths->nr_contents; i++) {
		struct perfdata_content *content = &paths->contents[i];
		const struct perfdata_path *path = &paths->all[content->path];

		if (!path->split)
			continue;
		content->name = content_name(path->path, &content->id);
		if (content->name)
			find_clashes(paths, &names, i);
		good = content->name &&
		       hash_map_add(&names, hash_text(last_component(content->name)), (uint32_t)i);
	}
	hash_map_free(&names);
	return good;
}

/* How much longer a name with all digits is than one with eight. */
static size_t growth(const struct perfdata_content *content)
{
	return PERFDATA_NAME_ROOM(2 * content->id.size) - PERFDATA_NAME_ROOM(0);
}

/* The first content of a path keeps the path; without room for the digits, all of them do. */
static bool name_at_length(struct perfdata_paths *paths)
{
	size_t i;

	for (i = 0; i < paths->nr_contents; i++) {
		const struct perfdata_content *content = &paths->contents[i];

		if (content->in_full && paths->all[content->path].room < growth(content))
			paths->all[content->path].split = false;
	}
	for (i = 0; i < paths->nr_contents; i++) {
		struct perfdata_content *content = &paths->contents[i];
		const struct perfdata_path *path = &paths->all[content->path];
		bool named = path->split && path->first != i;

		if (named && !content->in_full)
			continue;
		free(content->name);
		content->name = named ? content_name_in_full(path->path, &content->id) : NULL;
		if (named && !content->name)
			return false;
	}
	return true;
}

/* An id that cannot be right counts as unknown. */
static void take_out_foreign(struct perfdata_paths *paths)
{
	size_t i;

	for (i = 0; i < paths->nr_contents; i++) {
		struct perfdata_content *content = &paths->contents[i];
		struct perfdata_path *path = &paths->all[content->path];

		if (content->known ||
		    !perfdata_doubts_has(&paths->doubts, path->kind, &content->id))
			continue;
		content->foreign = true;
		path->contents--;
		path->annotated -= content->mappings;
		path->missing += content->mappings;
		path->reason = perfdata_foreign;
	}
}

bool perfdata_paths_judge(struct perfdata_paths *paths, bool keep_names)
{
	size_t i;

	take_out_foreign(paths);

	for (i = 0; i < paths->count; i++) {
		struct perfdata_path *path = &paths->all[i];

		path->split = !keep_names && path->kind == PERFDATA_KIND_USER &&
			      (path->named || path->contents + !!path->without > 1);
		if (are_unknown(path))
			path->first = SIZE_MAX;
	}
	return name_shortly(paths) && name_at_length(paths);
}

bool perfdata_path_is_annotated(const struct perfdata_path *path)
{
	return path->split || !(path->missing || (path->annotated && path->without));
}

bool perfdata_path_is_done(const struct perfdata_path *path)
{
	return path->annotated && !are_unknown(path);
}

size_t perfdata_path_unnamed(const struct perfdata_path *path)
{
	return !path->split && path->contents > 1 ? path->contents - 1 : 0;
}
