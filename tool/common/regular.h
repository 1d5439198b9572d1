/* SPDX-License-Identifier: GPL-2.0 */
/* Regular: opening files that anybody may have put there. */
#ifndef TOOL_REGULAR_H
#define TOOL_REGULAR_H

/*
 * Open for reading what is a regular file; -1 and why not. Opening anything
 * else may wait, or make a device do something.
 */
int regular_open(const char *path, const char **reason);

#endif
