/* SPDX-License-Identifier: GPL-2.0 */
/* /proc/PID/stat. */
#ifndef TOOL_PROCESS_STAT_H
#define TOOL_PROCESS_STAT_H

#include <stdbool.h>
#include <sys/types.h>

struct process_stat {
	pid_t parent;
	unsigned long long start; /* since boot, in clock ticks */
};

/* False when there is no such process. */
bool process_stat_read(pid_t pid, struct process_stat *stat);

#endif
