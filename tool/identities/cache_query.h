/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Cache query: without a log, or where it says nothing, ask the module which identity an
 * inode has now. The answer counts if the inode has certainly not changed since perf saw
 * the mapping. As ctime is by CLOCK_REALTIME and perf's times are not, those are
 * converted, with room for the drift of the clocks, for all that CLOCK_REALTIME was set by
 * since the module was loaded, and for the time that the machine slept.
 */
#ifndef TOOL_CACHE_QUERY_H
#define TOOL_CACHE_QUERY_H

#include "perfdata/rewrite.h"
#include "wall_clock.h"

struct buildid;
struct identities;
struct cache_query;

/* NULL when the module is not loaded, has no times of @clock, or without memory. */
struct cache_query *cache_query_new(enum perfdata_clock clock);
void cache_query_free(struct cache_query *query);
struct buildid *cache_query_handle(const struct cache_query *query);
/* What CLOCK_REALTIME was ahead of CLOCK_MONOTONIC by. */
const struct wall_range *cache_query_range(const struct cache_query *query);
/*
 * When this boot began, in nanoseconds since the epoch, by whatever CLOCK_REALTIME was set to
 * since: of what is older than the least no boot but an earlier one was, of what is newer than the
 * most none.
 */
struct wall_range cache_query_boot(const struct cache_query *query);
/*
 * Add the kernel to @identities, which cannot change, and the modules that were loaded
 * before @begin, by perf's clock.
 */
void cache_query_images(struct cache_query *query, uint64_t begin, struct identities *identities);
/*
 * Set @identity, or its reason, for a file's mapping; @time is that of the mapping, or
 * when perf began.
 */
void cache_query_find(struct cache_query *query, const struct perfdata_mapping *mapping,
		      uint64_t time, struct perfdata_identity *identity);

#endif
