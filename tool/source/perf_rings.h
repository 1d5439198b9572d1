/* SPDX-License-Identifier: GPL-2.0 */
/* Perf rings: what perf_event_open(2) tells of mappings and names, of all processors by time. */
#ifndef TOOL_PERF_RINGS_H
#define TOOL_PERF_RINGS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What perf_event_mlock_kb allows a user by default, less the first page. */
#define PERF_RINGS_SIZE (512U << 10)

struct perf_rings;

/*
 * Of @pids, which may be threads, and what they fork from now on; of all processes when there are
 * none. @data: mappings that are not executable, too. @ring_size: of each, a power of two, 0 for
 * PERF_RINGS_SIZE. 0 or a negative errno: -EACCES and -EPERM without the right, -EINVAL where the
 * kernel has no build-ids in its records (before 5.12).
 */
int perf_rings_open(struct perf_rings **rings, const uint32_t *pids, size_t nr_pids, bool data,
		    size_t ring_size);
void perf_rings_close(struct perf_rings *rings);

/* Readable every tenth of a second, until perf_rings_next() has found nothing. */
int perf_rings_fd(const struct perf_rings *rings);

/*
 * The next record, valid until the next call, and its time, by perf's clock. NULL when there is
 * none up to @until: later ones are left, as another processor's may come before them.
 */
const struct perf_event_header *perf_rings_next(struct perf_rings *rings, uint64_t until,
						uint64_t *time);

/* No more from now on. */
void perf_rings_stop(struct perf_rings *rings);

/*
 * How many records the kernel has dropped since it began. A record of perf's says so too, but only
 * with the next one that fits. False before Linux 6.0, which does not count them.
 */
bool perf_rings_dropped(const struct perf_rings *rings, uint64_t *count);

#endif
