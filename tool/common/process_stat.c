// SPDX-License-Identifier: GPL-2.0
/* /proc/PID/stat. */

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "process_stat.h"

/* Nanoseconds. */
static uint64_t tick(void)
{
	return 1000000000 / (uint64_t)sysconf(_SC_CLK_TCK);
}

bool process_stat_read(pid_t pid, struct process_stat *stat)
{
	char path[64], text[1024];
	unsigned long long ticks;
	const char *rest;
	size_t size = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "re");
	if (file) {
		size = fread(text, 1, sizeof(text) - 1, file);
		fclose(file);
	}
	text[size] = '\0';
	/* After the name, which may contain anything. */
	rest = strrchr(text, ')');
	if (!rest || sscanf(rest + 1,
			    " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d "
			    "%*d %*d %llu",
			    &stat->parent, &ticks) != 2)
		return false;
	stat->start = ticks * tick() - (uint64_t)clock_shift(CLOCK_BOOTTIME);
	return true;
}

bool process_is_there(pid_t pid, uint64_t start_time)
{
	struct process_stat stat;

	return process_stat_read(pid, &stat) && start_time - stat.start < tick();
}
