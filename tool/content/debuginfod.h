/* SPDX-License-Identifier: GPL-2.0 */
/* Debuginfod: files by build-id from the servers in DEBUGINFOD_URLS. */
#ifndef TOOL_DEBUGINFOD_H
#define TOOL_DEBUGINFOD_H

#include "content.h"

struct debuginfod;

/* A client that connects to no server yet. NULL only without memory. */
struct debuginfod *debuginfod_new(void);
void debuginfod_free(struct debuginfod *client);
/* Whether there is a server to ask, and libdebuginfod to do so; asks none. */
bool debuginfod_ready(struct debuginfod *client, struct reason *reason);

/*
 * Ask the servers for CONTENT_ELF or CONTENT_DEBUG of @id, with progress on stderr. A single server
 * that did not respond twice in a row is not asked again. What servers send is not checked here. A
 * descriptor, with @path set to the file, which the caller frees; or -1 with @reason.
 */
int debuginfod_get(struct debuginfod *client, const struct build_id *id, enum content_part part,
		   char **path, struct reason *reason);

#endif
