/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Doubts: build-ids that a perf.data has for several images of a kernel. No two modules are the
 * same file, so at most one of them has the id: perf 6.17 to 6.19 give each module that of the
 * first (fixed by Linux 35b16a7a2c4f). The perf.data does not say which one is right. For files
 * this proves nothing: one content may be at many paths.
 */
#ifndef TOOL_PERFDATA_DOUBTS_H
#define TOOL_PERFDATA_DOUBTS_H

#include "common/hash_map.h"
#include "perfdata.h"

struct perfdata_image_id;

/* Initialized to all zeros. */
struct perfdata_doubts {
	struct perfdata_image_id *all;
	size_t count;
	struct hash_map map;
};

void perfdata_doubts_free(struct perfdata_doubts *doubts);
/* The image at @path has @id, or so the perf.data says. False without memory. */
bool perfdata_doubts_add(struct perfdata_doubts *doubts, enum perfdata_kind kind, const char *path,
			 const struct build_id *id);
/* Once all were added: does @id, of something of @kind, belong to several modules? */
bool perfdata_doubts_has(const struct perfdata_doubts *doubts, enum perfdata_kind kind,
			 const struct build_id *id);

#endif
