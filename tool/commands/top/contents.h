/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Contents: which content which processes have mapped, kept up with a stream of events.
 *
 * munmap(2) sends no record, and a file that is deleted after it was mapped none either. So the
 * caller takes a snapshot now and then: what that does not have any more is dropped, and what
 * happens meanwhile counts before and after it.
 */
#ifndef TOOL_TOP_CONTENTS_H
#define TOOL_TOP_CONTENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/build_id.h"
#include "libbuildid/libbuildid.h"

/**
 * struct content - one content under one path
 * @identity: its identity
 * @path: as the process that mapped it first sees it
 * @processes: that have it mapped
 * @mappings: made since the start, without those of snapshots
 * @rate: mappings per second between the last two calls of contents_tick()
 * @since: CLOCK_MONOTONIC of the first record of it
 * @is_new: first mapped after the first snapshot
 * @is_deleted: no path led to it any more when it was last reported
 * @last: the last mapping of it
 * @file: its record as it was with that
 * @label: for the caller, freed with it
 */
struct content {
	struct identity identity;
	char *path;
	uint64_t processes;
	uint64_t mappings;
	double rate;
	uint64_t since;
	bool is_new;
	bool is_deleted;
	struct buildid_mmap last;
	struct buildid_file *file;
	char *label;
	uint64_t mappings_before; /* at the last tick */
};

/* As any user can make files: what nobody has is forgotten, then nothing is added. */
#define CONTENTS_MAX 16384

/**
 * struct contents - all of them
 * @all: the contents; an index is valid as long as @moves does not change
 * @count: of @all
 * @moves: how often contents were forgotten
 * @is_complete: a snapshot has ended
 * @unidentified: mappings whose file stayed unknown
 * @not_added: mappings of contents that there was no room for
 */
struct contents {
	struct content *all;
	size_t count;
	uint64_t moves;
	bool is_complete;
	uint64_t unidentified;
	uint64_t not_added;
	struct contents_internal *internal;
};

/* False without memory. */
bool contents_init(struct contents *contents);
void contents_free(struct contents *contents);

/* Of any type. False without memory: what it says is missing then. */
bool contents_take(struct contents *contents, const struct buildid_event *event);

/* A snapshot begins, whose events are to come; it has ended. */
void contents_snapshot_begin(struct contents *contents);
void contents_snapshot_end(struct contents *contents);

/* @seconds have passed since the last call. */
void contents_tick(struct contents *contents, double seconds);

/* How many processes have anything mapped. */
size_t contents_processes(const struct contents *contents);

/* Calls @show for each process that has content number @content mapped. */
void contents_for_each_process(const struct contents *contents, size_t content,
			       void (*show)(void *data, uint32_t pid, const char *comm),
			       void *data);

#endif
