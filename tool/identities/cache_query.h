/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cache query: without a log, or where it has no answer, ask the module which identity an inode has
 * now. The answer counts if the inode has certainly not changed since perf saw the mapping. As
 * ctime is by CLOCK_REALTIME and perf's times are not, those are converted, with tolerance for
 * drift, for every time that CLOCK_REALTIME was set since the module was loaded, and for suspends.
 */
#ifndef TOOL_CACHE_QUERY_H
#define TOOL_CACHE_QUERY_H

#include "perfdata/rewrite.h"
#include "wall_clock.h"

struct buildid;
struct identities;
struct cache_query;

/* NULL if the module is not loaded, has no times by @clock, or without memory. */
struct cache_query *cache_query_new(enum perfdata_clock clock);
void cache_query_free(struct cache_query *query);
struct buildid *cache_query_handle(const struct cache_query *query);
/* The range of CLOCK_REALTIME minus CLOCK_MONOTONIC. */
const struct wall_range *cache_query_range(const struct cache_query *query);
/*
 * When this boot began, in nanoseconds since the epoch, by all that CLOCK_REALTIME was set to
 * since: times before the minimum are from an earlier boot, times after the maximum are not.
 */
struct wall_range cache_query_boot(const struct cache_query *query);
/*
 * Add the kernel, which cannot change, and the modules that were loaded before @begin, by perf's
 * clock, to @identities.
 */
void cache_query_images(struct cache_query *query, uint64_t begin, struct identities *identities);
/*
 * Set @identity, or its reason, for a file's mapping; @time is that of the mapping, or
 * when perf began.
 */
void cache_query_find(struct cache_query *query, const struct perfdata_mapping *mapping,
		      uint64_t time, struct perfdata_identity *identity);

#endif
