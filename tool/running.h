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
 * The file of the running kernel's module @name, below /lib/modules as depmod
 * knows it; to be freed, or NULL.
 */
char *running_module_path(const char *name);
/*
 * Calls @look with each file that is called as the module @name is, until one returns
 * true, and returns that. With @all below all of /lib/modules, which may take seconds,
 * else only where the running kernel's are that did not come with it.
 */
typedef bool running_look(const char *path, void *context);
bool running_module_files(const char *name, bool all, running_look *look, void *context);
/* The name of the module in the file @path: "snd_hda_intel"; to be freed. */
char *running_module_name(const char *path);
/* A path where distributions have the kernel's ELF file, or NULL behind the last. */
char *running_image_path(size_t index);

/*
 * The vdso of a process, 0 for this one, as a file in memory. -1 when it cannot be
 * read, or there is none.
 */
int running_vdso(uint32_t pid);

#endif
