/* SPDX-License-Identifier: GPL-2.0 */
/* Process place: where the paths of a process's mappings begin. */
#ifndef TOOL_PROCESS_PLACE_H
#define TOOL_PROCESS_PLACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* One root directory in one mount namespace, by what distinguishes it from others. */
struct process_root {
	char namespace[64]; /* "" if it may not be seen */
	dev_t dev;
	ino_t ino;
};

/* Does not ask a server that it may be on. False, with errno, if it may not be seen. */
bool process_root_read(uint32_t pid, struct process_root *root);
bool process_root_same(const struct process_root *one, const struct process_root *other);

/*
 * An O_PATH descriptor of the directory in which to look up *@path, the path of a mapping of @pid
 * as reported by the module; *@path is made relative to it. -1 if it may not be seen.
 */
int process_place(uint32_t pid, const char **path);

#endif
