/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rewrite a perf.data so that mappings carry build-ids.
 *
 * An MMAP2 event has a build-id in place of the inode, so most events keep their length. What grows
 * or is added: an MMAP becomes an MMAP2, mappings of a further content of a path get the name of
 * that content, compressed events are written as they were before compression, and a module that
 * was loaded while perf recorded gets a mapping. Not in a perf.data with AUX data (Intel PT ...),
 * as that is found by its offset in the file, which must not change.
 *
 * If contents have no names of their own, either all mappings of a path get a build-id, or none of
 * them: see paths.h.
 */
#ifndef TOOL_PERFDATA_REWRITE_H
#define TOOL_PERFDATA_REWRITE_H

#include "annotator.h"

/*
 * Write an annotated copy of @data to @output: a path, "-" for standard output,
 * or NULL to replace @data itself, by a rename once the copy is on the disk and only if
 * it differs. 0; -1 with an error of @data, and then @output is unchanged.
 */
int perfdata_rewrite(struct perfdata *data, const char *output,
		     const struct perfdata_annotator *annotator, struct perfdata_counts *counts);

#endif
