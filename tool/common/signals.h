/* SPDX-License-Identifier: GPL-2.0 */
/* Signals: as something to poll for, so that none comes between two calls. */
#ifndef TOOL_SIGNALS_H
#define TOOL_SIGNALS_H

/*
 * Block SIGINT, SIGTERM and SIGCHLD, ignore SIGPIPE, and return a descriptor that is
 * readable when one of the three came; -errno.
 */
int signals_open(void);
/* The number of the next one that came, 0 when there is none. */
int signals_read(int fd);
/* All as it was before signals_open(); by itself for a child, before its exec. */
void signals_restore(void);
void signals_close(int fd);

#endif
