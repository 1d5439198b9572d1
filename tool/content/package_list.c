// SPDX-License-Identifier: GPL-2.0
/*
 * Package list: the paths of all packages, by their hashes. A path listed by several packages, such
 * as a directory, belongs to none. A lookup goes through the package's paths again, to exclude
 * another path with the same hash.
 */

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "package_list.h"
#include "root_files.h"

/*
 * No real database exceeds these; a large machine has half a million paths, and 20 MB of text. But
 * any user can have a root directory with any database in it.
 */
#define KEPT_MAX    (128U << 20)
#define PATHS_MAX   (2U << 20)
#define ENTRIES_MAX (256U << 10)

/* Value for a path of several packages. */
#define SEVERAL UINT32_MAX
#define NOBODY	(UINT32_MAX - 1)

bool package_list_keep(struct package_list *list, char *text, size_t size)
{
	if (!text || size > KEPT_MAX - list->kept || !array_reserve(list->texts, list->nr_texts)) {
		free(text);
		return false;
	}
	list->kept += size;
	list->texts[list->nr_texts++] = text;
	return true;
}

bool package_list_add(struct package_list *list, const struct package_entry *entry)
{
	if (list->nr_entries == ENTRIES_MAX || !array_reserve(list->entries, list->nr_entries))
		return false;
	list->entries[list->nr_entries++] = *entry;
	return true;
}

/* ----------------------------------------------------------------- paths -- */

struct path_sink {
	struct package_list *list;
	uint32_t index;
	bool failed;
};

static bool add_path(void *data, const char *path)
{
	struct path_sink *sink = data;
	struct hash_map *map = &sink->list->by_path;
	uint64_t key = hash_text(path);
	uint32_t before = hash_map_get(map, key, NOBODY);

	if (before == NOBODY)
		sink->failed = map->count >= PATHS_MAX || !hash_map_set(map, key, sink->index);
	else if (before != sink->index && before != SEVERAL)
		sink->failed = !hash_map_set(map, key, SEVERAL);
	return !sink->failed;
}

static bool add_paths(struct package_list *list)
{
	struct path_sink sink = { .list = list };

	for (; sink.index < list->nr_entries && !sink.failed; sink.index++)
		list->format->each_path(list, &list->entries[sink.index], add_path, &sink);
	return !sink.failed;
}

struct path_search {
	const char *path;
	bool found;
};

static bool look_at_path(void *data, const char *path)
{
	struct path_search *search = data;

	search->found = !strcmp(path, search->path);
	return !search->found;
}

const struct package_entry *package_list_find(const struct package_list *list, const char *path)
{
	uint32_t index = hash_map_get(&list->by_path, hash_text(path), NOBODY);
	struct path_search search = { .path = path };

	if (index == SEVERAL || index == NOBODY || !*path)
		return NULL;
	list->format->each_path(list, &list->entries[index], look_at_path, &search);
	return search.found ? &list->entries[index] : NULL;
}

/* ---------------------------------------------------------------- changes -- */

/* The first existing place of @format, or NULL. */
static const char *look_at_places(const struct package_format *format, int root,
				  struct statx *status)
{
	const char *const *place = format->places;

	memset(status, 0, sizeof(*status));
	while (*place && !root_stat(root, *place, status))
		place++;
	return *place;
}

bool package_list_is_current(const struct package_list *list)
{
	struct statx now;

	return look_at_places(list->format, list->root, &now) == list->place &&
	       now.stx_ino == list->status.stx_ino &&
	       now.stx_mtime.tv_sec == list->status.stx_mtime.tv_sec &&
	       now.stx_mtime.tv_nsec == list->status.stx_mtime.tv_nsec;
}

struct package_list *package_list_open(const struct package_format *format, int root)
{
	struct package_list *list = calloc(1, sizeof(*list));

	if (!list)
		return NULL;
	list->format = format;
	list->root = root;
	list->place = look_at_places(format, root, &list->status);
	if (!list->place || (format->read(list) && add_paths(list)))
		return list;
	/* a partly read one may lack the second package of a path */
	hash_map_free(&list->by_path);
	list->unread = true;
	return list;
}

void package_list_close(struct package_list *list)
{
	size_t i;

	if (!list)
		return;
	for (i = 0; i < list->nr_texts; i++)
		free(list->texts[i]);
	free(list->texts);
	free(list->entries);
	free(list->diversions);
	hash_map_free(&list->by_path);
	hash_map_free(&list->by_diverted);
	free(list);
}
