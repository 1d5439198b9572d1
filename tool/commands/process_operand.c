// SPDX-License-Identifier: GPL-2.0
/* Process operand: what maps and stale take. */

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/arguments.h"
#include "common/array.h"
#include "process_operand.h"

#define COMM_MAX 16 /* with its newline */

static bool is_pid(const char *text, uint32_t *pid)
{
	uint64_t number;

	if (!args_number(text, &number) || !number || number > INT32_MAX)
		return false;
	*pid = (uint32_t)number;
	return true;
}

/* Once, however often it is named; one that was given by number has to be there. */
static void process_list_add(struct process_list *list, struct output *out, uint32_t pid,
			     bool called)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if (list->all[i].pid == pid) {
			list->all[i].called &= called;
			return;
		}
	if (array_reserve(list->all, list->count)) {
		list->all[list->count++] = (struct listed_process){ pid, called };
		return;
	}
	out_error(out, "processes", "%s", strerror(ENOMEM));
	list->failed = true;
}

static bool is_called(int proc, const char *pid, const char *name)
{
	char path[32], comm[COMM_MAX + 1];
	ssize_t size = -1;
	int fd;

	snprintf(path, sizeof(path), "%.20s/comm", pid);
	fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		size = read(fd, comm, COMM_MAX);
		close(fd);
	}
	if (size <= 0)
		return false;
	comm[size - 1] = '\0';
	/* The kernel cuts it. */
	return !strncmp(comm, name, COMM_MAX - 1);
}

static void add_called(struct process_list *list, struct output *out, const char *name)
{
	DIR *proc = opendir("/proc");
	bool found = false;
	struct dirent *entry;
	uint32_t pid;

	while (proc && (entry = readdir(proc)))
		if (is_pid(entry->d_name, &pid) && is_called(dirfd(proc), entry->d_name, name)) {
			process_list_add(list, out, pid, true);
			found = true;
		}
	if (proc)
		closedir(proc);
	if (found || list->failed)
		return;
	out_error(out, name, "no process has this name");
	list->failed = true;
}

void process_operands(struct process_list *list, struct output *out, const struct filter *filter,
		      char *const *operands)
{
	char *const *operand;
	uint32_t pid;
	size_t i;

	/* Before anything is looked for. */
	for (operand = operands; *operand; operand++)
		if (!is_pid(*operand, &pid) && !(*operand)[strspn(*operand, "-0123456789")])
			args_error(*operand, "not a process id");
	*list = (struct process_list){};
	for (i = 0; i < filter->nr_pids; i++)
		process_list_add(list, out, filter->pids[i], false);
	for (operand = operands; *operand; operand++)
		if (is_pid(*operand, &pid))
			process_list_add(list, out, pid, false);
		else
			add_called(list, out, *operand);
}

void process_list_free(struct process_list *list)
{
	free(list->all);
}

const char *process_operand_missing(uint32_t pid)
{
	if (!kill((pid_t)pid, 0) || errno != ESRCH)
		return "has no memory of its own: a kernel thread, or exiting";
	return strerror(ESRCH);
}
