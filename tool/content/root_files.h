/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Root files: texts below an untrusted root directory, such as a container's. Links cannot lead
 * outside, only regular files are opened, and sizes are bounded.
 */
#ifndef TOOL_ROOT_FILES_H
#define TOOL_ROOT_FILES_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/*
 * The text of @path, which the caller frees; with its size unless @size is NULL. NULL if there is
 * none.
 */
char *root_text_read(int root, const char *path, size_t *size);
DIR *root_directory_open(int root, const char *path);
/* Stat without opening. */
bool root_stat(int root, const char *path, struct statx *stat_);

/* The next line, which gets a NUL, or NULL. */
char *next_line(char **at);

#endif
