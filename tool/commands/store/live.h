/* SPDX-License-Identifier: GPL-2.0 */
/* Live: store what is mapped before it is gone; buildid store --live. */
#ifndef TOOL_LIVE_H
#define TOOL_LIVE_H

#include "commands/filter.h"
#include "store_entry.h"

/*
 * Runs until SIGINT or SIGTERM; returns the exit status. @ring_size: 0 for the
 * default; @max_size: bytes, 0 for no limit.
 */
int live_run(struct store_job *store, const struct filter *filter, uint32_t ring_size,
	     uint64_t max_size);

#endif
