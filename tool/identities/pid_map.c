// SPDX-License-Identifier: GPL-2.0
/* Pid map: a process that matches several is dropped, as its pid was reused. */

#include <stdlib.h>

#include "common/hash_map.h"
#include "pid_map.h"

#define SEVERAL 0

struct pid_map {
	struct hash_map map;
};

static bool pid_map_add(struct pid_map *map, uint32_t pid, uint32_t logged)
{
	uint32_t before = hash_map_get(&map->map, pid, logged);

	return hash_map_set(&map->map, pid, before == logged ? logged : SEVERAL);
}

struct pid_map *pid_map_new(struct perfdata *data, const struct identities *identities,
			    size_t *count)
{
	struct pid_map *map = calloc(1, sizeof(*map));
	struct perfdata_mapping mapping;
	size_t found = 0;
	uint32_t logged;
	bool good = map;

	perfdata_rewind(data);
	while (good && perfdata_next_mapping(data, &mapping) > 0) {
		if (!identities_pid_at(identities, &mapping, &logged))
			continue;
		good = pid_map_add(map, mapping.pid, logged);
		found++;
	}
	if (good && found > 1) {
		*count = map->map.count;
		return map;
	}
	pid_map_free(map);
	return NULL;
}

uint32_t pid_map_get(const struct pid_map *map, uint32_t pid)
{
	return hash_map_get(&map->map, pid, SEVERAL);
}

void pid_map_free(struct pid_map *map)
{
	if (!map)
		return;
	hash_map_free(&map->map);
	free(map);
}
