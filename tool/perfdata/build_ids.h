/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The build-id table of a perf.data, feature HEADER_BUILD_ID: entries of a path and its
 * build-id, laid out like a BUILD_ID event. perf record fills it as it ends, from the
 * files as they are then, so it can say one thing of a path and may be wrong. perf goes
 * by it for DSOs whose mappings have no build-id; hotspot and AutoFDO know nothing else.
 *
 * A rewrite makes entries of all that was mapped, as perf record --buildid-all does, and
 * not of what was hit alone: that would need all mappings in memory, and who looks for an
 * address may find it in a call chain, a stack or AUX data that is no sample.
 */
#ifndef TOOL_PERFDATA_BUILD_IDS_H
#define TOOL_PERFDATA_BUILD_IDS_H

#include "file.h"
#include "paths.h"
#include "writer.h"

/*
 * Call @each for the entries of @data, until it fails. 0; -1 with an error; 1 when the
 * table is damaged behind the entries that were good.
 */
int perfdata_build_ids_each(struct perfdata *data,
			    int (*each)(struct perfdata *data,
					const struct perfdata_build_id *entry, void *context),
			    void *context);
/* The name of an entry, NULL when it has no good one. */
const char *perfdata_build_id_name(const struct perfdata_build_id *entry);
size_t perfdata_build_id_size(const struct perfdata_build_id *entry);

struct perfdata_build_ids;

/* The table of @data, or an empty one; NULL with an error. */
struct perfdata_build_ids *perfdata_build_ids_read(struct perfdata *data);
void perfdata_build_ids_free(struct perfdata_build_ids *table);
/* Set @id if there is an entry for @path. */
void perfdata_build_ids_find(const struct perfdata_build_ids *table, const char *path,
			     struct build_id *id);
/*
 * @path has @id. With @only the mapping has no room for it: the entry stays whatever
 * perfdata_build_ids_update() finds. 0, or -1 with an error of @data.
 */
int perfdata_build_ids_set(struct perfdata *data, struct perfdata_build_ids *table,
			   const char *path, enum perfdata_kind kind, const struct build_id *id,
			   bool only);
/*
 * Before @paths are judged: what the table has of modules adds to their doubts, and is the
 * reason for what is not known. False without memory.
 */
bool perfdata_build_ids_doubt(const struct perfdata_build_ids *table, struct perfdata_paths *paths);
/*
 * An entry for each name of a content of @paths, which were judged; none that is in doubt. Where a name is that
 * of several contents the table cannot say it, and readers which believe it would be
 * wrong: then entries remain only of paths whose mappings do not say it all. What is not
 * known stays as perf has it. 0, or -1 with an error of @data.
 */
int perfdata_build_ids_update(struct perfdata *data, struct perfdata_build_ids *table,
			      const struct perfdata_paths *paths);
/* It is not as it was read. */
bool perfdata_build_ids_changed(const struct perfdata_build_ids *table);
size_t perfdata_build_ids_count(const struct perfdata_build_ids *table);
int perfdata_build_ids_write(const struct perfdata_build_ids *table,
			     struct perfdata_writer *output);

#endif
