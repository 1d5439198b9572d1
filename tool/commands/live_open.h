/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Open for store --live: by a worker, as a path may have come to lead to a server that
 * never answers, and only what can be read without one.
 */
#ifndef TOOL_LIVE_OPEN_H
#define TOOL_LIVE_OPEN_H

#include <stdint.h>

#include "common/reason.h"
#include "common/worker.h"

#define LIVE_ON_FUSE "is on FUSE, whose server may never answer"

struct worker live_opener(void);

/* As mapped_file_open_at(). */
int live_open_mapped(struct worker *opener, uint32_t pid, uint64_t addr, const char *path,
		     struct reason *reason);
/* As open_untrusted() in the current directory. */
int live_open(struct worker *opener, const char *path, struct reason *reason);

#endif
