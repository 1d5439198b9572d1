/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Directory entries: the only file that creates, names or renames anything on disk; scripts/lint
 * refuses the system calls elsewhere. A directory is a descriptor and a name is one component, so
 * that no link is followed; open_own.h finds both for a path.
 *
 * Functions return a descriptor or -1, or false, with errno: EINVAL for an invalid name.
 */
#ifndef TOOL_ENTRY_H
#define TOOL_ENTRY_H

#include <stdbool.h>
#include <sys/types.h>

/* A file without a name, which may be named later. */
int entry_unnamed(int directory, mode_t mode);
/* A new file, for reading and writing. */
int entry_create(int directory, const char *name, mode_t mode);
/* A new directory. */
int entry_make_directory(int directory, const char *name, mode_t mode);
/* A directory that may already exist. */
int entry_need_directory(int directory, const char *name, mode_t mode);
int entry_open_directory(int directory, const char *name);
/* A file that may already exist, if it is ours and has no other link; for reading and writing. */
int entry_need_file(int directory, const char *name, mode_t mode);

bool entry_link_fd(int fd, int directory, const char *name);
bool entry_link(int from, const char *name, int to, const char *new_name);
bool entry_symlink(const char *target, int directory, const char *name);
/* @flags: as of renameat2(2) */
bool entry_rename(int from, const char *name, int to, const char *new_name, unsigned int flags);

/* Removes everything below it, too. */
void entry_remove_tree(int directory, const char *name);

#endif
