/* SPDX-License-Identifier: GPL-2.0 */
/* Live: keep what is mapped before it is gone. */
#ifndef TOOL_LIVE_H
#define TOOL_LIVE_H

#include "filter.h"
#include "store_entry.h"

/* Until SIGINT or SIGTERM; what to exit with. @ring_size: 0 for the default. */
int live_run(struct store_job *store, const struct filter *filter, uint32_t ring_size);

#endif
