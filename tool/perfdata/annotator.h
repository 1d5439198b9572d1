/* SPDX-License-Identifier: GPL-2.0 */
/* Annotator: tells perfdata_rewrite() the content of each mapping, and what was done. */
#ifndef TOOL_PERFDATA_ANNOTATOR_H
#define TOOL_PERFDATA_ANNOTATOR_H

#include "perfdata.h"

/**
 * struct perfdata_identity - what is known of a mapping's content
 * @id: the build-id, of up to PERFDATA_ID_MAX bytes, or empty
 * @reason: why it is empty; a string that is not freed
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
 * @path: one for each content, as perf distinguishes modules' DSOs by the last component
 * @id: build-id of its content, or empty
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
 * @progress: called first, every few MiB or thousand events, and before the result replaces the
 *	file; @done of @total bytes. False stops.
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

/* What was done; numbers of mappings, except @paths, @named and @unnamed. */
struct perfdata_counts {
	uint64_t annotated;
	uint64_t without;		/* their content has no build-id */
	uint64_t not_annotated;		/* they, or others of their path, cannot be */
	uint64_t paths;			/* of these */
	uint64_t named;			/* contents that got their own name */
	uint64_t unnamed;		/* contents that share path and name with another */
	uint64_t module_events;		/* mappings of modules added */
	uint64_t module_events_missing; /* that could not be added */
	bool changed;			/* the copy differs */
};

#endif
