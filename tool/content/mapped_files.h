/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Mapped files: the executable file mappings of all processes now, found by file
 * name. A file that was deleted, or is in a container, can be opened through a
 * process that has it mapped.
 */
#ifndef TOOL_MAPPED_FILES_H
#define TOOL_MAPPED_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/reason.h"

struct mapped_files;

struct mapped_file {
	uint32_t next; /* for mapped_files_next() */
	uint32_t pid;
	const char *path;	   /* without " (deleted)" */
	unsigned int major, minor; /* as in /proc/PID/maps */
	uint64_t ino;
	uint64_t start, end;
};

/* Reads what it can of /proc, once; NULL only without memory. */
struct mapped_files *mapped_files_new(void);
void mapped_files_free(struct mapped_files *files);

/*
 * The files with the last component of @path, in no particular order: the first, or the one after
 * @file unless that is NULL. NULL if there are no more.
 */
const struct mapped_file *mapped_files_next(const struct mapped_files *files, const char *path,
					    const struct mapped_file *file);

/* All @count of them, in no particular order; a file has one element per mapping. */
const struct mapped_file *mapped_files_all(const struct mapped_files *files, size_t *count);

/*
 * Open the file: by /proc/PID/map_files, which leads to the very inode but needs
 * CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE, else by its path below /proc/PID/root.
 * -1 with @reason. @from, unless NULL, is set to the path used.
 */
int mapped_file_open(const struct mapped_file *file, char **from, struct reason *reason);

/*
 * The same for what @pid has mapped at @addr, where an earlier mapping may have been
 * split since. @path is the file's, as the process sees it.
 */
int mapped_file_open_at(uint32_t pid, uint64_t addr, const char *path, struct reason *reason);

/* An O_PATH descriptor of that, by /proc/PID/map_files alone, or -1. */
int mapped_handle_at(uint32_t pid, uint64_t addr);

/*
 * The path by which this process finds the file open at @fd, without " (deleted)", which the caller
 * frees; NULL if there is none.
 */
char *opened_path(int fd);

/* An O_PATH descriptor of the process's root directory, or -1 with errno. */
int process_root(uint32_t pid);

/* Whether @path, as /proc shows it, ends with " (deleted)". */
bool is_marked_deleted(const char *path);
/* @path without that, which the caller frees; NULL only without memory. */
char *strip_deleted(const char *path);

#endif
