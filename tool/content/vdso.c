// SPDX-License-Identifier: GPL-2.0
/* The vdso: found in /proc/PID/maps, read from /proc/PID/mem. */

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/copy.h"
#include "elf_file.h"
#include "process_maps.h"
#include "vdso.h"

/* It has a page or two. */
#define VDSO_MAX (1U << 20)

bool vdso_find(uint32_t pid, uint64_t *start, uint64_t *end)
{
	struct process_mapping mapping;
	struct process_maps maps;
	bool found = false;

	if (!process_maps_open(&maps, pid))
		return false;
	while (!found && process_maps_next(&maps, &mapping))
		found = !strcmp(mapping.path, "[vdso]");
	process_maps_close(&maps);
	if (found) {
		*start = mapping.start;
		*end = mapping.end;
	}
	return found;
}

static int to_memfd(const void *bytes, size_t size)
{
	int fd = memfd_create("vdso", MFD_CLOEXEC);

	if (fd < 0 || write_all(fd, bytes, size))
		return fd;
	close(fd);
	return -1;
}

int vdso_copy(uint32_t pid, uint64_t start, uint64_t end)
{
	size_t size = end - start;
	char path[64] = "/proc/self/mem";
	int memory, copy = -1;
	void *bytes;

	if (size > VDSO_MAX)
		return -1;
	if (pid)
		snprintf(path, sizeof(path), "/proc/%" PRIu32 "/mem", pid);
	memory = open(path, O_RDONLY | O_CLOEXEC);
	if (memory < 0)
		return -1;
	bytes = malloc(size);
	if (bytes && pread(memory, bytes, size, (off_t)start) == (ssize_t)size)
		copy = to_memfd(bytes, size);
	free(bytes);
	close(memory);
	return copy;
}

int vdso_open(uint32_t pid)
{
	uint64_t start, end;

	return vdso_find(pid, &start, &end) ? vdso_copy(pid, start, end) : -1;
}

bool vdso_build_id(struct build_id *id)
{
	int fd = vdso_open(0);
	bool known;

	if (fd < 0)
		return false;
	known = elf_file_build_id(fd, id);
	close(fd);
	return known;
}
