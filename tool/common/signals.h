/* SPDX-License-Identifier: GPL-2.0 */
/* Signals: as something to poll for, so that none comes between two calls. */
#ifndef TOOL_SIGNALS_H
#define TOOL_SIGNALS_H

/*
 * Block SIGINT, SIGTERM and SIGCHLD, ignore SIGPIPE, and return a descriptor
 * that is readable when one of them came; -errno.
 */
int signals_open(void);
/* The number of one that came, 0 when there is none. */
int signals_read(int fd);
/* All as it was before signals_open(); for a child that will be another program. */
void signals_restore(void);
void signals_close(int fd);

#endif
