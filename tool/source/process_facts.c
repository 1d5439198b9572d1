// SPDX-License-Identifier: GPL-2.0
/* Process facts: in the units of the module's records. */

#include <fcntl.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "common/process_stat.h"
#include "content/process_user.h"
#include "process_facts.h"

void process_comm(uint32_t pid, uint32_t tid, uint8_t comm[16])
{
	char path[64];
	ssize_t size = -1;
	int fd;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task/%" PRIu32 "/comm", pid, tid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		size = read(fd, comm, 16);
		close(fd);
	}
	/* A newline is at the end, where the NUL is to be. */
	comm[size > 0 ? size - 1 : 0] = '\0';
}

/* 0 where @path, below the root of cgroup v2, is not to be seen here. */
static uint64_t cgroup_id(const char *path)
{
	struct statfs filesystem;
	struct stat stat_;
	uint64_t id = 0;
	char *directory;

	if (asprintf(&directory, "/sys/fs/cgroup%s", path) < 0)
		return 0;
	if (!statfs(directory, &filesystem) && filesystem.f_type == CGROUP2_SUPER_MAGIC &&
	    !stat(directory, &stat_))
		id = stat_.st_ino;
	free(directory);
	return id;
}

/* As the module has it, the inode number of the directory. */
static uint64_t read_cgroup(uint32_t pid)
{
	char path[64], *line = NULL;
	uint64_t id = 0;
	size_t room = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/cgroup", pid);
	file = fopen(path, "re");
	while (file && getline(&line, &room, file) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (!strncmp(line, "0::/", 4))
			id = cgroup_id(line + 3);
	}
	if (file)
		fclose(file);
	free(line);
	return id;
}

bool process_facts_read(struct buildid_mmap *mmap)
{
	struct process_stat stat_;
	uid_t uid;

	mmap->start_time = 0;
	mmap->uid = ~0U;
	mmap->cgroup_id = 0;
	if (!process_stat_read((pid_t)mmap->pid, &stat_) || !process_user(mmap->pid, &uid))
		return false;
	mmap->start_time = stat_.start;
	mmap->uid = uid;
	mmap->cgroup_id = read_cgroup(mmap->pid);
	return true;
}
