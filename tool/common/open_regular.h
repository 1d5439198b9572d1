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

#include <stdint.h>

#include "reason.h"

/* As stat(2) and /proc/PID/maps show it. */
struct inode_number {
	unsigned int major, minor;
	uint64_t ino;
};

/* @path is the user's own, and may be in /proc or /sys. */
int open_regular(const char *path, struct reason *reason);

/*
 * @path was written by others, as in a perf.data: nothing on procfs, sysfs, debugfs or
 * tracefs, where reading may act, too. Relative to @directory as for openat(2).
 */
int open_untrusted(int directory, const char *path, struct reason *reason);

/* The same with @root as the root directory: no symbolic link leads out of it. */
int open_untrusted_in(int root, const char *path, struct reason *reason);

/*
 * Look @path up as open_untrusted_in() does, but only by the names that are in memory, which
 * asks no server: it may be any user's, and never answer. An O_PATH descriptor with @found;
 * -1 with errno, -EAGAIN when a name is not in memory.
 */
int look_up_in_memory(int root, const char *path, struct inode_number *found);

/*
 * As open_untrusted() and open_untrusted_in(), but only if the file has one of two inode
 * numbers, as an overlay may show either; no server is asked before that is known.
 */
int open_inode(int directory, const char *path, const struct inode_number inodes[2],
	       struct reason *reason);
int open_inode_in(int root, const char *path, const struct inode_number inodes[2],
		  struct reason *reason);

#endif
