/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Pid map: matches processes of a perf.data to those of a log, if perf was in another pid namespace
 * than the log's recorder, by where and when they mapped their files.
 */
#ifndef TOOL_PID_MAP_H
#define TOOL_PID_MAP_H

#include "identities.h"

struct pid_map;

/*
 * For all processes of @data; *@count is the number found. NULL without memory, or if fewer than
 * two mappings match, which may be chance.
 */
struct pid_map *pid_map_new(struct perfdata *data, const struct identities *identities,
			    size_t *count);
/* The log's pid for @pid of the perf.data; 0 if it is unknown. */
uint32_t pid_map_get(const struct pid_map *map, uint32_t pid);
void pid_map_free(struct pid_map *map);

#endif
