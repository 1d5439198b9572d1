// SPDX-License-Identifier: GPL-2.0
/* The vdso: found in /proc/PID/maps, read from /proc/PID/mem. */

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/copy.h"
#include "elf_file.h"
#include "process_file.h"
#include "process_maps.h"
#include "vdso.h"

/* It has a page or two. */
#define VDSO_MAX PROCESS_FILE_PART

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
	struct process_file memory;
	char bytes[VDSO_MAX];
	int copy = -1;

	if (size > VDSO_MAX || !process_file_open(&memory, pid, "mem", O_RDONLY))
		return -1;
	if (process_file_read(&memory, bytes, size, (off_t)start) == (ssize_t)size)
		copy = to_memfd(bytes, size);
	process_file_close(&memory);
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
