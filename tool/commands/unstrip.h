/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Unstrip: the mappings of a process as eu-unstrip -n lists them, a line for
 * each file:
 *
 *	START+SIZE BUILDID@ADDRESS FILE DEBUGFILE MODULE
 */
#ifndef TOOL_UNSTRIP_H
#define TOOL_UNSTRIP_H

#include "common/output.h"
#include "libbuildid/libbuildid.h"

/* A file mapped in a process, by one or more mappings one behind the other. */
struct unstrip;

struct unstrip *unstrip_new(struct output *out);
void unstrip_free(struct unstrip *unstrip);

/* The mappings of a process in ascending order, those with data among them. */
void unstrip_mapping(struct unstrip *unstrip, const struct buildid_event *event);
/* That was the last of the process. */
void unstrip_end(struct unstrip *unstrip);

#endif
