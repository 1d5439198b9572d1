/* SPDX-License-Identifier: GPL-2.0 */
/* Clock watch: a descriptor that is readable once CLOCK_REALTIME was set, or the machine slept. */
#ifndef TOOL_CLOCK_WATCH_H
#define TOOL_CLOCK_WATCH_H

#include <stdbool.h>

/* A descriptor, or -errno. */
int clock_watch_open(void);
/* Whether it was set since the last call. */
bool clock_watch_was_set(int fd);

#endif
