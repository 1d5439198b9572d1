// SPDX-License-Identifier: GPL-2.0
/* Paths: counted while events are copied, judged at the end. */

#include <string.h>

#include "common/array.h"
#include "paths.h"

void perfdata_paths_free(struct perfdata_paths *paths)
{
	size_t i;

	for (i = 0; i < paths->count; i++)
		free(paths->all[i].path);
	free(paths->all);
	hash_map_free(&paths->map);
}

const struct perfdata_path *perfdata_paths_find(const struct perfdata_paths *paths,
						const char *path, enum perfdata_kind kind)
{
	const uint64_t hash = hash_text(path);
	const struct hash_slot *slot = NULL;

	while ((slot = hash_map_next(&paths->map, hash, slot))) {
		const struct perfdata_path *found = &paths->all[slot->value];

		if (found->kind == kind && !strcmp(found->path, path))
			return found;
	}
	return NULL;
}

size_t perfdata_paths_add(struct perfdata_paths *paths, const char *path, enum perfdata_kind kind)
{
	const struct perfdata_path *found = perfdata_paths_find(paths, path, kind);
	struct perfdata_path new = { .kind = kind };

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

bool perfdata_path_is_mixed(const struct perfdata_path *path)
{
	return path->annotated && (path->missing || path->without);
}

bool perfdata_path_is_done(const struct perfdata_path *path)
{
	return path->annotated && !path->missing && !path->without;
}
