// SPDX-License-Identifier: GPL-2.0
/* Filter: by process, by thread name, by path. */

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "filter.h"

#define PID_LIMIT INT32_MAX	/* of pid_t; less than that may still be none */

const char *filter_add_pids(struct filter *filter, const char *list)
{
	unsigned long pid;
	char *end;

	for (;;) {
		if (!isdigit((unsigned char)*list))
			return "not a process id";
		pid = strtoul(list, &end, 10);
		if (!pid || pid > PID_LIMIT || (*end && *end != ','))
			return "not a process id";
		if (filter->nr_pids == BUILDID_SUB_PIDS_MAX)
			return "more process ids than the module takes";
		filter->pids[filter->nr_pids++] = (uint32_t)pid;
		if (!*end)
			return NULL;
		list = end + 1;
	}
}

static bool has_pid(const struct filter *filter, uint32_t pid)
{
	uint32_t i;

	for (i = 0; i < filter->nr_pids; i++)
		if (filter->pids[i] == pid)
			return true;
	return false;
}

/* The kernel cuts names off, so a longer one matches what is left of it. */
static bool has_comm(const struct buildid_mmap *mmap, const char *comm)
{
	return !strncmp((const char *)mmap->comm, comm, sizeof(mmap->comm) - 1);
}

bool filter_wants(const struct filter *filter, const struct buildid_mmap *mmap,
		  const char *path)
{
	if (filter->nr_pids && !has_pid(filter, mmap->pid))
		return false;
	if (filter->comm && !has_comm(mmap, filter->comm))
		return false;
	return !filter->path || !fnmatch(filter->path, path, 0);
}

bool filter_pids_exist(const struct filter *filter, struct output *out)
{
	char name[32];
	uint32_t i;

	for (i = 0; i < filter->nr_pids; i++) {
		if (!kill((pid_t)filter->pids[i], 0) || errno != ESRCH)
			continue;
		snprintf(name, sizeof(name), "pid %" PRIu32, filter->pids[i]);
		out_error(out, name, "%s", strerror(ESRCH));
		return false;
	}
	return true;
}
