/* SPDX-License-Identifier: GPL-2.0 */
/* Process maps: the lines of /proc/PID/maps, one after the other. */
#ifndef TOOL_PROCESS_MAPS_H
#define TOOL_PROCESS_MAPS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct process_maps {
	FILE *file;
	char *line;
	size_t room;
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
};

/* Of process @pid, 0 for this one. False when it has exited, or with EACCES. */
bool process_maps_open(struct process_maps *maps, uint32_t pid);
bool process_maps_next(struct process_maps *maps, struct process_mapping *mapping);
void process_maps_close(struct process_maps *maps);

#endif
