/* SPDX-License-Identifier: GPL-2.0 */
/*
 * perf.data, rewritten so that mappings carry build-ids.
 *
 * An id takes the place of the inode in MMAP2, so nothing moves. What has to
 * move does: MMAP becomes MMAP2, compressed events become plain ones, and a
 * module that was loaded on the way gets a mapping. Not where AUX data is, as
 * that is found by its offset in the file.
 *
 * All mappings of a path get an id, or none: perf takes those without one for
 * another content of the path at hand.
 */
#ifndef TOOL_PERFDATA_REWRITE_H
#define TOOL_PERFDATA_REWRITE_H

#include "perfdata.h"

/**
 * struct perfdata_identity - what a mapping is of
 * @size: bytes of @id, 0 when there is none
 * @id: the build-id
 * @reason: why there is none; a text that stays
 * @known: it is known that the content has none, so nothing is missing
 */
struct perfdata_identity {
	size_t size;
	uint8_t id[PERFDATA_ID_MAX];
	const char *reason;
	bool known;
};

/**
 * struct perfdata_module_event - a module that was loaded while perf recorded, or unloaded
 * @time: when
 * @start: of its code
 * @len: likewise
 * @unload: it was
 * @path: perf goes by its last part alone: each content has to have its own
 * @identity: of its content
 */
struct perfdata_module_event {
	uint64_t time;
	uint64_t start;
	uint64_t len;
	bool unload;
	const char *path;
	struct perfdata_identity identity;
};

/**
 * struct perfdata_annotator - who knows the identities
 * @context: for the functions
 * @identify: fill @identity, zeroed, for a mapping of any space but OTHER
 * @progress: called at first and now and then; @done of @total bytes. False: stop.
 *	May be NULL
 * @report: a path is left alone, for @reason
 * @module_events: modules that came and went, by time
 * @nr_module_events: how many
 */
struct perfdata_annotator {
	void *context;
	void (*identify)(void *context, const struct perfdata_mapping *mapping,
			 struct perfdata_identity *identity);
	bool (*progress)(void *context, uint64_t done, uint64_t total);
	void (*report)(void *context, const char *path, const char *reason);
	const struct perfdata_module_event *module_events;
	size_t nr_module_events;
};

/* What became of it; mappings but for paths. */
struct perfdata_counts {
	uint64_t annotated;
	uint64_t without;		/* their content has no build-id */
	uint64_t not_annotated;		/* their path is */
	uint64_t paths;			/* left alone */
	uint64_t module_events;		/* mappings of modules put in */
	uint64_t module_events_missing; /* that could not be */
	bool changed;			/* there is something to write */
};

/*
 * Write an annotated copy of @data to @output: a path, "-" for standard output,
 * or NULL to replace @data itself, by a rename once the copy is on the disk.
 * Nothing is replaced by a copy that says the same. 0; -1 with an error of
 * @data, and then @output is as it was.
 */
int perfdata_rewrite(struct perfdata *data, const char *output,
		     const struct perfdata_annotator *annotator, struct perfdata_counts *counts);

#endif
