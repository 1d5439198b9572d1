/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Progress: a line on stderr, if that is a terminal, while something takes longer than a moment. It
 * is removed before anything else is printed.
 */
#ifndef TOOL_PROGRESS_H
#define TOOL_PROGRESS_H

#include <stdint.h>

/* "buildid: @object: 12 %", or @done and @unit if @total is 0. Cheap: call it often. */
void progress_show(const char *object, uint64_t done, uint64_t total, const char *unit);
/* Done, or something else is to be printed. */
void progress_clear(void);
/* Not at all, from now on: --quiet. */
void progress_disable(void);

#endif
