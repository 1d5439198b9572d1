// SPDX-License-Identifier: GPL-2.0
/* Memory limit: by RLIMIT_AS, relative to what is already mapped. */

#include <stdio.h>
#include <unistd.h>

#include "memory_limit.h"

void memory_limit_begin(struct memory_limit *limit, rlim_t bytes)
{
	FILE *statm = fopen("/proc/self/statm", "re");
	struct rlimit now;
	unsigned long pages;
	int read;

	limit->set = false;
	if (!statm)
		return;
	read = fscanf(statm, "%lu", &pages);
	fclose(statm);
	if (read != 1 || getrlimit(RLIMIT_AS, &limit->before))
		return;
	now = limit->before;
	bytes += pages * (rlim_t)sysconf(_SC_PAGESIZE);
	if (now.rlim_cur > bytes)
		now.rlim_cur = bytes;
	limit->set = !setrlimit(RLIMIT_AS, &now);
}

void memory_limit_end(const struct memory_limit *limit)
{
	if (limit->set)
		setrlimit(RLIMIT_AS, &limit->before);
}
