// SPDX-License-Identifier: GPL-2.0
/* /proc/PID/stat: the name in it may have anything in it. */

#include <stdio.h>
#include <string.h>

#include "process_stat.h"

bool process_stat_read(pid_t pid, struct process_stat *stat)
{
	char path[64], text[1024];
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
	/* Behind the name, which may have anything in it. */
	rest = strrchr(text, ')');
	return rest && sscanf(rest + 1,
			      " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d "
			      "%*d %*d %llu",
			      &stat->parent, &stat->start) == 2;
}
