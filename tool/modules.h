/* SPDX-License-Identifier: GPL-2.0 */
/* Modules: the files that the running kernel's modules come from. */
#ifndef TOOL_MODULES_H
#define TOOL_MODULES_H

struct modules;

struct modules *modules_new(void);
void modules_free(struct modules *modules);
/*
 * The path below /lib/modules of "name", as in /proc/modules, or ".../name.ko"; NULL
 * when it has none there. It is @modules' own.
 */
const char *modules_path(struct modules *modules, const char *name);

#endif
