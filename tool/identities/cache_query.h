/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Recall: what the module still remembers of an inode, if it is certain that it
 * was so when perf saw it mapped.
 */
#ifndef TOOL_CACHE_QUERY_H
#define TOOL_CACHE_QUERY_H

#include "perfdata/rewrite.h"

struct identities;
struct cache_query;

/* With a module that is loaded; NULL when there is none, or without memory. */
struct cache_query *cache_query_new(enum perfdata_clock clock);
void cache_query_free(struct cache_query *query);
/*
 * The kernel's identity, which is the same as long as it runs, to @identities; and
 * those of modules that have been there since before @begin, by perf's clock.
 */
void cache_query_images(struct cache_query *query, uint64_t begin, struct identities *identities);
/* @time: of the mapping, or when perf began. Leaves @identity when not certain. */
void cache_query_find(struct cache_query *query, const struct perfdata_mapping *mapping,
		      uint64_t time, struct perfdata_identity *identity);

#endif
