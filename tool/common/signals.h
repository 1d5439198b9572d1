/* SPDX-License-Identifier: GPL-2.0 */
/* Signals: as a descriptor to poll, so that none is missed between two calls. */
#ifndef TOOL_SIGNALS_H
#define TOOL_SIGNALS_H

#include <stddef.h>
#include <sys/types.h>

/*
 * Block SIGINT, SIGTERM and SIGCHLD, ignore SIGPIPE, and return a descriptor that is
 * readable when one of the three came; -errno.
 */
int signals_open(void);
/* The same with @count further signals, except ignored ones. */
int signals_open_with(const int *numbers, size_t count);
/* The number of the next pending signal, 0 if there is none. */
int signals_read(int fd);
/*
 * The same with its sender: 0 for the kernel, as for a terminal's foreground group, and -1 for a
 * process without a pid here.
 */
int signals_read_from(int fd, pid_t *sender);
/* Undo signals_open(). A child calls this by itself before its exec. */
void signals_restore(void);
void signals_close(int fd);

#endif
