/* SPDX-License-Identifier: GPL-2.0 */
/* Signals: as something to poll for, so that none comes between two calls. */
#ifndef TOOL_SIGNALS_H
#define TOOL_SIGNALS_H

#include <spawn.h>

/*
 * Block SIGINT, SIGTERM and SIGCHLD, ignore SIGPIPE, and return a descriptor that is
 * readable when one of the three came; -errno.
 */
int signals_open(void);
/* The number of the next one that came, 0 when there is none. */
int signals_read(int fd);
/* A child starts with its signals as they were before signals_open(). */
void signals_restore_in(posix_spawnattr_t *child);
/* All as it was before signals_open(). */
void signals_close(int fd);

#endif
