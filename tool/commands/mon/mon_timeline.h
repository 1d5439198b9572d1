/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Mon timeline: which process had which content when, from a stream of records.
 *
 * A process has a content from its mapping, or its fork, until it calls exec or exits, as far as
 * the stream has records of that; none says that one unmaps.
 */
#ifndef TOOL_MON_TIMELINE_H
#define TOOL_MON_TIMELINE_H

#include "commands/page/timeline.h"
#include "common/hash_map.h"
#include "libbuildid/libbuildid.h"

/* Limit for each of contents, processes and uses: some 200 MB together. */
#define MON_TIMELINE_MAX 1048576

struct mon_holder;

struct mon_content {
	char *path, *id;
	uint64_t key;	   /* of path and device */
	bool deleted;	   /* when it was first seen */
	uint64_t replaced; /* when finished: since when another was seen there, or UINT64_MAX */
	uint32_t replacement;
	size_t first_use, nr_uses; /* when finished */
};

/* What is missing. */
struct mon_timeline_losses {
	uint64_t unknown; /* mappings of files that are not known */
	uint64_t unended; /* processes of which only another one with the same pid tells the end */
	uint64_t full;	  /* mappings, processes and forks that found no room here */
};

struct mon_timeline {
	size_t max;
	size_t text; /* bytes of paths and identities */
	struct mon_content *contents;
	size_t nr_contents;
	struct mon_holder **holders; /* processes, each again after an exec */
	size_t nr_holders;
	struct timeline_use *uses; /* when finished, as timeline_compare_uses() has them */
	uint32_t *next;		   /* of each use, the one before of its holder */
	size_t nr_uses;
	struct hash_map content_map, holder_map, use_map;
	struct timeline_clock *clocks;
	size_t nr_clocks;
	uint64_t begin, end;
	bool snapshot; /* there are records of what was mapped before */
	bool tasks;    /* there are records of processes that fork, exec and exit */
	struct mon_timeline_losses losses;
};

/* NULL without memory. */
struct mon_timeline *mon_timeline_new(size_t max);
void mon_timeline_free(struct mon_timeline *timeline);
/* @ahead: CLOCK_REALTIME less the time of the event. */
void mon_timeline_take(struct mon_timeline *timeline, const struct buildid_event *event,
		       int64_t ahead);
/* When all were taken, up to @end. */
void mon_timeline_finish(struct mon_timeline *timeline, uint64_t end);

#endif
