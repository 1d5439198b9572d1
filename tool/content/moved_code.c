// SPDX-License-Identifier: GPL-2.0
/* Moved code: the files mapped next below and above, and whether one has the bytes. */

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf_file.h"
#include "mapped_files.h"
#include "moved_code.h"
#include "process_file.h"
#include "process_maps.h"

/* Bytes to compare around the address: more than two functions are likely to share. */
#define WINDOW 256

/* A file mapped beside the address. */
struct beside {
	struct mapped_file file; /* owns its path */
	uint64_t offset;	 /* of its start in the file */
};

static void moved_code_set(struct beside *beside, uint32_t pid,
			   const struct process_mapping *mapping)
{
	free((char *)(uintptr_t)beside->file.path);
	*beside = (struct beside){
		.file = {
			.path = strip_deleted(mapping->path),
			.pid = pid,
			.start = mapping->start,
			.end = mapping->end,
		},
		.offset = mapping->offset,
	};
}

/* The huge page may itself be in a file created for it by the kernel or the program. */
static bool is_program(const struct process_mapping *mapping)
{
	return *mapping->path == '/' && strncmp(mapping->path, "/memfd:", 7) != 0 &&
	       strncmp(mapping->path, "/anon_hugepage", 14) != 0 &&
	       strncmp(mapping->path, "/dev/", 5) != 0;
}

/*
 * [0] below, [1] above; false if @addr is not executable, or in a file: a FUSE server might keep us
 * waiting for the page.
 */
static bool find_beside(uint32_t pid, uint64_t addr, struct beside beside[2])
{
	struct process_mapping mapping;
	struct process_maps maps;
	bool code = false;

	if (!process_maps_open(&maps, pid))
		return false;
	while (!beside[1].file.path && process_maps_next(&maps, &mapping)) {
		if (addr >= mapping.start && addr < mapping.end)
			code = mapping.executable && !mapping.ino && !mapping.major &&
			       !mapping.minor;
		else if (is_program(&mapping))
			moved_code_set(&beside[mapping.start > addr], pid, &mapping);
	}
	process_maps_close(&maps);
	return code;
}

static bool read_memory(uint32_t pid, uint64_t addr, void *bytes, size_t size)
{
	struct process_file memory;
	ssize_t got;

	if (!process_file_open(&memory, pid, "mem", O_RDONLY))
		return false;
	got = process_file_read(&memory, bytes, size, (off_t)addr);
	process_file_close(&memory);
	return got == (ssize_t)size;
}

/* Equal, except for a tracer's breakpoint. */
static bool is_copy(const unsigned char *one, const unsigned char *other)
{
	size_t differences = 0, i;
	bool constant = true;

	for (i = 0; i < WINDOW; i++) {
		differences += one[i] != other[i];
		constant = constant && one[i] == *one;
	}
	return differences <= 1 && !constant;
}

static bool is_at(int fd, uint64_t offset, const unsigned char *window, uint64_t into)
{
	unsigned char in_file[WINDOW];

	return offset >= into && pread(fd, in_file, WINDOW, (off_t)(offset - into)) == WINDOW &&
	       is_copy(window, in_file);
}

/* The window is in one page, so that it is in one mapping. */
static bool has_code(const struct beside *beside, uint64_t addr, struct moved_code *moved)
{
	const struct mapped_file *file = &beside->file;
	uint64_t offsets[ELF_OFFSETS_MAX], into = addr % WINDOW;
	unsigned char window[WINDOW];
	struct reason unused;
	bool found = false;
	size_t count;
	int fd;

	if (!file->path || !read_memory(file->pid, addr - into, window, WINDOW))
		return false;
	fd = mapped_file_open(file, NULL, &unused);
	if (fd < 0)
		return false;
	count = elf_file_offsets(fd, beside->offset, addr - file->start, offsets);
	while (!found && count--)
		found = is_at(fd, offsets[count], window, into);
	close(fd);
	if (found)
		*moved = (struct moved_code){ file->start, offsets[count] };
	return found;
}

bool moved_code_find(uint32_t pid, uint64_t addr, struct moved_code *moved)
{
	struct beside beside[2] = {};
	bool found;

	found = find_beside(pid, addr, beside) &&
		(has_code(&beside[0], addr, moved) || has_code(&beside[1], addr, moved));
	free((char *)(uintptr_t)beside[0].file.path);
	free((char *)(uintptr_t)beside[1].file.path);
	return found;
}
