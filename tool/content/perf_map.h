/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Perf map: /tmp/perf-PID.map, in which a program with a JIT compiler describes its generated code
 * for perf. The path and the pid are those of the process's own namespaces.
 */
#ifndef TOOL_PERF_MAP_H
#define TOOL_PERF_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct perf_map;

/* A function that was compiled. */
struct perf_map_entry {
	uint64_t start, size;
	const char *name;
};

/*
 * For a living process. NULL if it has none that its own user has written since it began, or one
 * that is too large.
 */
struct perf_map *perf_map_read(uint32_t pid);
/* The memory used, approximately. */
size_t perf_map_bytes(const struct perf_map *map);
/* Its path, as the process sees it. */
const char *perf_map_path(const struct perf_map *map);
/* Whether the file of process @pid is as it was when it was read. */
bool perf_map_is_current(const struct perf_map *map, uint32_t pid);
/* What was compiled to @addr last, valid until perf_map_free(); NULL for nothing. */
const struct perf_map_entry *perf_map_find(const struct perf_map *map, uint64_t addr);
void perf_map_free(struct perf_map *map);

#endif
