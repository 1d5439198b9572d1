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

/* Collects the mappings of one file, which follow one another, for its line. */
struct unstrip;

struct unstrip *unstrip_new(struct output *out);
void unstrip_free(struct unstrip *unstrip);

/* The mappings of a process by ascending address, with those that are not executable. */
void unstrip_mapping(struct unstrip *unstrip, const struct buildid_event *event);
/* Call after the last mapping of the process. */
void unstrip_end(struct unstrip *unstrip);

#endif
