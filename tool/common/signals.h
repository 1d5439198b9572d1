/* SPDX-License-Identifier: GPL-2.0 */
/* Signals: as something to poll for, so that none comes between two calls. */
#ifndef TOOL_SIGNALS_H
#define TOOL_SIGNALS_H

#include <stddef.h>
#include <sys/types.h>

/*
 * Block SIGINT, SIGTERM and SIGCHLD, ignore SIGPIPE, and return a descriptor that is
 * readable when one of the three came; -errno.
 */
int signals_open(void);
/* The same with @count others, but for those that are ignored. */
int signals_open_with(const int *numbers, size_t count);
/* The number of the next one that came, 0 when there is none. */
int signals_read(int fd);
/*
 * The same with who sent it: 0 for the kernel, as from a terminal to all in front,
 * and -1 for a process of no pid here.
 */
int signals_read_from(int fd, pid_t *sender);
/* All as it was before signals_open(); by itself for a child, before its exec. */
void signals_restore(void);
void signals_close(int fd);

#endif
