/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Timeline: of each path which content was there when, and which processes ran it; and where samples
 * fell, if there are any. Paths of several contents come first.
 */
#ifndef TOOL_TIMELINE_H
#define TOOL_TIMELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define TIMELINE_SLOTS 200

/* That a process had a content. */
struct timeline_use {
	uint32_t content, pid;
	uint64_t from;	/* 0 for before the beginning */
	uint64_t until; /* UINT64_MAX for beyond the end */
	uint64_t samples;
	const char *comm; /* "" for not known */
};

/* A content at a path. */
struct timeline_content {
	const char *path;
	const char *id; /* or NULL */
	uint64_t samples;
	const uint32_t *slots;		 /* these by time, TIMELINE_SLOTS of them; or NULL */
	const struct timeline_use *uses; /* at least one */
	size_t nr_uses;
};

/* How far CLOCK_REALTIME was ahead of the times from one on. */
struct timeline_clock {
	uint64_t time;
	int64_t ahead;
};

struct timeline {
	const struct timeline_content *contents;
	size_t nr_contents;
	uint64_t begin, end;
	bool sampled;
	const struct timeline_clock *clocks; /* by time; without one times are seconds from @begin */
	size_t nr_clocks;
};

/* By content, those first that matter most: with more samples, then those that had it longer. */
int timeline_compare_uses(const void *a, const void *b);
/* False without memory. */
bool timeline_put(FILE *file, const struct timeline *timeline);
/* A moment between @begin and @end. */
void timeline_put_time(FILE *file, const struct timeline *timeline, uint64_t time);

#endif
