/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Mapped: the files that processes have mapped now, found by name. A file that
 * was deleted, or is in a container, can be opened through the mapping of it.
 */
#ifndef TOOL_MAPPED_H
#define TOOL_MAPPED_H

#include "content.h"

struct mapped;

struct mapped_file {
	struct mapped_file *next; /* of the same last component */
	const char *path;	  /* without " (deleted)" */
	uint32_t pid;
	unsigned int major, minor; /* as in /proc/PID/maps */
	uint64_t ino;
	uint64_t start, end;
};

/* Looks through /proc once, at what it may; NULL only without memory. */
struct mapped *mapped_new(void);
void mapped_free(struct mapped *mapped);

/* Those whose last component is that of @path, in no order; NULL for none. */
const struct mapped_file *mapped_find(const struct mapped *mapped, const char *path);

/*
 * Open what is mapped: by /proc/PID/map_files, which leads to the very file but
 * needs CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE, else by the path below
 * /proc/PID/root. -1 with @reason. @from, unless NULL, is set to the path used.
 */
int mapped_open(const struct mapped_file *file, char **from, struct reason *reason);

/*
 * The same for what @pid has mapped at @addr, whose mapping may have been divided
 * since. @path is the file's as the process sees it.
 */
int mapped_open_address(uint32_t pid, uint64_t addr, const char *path, struct reason *reason);

/* @path without " (deleted)", to be freed; NULL only without memory. */
char *mapped_strip(const char *path);

#endif
