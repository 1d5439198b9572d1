/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Open for reading, but only a regular file. Opening anything else may block, as a
 * FIFO does, or make a driver act, so the type is checked on an O_PATH descriptor,
 * before the file is opened.
 *
 * Each returns a descriptor, or -1 with @reason.
 */
#ifndef TOOL_OPEN_REGULAR_H
#define TOOL_OPEN_REGULAR_H

#include "reason.h"

/* @path is the user's own, and may be in /proc or /sys. */
int open_regular(const char *path, struct reason *reason);

/*
 * @path was written by others, as in a perf.data: nothing on procfs, sysfs, debugfs or
 * tracefs, where reading may act, too. Relative to @directory as for openat(2).
 */
int open_untrusted(int directory, const char *path, struct reason *reason);

/* Opens what the O_PATH descriptor @handle refers to, and closes that. */
int open_untrusted_handle(int handle, struct reason *reason);

/* The same with @root as the root directory: symbolic links cannot lead outside. */
int open_untrusted_in(int root, const char *path, struct reason *reason);

#endif
