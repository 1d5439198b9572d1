/* SPDX-License-Identifier: GPL-2.0 */
/* Debuginfod: the only file that knows libdebuginfod. */
#ifndef TOOL_DEBUGINFOD_H
#define TOOL_DEBUGINFOD_H

#include "content.h"

struct debuginfod;

/* A client that asks nobody until it has to. NULL only without memory. */
struct debuginfod *debuginfod_new(void);
void debuginfod_free(struct debuginfod *client);

/*
 * Ask the servers in DEBUGINFOD_URLS for CONTENT_ELF or CONTENT_DEBUG of @id,
 * with progress on stderr. A single one that twice did not answer is not asked
 * again. What they send is not checked here. A descriptor with @path, to be freed,
 * set to the file; or -1 with @reason.
 */
int debuginfod_get(struct debuginfod *client, const struct build_id *id, enum content_part part,
		   char **path, struct reason *reason);

#endif
