/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Address spaces of a perf.data: what lay where, when, for whom.
 *
 * Events are not in the order of their times, so all of them are put in first.
 * A process has what its parent had when it was forked, and nothing of what it
 * had before once it execs.
 */
#ifndef TOOL_PERFDATA_SPACES_H
#define TOOL_PERFDATA_SPACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The process that has the kernel's mappings. */
#define SPACES_KERNEL 0xffffffffU

#define SPACES_NOTHING SIZE_MAX

struct spaces;

struct spaces *spaces_new(void);
void spaces_free(struct spaces *spaces);

/* At @time @pid mapped @what at @len bytes from @start on. False: no memory. */
bool spaces_map(struct spaces *spaces, uint32_t pid, uint64_t time, uint64_t start, uint64_t len,
		size_t what);
bool spaces_fork(struct spaces *spaces, uint32_t pid, uint64_t time, uint32_t parent);
bool spaces_exec(struct spaces *spaces, uint32_t pid, uint64_t time);

/* What @pid had at @address at @time, else SPACES_NOTHING. */
size_t spaces_find(struct spaces *spaces, uint32_t pid, uint64_t time, uint64_t address);

#endif
