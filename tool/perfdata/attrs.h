/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Attrs: which events were recorded, each with its ids. perf record writes them before the events;
 * perf inject, from a pipe's output, after them, where a rewrite needs the space.
 */
#ifndef TOOL_PERFDATA_ATTRS_H
#define TOOL_PERFDATA_ATTRS_H

#include "writer.h"

bool perfdata_attrs_are_behind(const struct perfdata_header *header);
/* Write them, with their ids, as the next bytes; @header, of the copy, says where they are. */
int perfdata_attrs_write(struct perfdata *data, struct perfdata_writer *output,
			 struct perfdata_header *header);

#endif
