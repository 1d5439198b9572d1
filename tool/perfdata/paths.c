// SPDX-License-Identifier: GPL-2.0
/* Paths of a perf.data while it is annotated: all mappings of one, or none. */

#include <stdlib.h>
#include <string.h>

#include "paths.h"

#define FIRST_ROOM 256

void perfdata_paths_free(struct perfdata_paths *paths)
{
	size_t i;

	for (i = 0; i < paths->count; i++)
		free(paths->all[i].path);
	free(paths->all);
	free(paths->buckets);
}

static size_t bucket_of(const struct perfdata_paths *paths, const char *path)
{
	uint64_t state = 0xcbf29ce484222325ULL;

	while (*path)
		state = (state ^ (unsigned char)*path++) * 0x100000001b3ULL;
	return (size_t)(state ^ state >> 32) & (paths->room - 1);
}

static void insert(struct perfdata_paths *paths, size_t number)
{
	size_t *bucket = &paths->buckets[bucket_of(paths, paths->all[number].path)];

	paths->all[number].next = *bucket;
	*bucket = number + 1;
}

static bool grow(struct perfdata_paths *paths)
{
	size_t room = paths->room ? paths->room * 2 : FIRST_ROOM;
	size_t *buckets = calloc(room, sizeof(*buckets));
	struct perfdata_path *all;
	size_t i;

	if (!buckets)
		return false;
	all = reallocarray(paths->all, room, sizeof(*all));
	if (!all) {
		free(buckets);
		return false;
	}
	free(paths->buckets);
	paths->all = all;
	paths->buckets = buckets;
	paths->room = room;
	for (i = 0; i < paths->count; i++)
		insert(paths, i);
	return true;
}

const struct perfdata_path *perfdata_paths_find(const struct perfdata_paths *paths,
						const char *path, enum perfdata_kind kind)
{
	size_t i = paths->room ? paths->buckets[bucket_of(paths, path)] : 0;

	for (; i; i = paths->all[i - 1].next)
		if (paths->all[i - 1].kind == kind && !strcmp(paths->all[i - 1].path, path))
			return &paths->all[i - 1];
	return NULL;
}

size_t perfdata_paths_add(struct perfdata_paths *paths, const char *path, enum perfdata_kind kind)
{
	const struct perfdata_path *found = perfdata_paths_find(paths, path, kind);
	struct perfdata_path *new;

	if (found)
		return (size_t)(found - paths->all);
	if (paths->count == paths->room && !grow(paths))
		return SIZE_MAX;
	new = &paths->all[paths->count];
	*new = (struct perfdata_path){ .path = strdup(path), .kind = kind };
	if (!new->path)
		return SIZE_MAX;
	insert(paths, paths->count);
	return paths->count++;
}

bool perfdata_path_is_mixed(const struct perfdata_path *path)
{
	return path->annotated && (path->missing || path->without);
}

bool perfdata_path_is_done(const struct perfdata_path *path)
{
	return path->annotated && !path->missing && !path->without;
}
