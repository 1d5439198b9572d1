/* SPDX-License-Identifier: GPL-2.0 */
/* /proc/PID/stat. */
#ifndef TOOL_PROCESS_STAT_H
#define TOOL_PROCESS_STAT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct process_stat {
	pid_t parent;
	/* CLOCK_BOOTTIME of the initial time namespace, nanoseconds, up to a tick too early. */
	uint64_t start;
};

/* False when there is no such process. */
bool process_stat_read(pid_t pid, struct process_stat *stat);
/* Whether the process @pid that began at @start_time still exists; false if its pid was reused. */
bool process_is_there(pid_t pid, uint64_t start_time);

#endif
