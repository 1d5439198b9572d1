/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Root files: texts below a root directory that is anybody's, as a container's. No link leads out
 * of it, only regular files are opened, and nothing is longer than anybody needs.
 */
#ifndef TOOL_ROOT_FILES_H
#define TOOL_ROOT_FILES_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

/* The text of @path, to be freed; its size unless @size is NULL. NULL when there is none. */
char *root_text_read(int root, const char *path, size_t *size);
DIR *root_directory_open(int root, const char *path);
/* What has this name, which is not opened. */
bool root_stat(int root, const char *path, struct statx *stat_);

/* The next line, which gets a NUL, or NULL. */
char *next_line(char **at);

#endif
