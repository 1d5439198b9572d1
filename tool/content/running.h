/* SPDX-License-Identifier: GPL-2.0 */
/* Running: what the running kernel is, and where its parts are to be had. */
#ifndef TOOL_RUNNING_H
#define TOOL_RUNNING_H

#include "content.h"

/* The running kernel's own, from its notes. False when it has none. */
bool running_id(struct build_id *id);
/* The name of the loaded module with that build-id, to be freed, or NULL. */
char *running_module_of(const struct build_id *id);
/*
 * The file below /lib/modules, as depmod knows it, of the running kernel's module
 * with the name that module_name() finds in @what; to be freed, or NULL.
 */
char *running_module_path(const char *what);
/*
 * Calls @look with each file of a module called like that in @what, until one returns
 * true, and returns that. With @all below all of /lib/modules, which may take seconds,
 * else only where the running kernel's are that did not come with it.
 */
typedef bool running_look(const char *path, void *context);
bool running_module_files(const char *what, bool all, running_look *look, void *context);
/* A path where distributions have the kernel's ELF file, or NULL behind the last. */
char *running_image_path(size_t index);
/* Likewise what is booted, in which the kernel is packed. */
char *running_boot_path(size_t index);

/*
 * The vdso of a process, 0 for this one, as a file in memory. -1 when it cannot be
 * read, or there is none.
 */
int running_vdso(uint32_t pid);
/* That of this process, as all of 64 bits have it. False when it has none. */
bool running_vdso_id(struct build_id *id);

#endif
