/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Identities: which content each mapping in a perf.data had, according to the records that were
 * sent meanwhile, usually from a log. Add all records, set when they ended and when perf
 * began, then look up.
 */
#ifndef TOOL_IDENTITIES_H
#define TOOL_IDENTITIES_H

#include "libbuildid/libbuildid.h"
#include "mono_clock.h"
#include "perfdata/rewrite.h"
#include "wall_clock.h"

struct identities;

/* @clock: of the perf.data. NULL without memory. */
struct identities *identities_new(enum perfdata_clock clock);
void identities_free(struct identities *identities);

/*
 * Before any is added: the records are perf's. A mapping is found by its process, place, path and
 * time alone, or not at all.
 */
void identities_of_perf(struct identities *identities);
/* The next record of a stream. 0 or -ENOMEM. */
int identities_add(struct identities *identities, const struct buildid_record *record);
/* The stream ended at @mono, by CLOCK_MONOTONIC: all later records are lost. */
int identities_ended(struct identities *identities, uint64_t mono);
/*
 * CLOCK_REALTIME at @mono: two or more such pairs, from the beginning and the end of the stream,
 * tell when files changed.
 */
void identities_wall_clock(struct identities *identities, uint64_t mono, uint64_t real);
/* The range before the stream began, at @begin, by CLOCK_MONOTONIC. */
void identities_wall_clock_before(struct identities *identities, uint64_t begin,
				  const struct wall_range *range);
/* After @until, by CLOCK_MONOTONIC, it is unknown: a truncated stream has no end. */
void identities_wall_clock_until(struct identities *identities, uint64_t until);
/*
 * How to convert the times of a perf.data with PERFDATA_CLOCK_OTHER. Without it they are unusable.
 */
void identities_convert(struct identities *identities, const struct mono_clock *clock);
/* All records are added, and perf began to record at @begin, by @clock. 0 or -ENOMEM. */
int identities_ready(struct identities *identities, uint64_t begin);

/* Fill @identity, zeroed, for @mapping. */
void identities_find(const struct identities *identities, const struct perfdata_mapping *mapping,
		     struct perfdata_identity *identity);

/*
 * Whether @mapping has its own MMAP record; @missing: it has none but should, as the stream was
 * complete then.
 */
bool identities_has(const struct identities *identities, const struct perfdata_mapping *mapping,
		    bool *missing);
/* Below it are programs with fixed addresses, and 32-bit ones. */
#define IDENTITIES_RANDOM (1ULL << 32)
/*
 * Whether exactly one process, @pid, had such a mapping then, at a random place, ignoring the pid
 * of @mapping.
 */
bool identities_pid_at(const struct identities *identities, const struct perfdata_mapping *mapping,
		       uint32_t *pid);
/* Whether the stream had ended when perf began. */
bool identities_ended_before(const struct identities *identities);
/* A lower bound for CLOCK_REALTIME when perf began; 0 if that is unknown. */
uint64_t identities_real_begin(const struct identities *identities);

/*
 * Modules loaded and unloaded since perf began, by time, each with a unique path below /sys/module.
 * They belong to @identities.
 */
size_t identities_module_events(const struct identities *identities,
				const struct perfdata_module_event **events);
/* The address of the kernel's _text, 0 if it is unknown. */
uint64_t identities_text(const struct identities *identities);
/* The number of lost records. */
uint64_t identities_lost(const struct identities *identities);

#endif
