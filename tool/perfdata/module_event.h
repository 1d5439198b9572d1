/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events that perf does not record but needs: it has mappings of modules that were loaded at its
 * start, but not of those loaded later.
 */
#ifndef TOOL_PERFDATA_MODULE_EVENT_H
#define TOOL_PERFDATA_MODULE_EVENT_H

#include "file.h"
#include "annotator.h"

/* @id in place of the inode. */
void perfdata_set_id(struct perfdata_mmap2 *mmap, const struct build_id *id);
/* Neither build-id nor inode. */
void perfdata_clear_id(struct perfdata_mmap2 *mmap);

/*
 * Make the event of @module, with a sample_id in @format, at @event, which is aligned and has room
 * for any event. Returns its size; 0 if it does not fit into an event.
 */
size_t perfdata_make_module_event(const struct perfdata_module_event *module,
				  const struct perfdata_sample_format *format,
				  unsigned char *event);

#endif
