/* SPDX-License-Identifier: GPL-2.0 */
/* Identities: what a stream of records says of the mappings perf has seen. */
#ifndef TOOL_IDENTITIES_H
#define TOOL_IDENTITIES_H

#include "libbuildid/libbuildid.h"
#include "perfdata/rewrite.h"

struct identities;

/* For mappings with times of @clock. NULL without memory. */
struct identities *identities_new(enum perfdata_clock clock);
void identities_free(struct identities *identities);

/* All records of a stream, in order. 0 or -ENOMEM. */
int identities_add(struct identities *identities, const struct buildid_record *record);
/* The stream ended at @mono, CLOCK_MONOTONIC: nobody knows of what came after it. */
int identities_ended(struct identities *identities, uint64_t mono);
/* Then once: perf began to record at @begin, by the clock. 0 or -ENOMEM. */
int identities_ready(struct identities *identities, uint64_t begin);

/* What is known of @mapping's content; @identity is zeroed. */
void identities_find(const struct identities *identities, const struct perfdata_mapping *mapping,
		     struct perfdata_identity *identity);

/*
 * Modules that came and went since perf began, by time, each with a path below
 * /sys/module, which is of that content alone. They are @identities' own.
 */
size_t identities_module_events(const struct identities *identities,
				const struct perfdata_module_event **loads);
/* Where _text is in the kernel; 0 when that is not known. */
uint64_t identities_text(const struct identities *identities);
/* Records that were lost. */
uint64_t identities_lost(const struct identities *identities);

#endif
