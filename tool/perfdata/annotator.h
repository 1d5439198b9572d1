/* SPDX-License-Identifier: GPL-2.0 */
/* Annotator: where perfdata_rewrite() gets the content of each mapping from, and what it did. */
#ifndef TOOL_PERFDATA_ANNOTATOR_H
#define TOOL_PERFDATA_ANNOTATOR_H

#include "perfdata.h"

/**
 * struct perfdata_identity - what is known of a mapping's content
 * @id: the build-id, of no more than PERFDATA_ID_MAX bytes, or none
 * @reason: why there is none; a string that is not freed
 * @known: the content is known and has no build-id
 */
struct perfdata_identity {
	struct build_id id;
	const char *reason;
	bool known;
};

/**
 * struct perfdata_module_event - a module was loaded or unloaded while perf recorded
 * @time: when
 * @start: address of its code
 * @len: bytes of code
 * @unload: unloaded
 * @path: perf tells DSOs of modules apart by the last component: one for each content
 * @id: build-id of its content, or none
 */
struct perfdata_module_event {
	uint64_t time;
	uint64_t start;
	uint64_t len;
	bool unload;
	const char *path;
	struct build_id id;
};

/**
 * struct perfdata_annotator - callbacks of perfdata_rewrite()
 * @context: for the callbacks
 * @identify: fill @identity, zeroed, for a mapping of any kind but OTHER
 * @progress: called first, every few MiB or thousand events, and before the result takes
 *	its place; @done of @total bytes. False stops.
 *	May be NULL
 * @report: of @path, @missing of @all mappings are not annotated, for @reason
 * @module_events: modules loaded and unloaded, by time
 * @nr_module_events: how many
 * @keep_names: mappings keep the names they have
 */
struct perfdata_annotator {
	void *context;
	void (*identify)(void *context, const struct perfdata_mapping *mapping,
			 struct perfdata_identity *identity);
	bool (*progress)(void *context, uint64_t done, uint64_t total);
	void (*report)(void *context, const char *path, uint64_t missing, uint64_t all,
		       const char *reason);
	const struct perfdata_module_event *module_events;
	size_t nr_module_events;
	bool keep_names;
};

/* What was done; numbers of mappings but for @paths, @named and @unnamed. */
struct perfdata_counts {
	uint64_t annotated;
	uint64_t without;		/* their content has no build-id */
	uint64_t not_annotated;		/* they, or some mapping of their path, cannot be */
	uint64_t paths;			/* of these */
	uint64_t named;			/* contents with a name of their own */
	uint64_t unnamed;		/* that share a path with another content, and its name */
	uint64_t module_events;		/* mappings of modules added */
	uint64_t module_events_missing; /* that could not be added */
	bool changed;			/* the copy differs */
};

#endif
