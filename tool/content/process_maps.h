/* SPDX-License-Identifier: GPL-2.0 */
/* Process maps: the lines of /proc/PID/maps, one after the other. */
#ifndef TOOL_PROCESS_MAPS_H
#define TOOL_PROCESS_MAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "process_file.h"

/**
 * struct process_maps - the lines that were not returned yet
 * @error: an errno: why process_maps_next() returned no more; 0 at the end
 */
struct process_maps {
	int error;
	struct process_file file;
	char *text;
	size_t begin, end, room; /* of @text */
};

struct process_mapping {
	uint64_t start, end;
	uint64_t offset; /* in the file */
	uint32_t prot;	 /* PROT_READ | PROT_WRITE | PROT_EXEC */
	bool executable; /* of @prot */
	bool shared;
	unsigned int major, minor;
	uint64_t ino;
	const char *path; /* until the next line: a file, "[vdso]" and the like, or "" */
	bool ambiguous;	  /* a newline in @path may be "\012" in fact */
};

/*
 * Of process @pid, 0 for this one. False with errno when it has exited, may not be looked at, or
 * keeps its address space locked: then ETIMEDOUT.
 */
bool process_maps_open(struct process_maps *maps, uint32_t pid);
bool process_maps_next(struct process_maps *maps, struct process_mapping *mapping);
/* Whether there is something to be read from the beginning: not when the process has called exec. */
bool process_maps_is_there(const struct process_maps *maps);
void process_maps_close(struct process_maps *maps);

/* Whether /proc/PID/maps shows both paths as the same. */
bool process_maps_show_same(const char *one, const char *other);

#endif
