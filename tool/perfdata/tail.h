/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What follows the events in a perf.data: features, one of which is a table of
 * build-ids, one for a path.
 */
#ifndef TOOL_PERFDATA_TAIL_H
#define TOOL_PERFDATA_TAIL_H

#include "paths.h"
#include "writer.h"

struct perfdata_table;

/* As it is in @data, or empty; NULL with an error. */
struct perfdata_table *perfdata_table_read(struct perfdata *data);
void perfdata_table_free(struct perfdata_table *table);
/* An entry for what a mapping has no room for. */
int perfdata_table_add(struct perfdata *data, struct perfdata_table *table,
		       const struct perfdata_mapping *mapping,
		       const struct perfdata_identity *identity);
/* Fill @identity if there is an entry for @path. */
void perfdata_table_find(const struct perfdata_table *table, const char *path,
			 struct perfdata_identity *identity);

/*
 * Write the features behind the events, and the header before them. Of the
 * table remains what is not said by a mapping: with any entry of it plain perf
 * buildid-list shows nothing else.
 */
int perfdata_tail_write(struct perfdata *data, struct perfdata_writer *output,
			const struct perfdata_table *table, const struct perfdata_paths *paths);

#endif
