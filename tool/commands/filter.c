// SPDX-License-Identifier: GPL-2.0
/*
 * Filter: by process, user, cgroup, thread name, path. The module filters by the first
 * three, where mappings are made; the tool filters by the last two.
 */

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <pwd.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "filter.h"

#define PID_LIMIT INT32_MAX /* of pid_t */

const char *filter_add_pids(void *to, const char *list)
{
	struct filter *filter = to;
	unsigned long pid;
	char *end;

	for (;;) {
		if (!isdigit((unsigned char)*list))
			return "not a process id";
		pid = strtoul(list, &end, 10);
		if (!pid || pid > PID_LIMIT || (*end && *end != ','))
			return "not a process id";
		if (filter->nr_pids == BUILDID_SUB_PIDS_MAX)
			return "more process ids than the module allows";
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

const char *filter_set_uid(void *to, const char *user)
{
	struct filter *filter = to;
	const struct passwd *entry;
	unsigned long uid;
	char *end;

	filter->by_uid = true;
	errno = 0;
	uid = strtoul(user, &end, 10);
	if (isdigit((unsigned char)*user) && !*end) {
		/* (uid_t)-1 is not a user. */
		if (errno || uid >= UINT32_MAX)
			return "not a user id";
		filter->uid = (uint32_t)uid;
		return NULL;
	}
	entry = getpwnam(user);
	if (!entry)
		return "no such user";
	filter->uid = entry->pw_uid;
	return NULL;
}

/* The kernel truncates names, so a longer one matches its beginning. */
static bool is_comm(const char *comm, const char *request)
{
	return !strncmp(comm, request, sizeof(((struct buildid_mmap *)NULL)->comm) - 1);
}

bool filter_matches(const struct filter *filter, uint32_t pid, const char *comm, const char *path)
{
	if (filter->nr_pids && !filter->children && !has_pid(filter, pid))
		return false;
	if (filter->comm && !is_comm(comm, filter->comm))
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

static int open_cgroup(const char *path, struct output *out)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0) {
		out_error(out, path, "%s", strerror(errno));
		return -1;
	}
	/* No other directory has it. */
	if (faccessat(fd, "cgroup.procs", F_OK, 0)) {
		out_error(out, path, "not a cgroup v2 directory");
		close(fd);
		return -1;
	}
	return fd;
}

bool filter_set_options(const struct filter *filter, struct output *out,
			struct buildid_options *options)
{
	if (!filter_pids_exist(filter, out))
		return false;
	options->nr_pids = filter->nr_pids;
	options->pids = filter->pids;
	if (filter->children)
		options->flags |= BUILDID_SUB_CHILDREN;
	if (filter->by_uid) {
		options->flags |= BUILDID_SUB_UID;
		options->uid = filter->uid;
	}
	if (!filter->cgroup)
		return true;
	options->flags |= BUILDID_SUB_CGROUP;
	options->cgroup_fd = open_cgroup(filter->cgroup, out);
	return options->cgroup_fd >= 0;
}

void filter_close_options(const struct buildid_options *options)
{
	if (options->flags & BUILDID_SUB_CGROUP)
		close(options->cgroup_fd);
}
