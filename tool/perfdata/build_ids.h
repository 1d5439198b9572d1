/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The build-id table of a perf.data, feature HEADER_BUILD_ID: entries of a path and its build-id,
 * laid out like a BUILD_ID event. perf record fills it at its end, from the files of that time, so
 * it has one id per path and may be wrong. perf uses it for DSOs whose mappings have no build-id;
 * hotspot and AutoFDO use nothing else.
 *
 * A rewrite makes entries for everything that was mapped, like perf record --buildid-all, not only
 * for what was hit: that would need all mappings in memory, and addresses are also looked up from
 * call chains, stacks and AUX data.
 */
#ifndef TOOL_PERFDATA_BUILD_IDS_H
#define TOOL_PERFDATA_BUILD_IDS_H

#include "file.h"
#include "paths.h"
#include "writer.h"

/*
 * Call @each for the entries of @data, until it fails. 0; -1 with an error; 1 if the table is
 * damaged after the valid entries.
 */
int perfdata_build_ids_each(struct perfdata *data,
			    int (*each)(struct perfdata *data,
					const struct perfdata_build_id *entry, void *context),
			    void *context);
/* The name of an entry, NULL if it is invalid. */
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
 * Before @paths are judged: add the table's ids of modules to the doubts, and set reasons for what
 * is not known. False without memory.
 */
bool perfdata_build_ids_doubt(const struct perfdata_build_ids *table, struct perfdata_paths *paths);
/*
 * Make an entry for each name of a content of the judged @paths, except doubtful ones. If several
 * contents share a name, the table cannot represent that, and would mislead its readers: then only
 * entries remain for paths whose mappings lack ids. What is not known stays as perf has it. 0, or
 * -1 with an error of @data.
 */
int perfdata_build_ids_update(struct perfdata *data, struct perfdata_build_ids *table,
			      const struct perfdata_paths *paths);
/* Has it changed since it was read? */
bool perfdata_build_ids_changed(const struct perfdata_build_ids *table);
size_t perfdata_build_ids_count(const struct perfdata_build_ids *table);
int perfdata_build_ids_write(const struct perfdata_build_ids *table,
			     struct perfdata_writer *output);

#endif
