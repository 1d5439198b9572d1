/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Events that perf did not record but would need: it has mappings of the modules that
 * were loaded when it began, none of those loaded later.
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
 * Make the event of @module, with a sample_id as of @format, at @event, which is aligned
 * and has room for any event. Its size; 0 when it does not fit into an event.
 */
size_t perfdata_make_module_event(const struct perfdata_module_event *module,
				  const struct perfdata_sample_format *format,
				  unsigned char *event);

#endif
