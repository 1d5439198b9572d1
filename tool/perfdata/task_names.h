/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Task names of a perf.data: what each process was called when, and when it ended. One that
 * forked has its parent's name until it gets another.
 */
#ifndef TOOL_PERFDATA_TASK_NAMES_H
#define TOOL_PERFDATA_TASK_NAMES_H

#include "common/hash_map.h"

struct task_event;

/* Initialized to all zeros. */
struct task_names {
	struct task_event *events; /* by pid and time, when ready */
	size_t nr_events;
	char **names; /* each once */
	size_t nr_names;
	struct hash_map map;
};

void task_names_free(struct task_names *names);
/* Each false without memory. @size: of @name, which may lack a NUL. */
bool task_names_comm(struct task_names *names, uint32_t pid, uint64_t time, const char *name,
		     size_t size, bool exec);
bool task_names_fork(struct task_names *names, uint32_t pid, uint64_t time, uint32_t parent);
bool task_names_exit(struct task_names *names, uint32_t pid, uint64_t time);
/* When all were added. */
void task_names_ready(struct task_names *names);
/* "" where that is not known. */
const char *task_names_find(const struct task_names *names, uint32_t pid, uint64_t time);
/* When what @pid had mapped at @time is gone, as far as its exec or exit tell; else UINT64_MAX. */
uint64_t task_names_until(const struct task_names *names, uint32_t pid, uint64_t time);

#endif
