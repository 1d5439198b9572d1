/* SPDX-License-Identifier: GPL-2.0 */
/* Events of a perf.data that nobody recorded: a module comes or goes. */
#ifndef TOOL_PERFDATA_MODULE_EVENT_H
#define TOOL_PERFDATA_MODULE_EVENT_H

#include "file.h"
#include "rewrite.h"

/* In place of the inode. */
void perfdata_set_id(struct perfdata_mmap2 *mmap, const struct build_id *id);

/*
 * Make the event of @load, with the trailer of @format, at @event, which is aligned
 * and has room for any. Its size; 0 when no event is that long.
 */
size_t perfdata_make_module_event(const struct perfdata_module_event *load,
				  const struct perfdata_sample_format *format,
				  unsigned char *event);

#endif
