/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pid map: which process of a log each process of a perf.data is, where perf was in another pid
 * namespace than the recorder of the log, by where and when each has mapped its files.
 */
#ifndef TOOL_PID_MAP_H
#define TOOL_PID_MAP_H

#include "identities.h"

struct pid_map;

/*
 * Of all processes of @data; *@count is how many were found. NULL without memory, or where less
 * than two mappings were found, which may be chance.
 */
struct pid_map *pid_map_new(struct perfdata *data, const struct identities *identities,
			    size_t *count);
/* The pid in the log of @pid in the perf.data; 0 when it is not known. */
uint32_t pid_map_get(const struct pid_map *map, uint32_t pid);
void pid_map_free(struct pid_map *map);

#endif
