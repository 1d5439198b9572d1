/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Counters since the module was loaded, one set per CPU, so that the hook needs no atomic
 * operations.
 */
#ifndef BID_STATS_H
#define BID_STATS_H

#include <linux/percpu.h>

/* As the fields of the same name in struct buildid_stats. */
enum bid_stat {
	BID_STAT_HITS,
	BID_STAT_MISSES,
	BID_STAT_RECHECKS,
	BID_STAT_READ_MAPPER,
	BID_STAT_READ_CALLER,
	BID_STAT_NO_ID,
	BID_STAT_IO_ERRORS,
	BID_STAT_INTERRUPTED,
	BID_STAT_CHANGING,
	BID_STAT_EVICTED,
	BID_STAT_STALE,
	BID_STAT_NOT_STORED,
	BID_STAT_UNRESOLVED,
	BID_STAT_RECORDS,
	BID_STAT_RING_FULL,
	BID_STAT_RING_FULL_MMAPS,
	BID_STAT_NETLINK_RECORDS,
	BID_STAT_COUNT,
};

DECLARE_PER_CPU(u64[BID_STAT_COUNT], bid_stats);

/* Any context. */
static inline void bid_stats_inc(enum bid_stat stat)
{
	this_cpu_inc(bid_stats[stat]);
}

static inline void bid_stats_add(enum bid_stat stat, u64 n)
{
	this_cpu_add(bid_stats[stat], n);
}

u64 bid_stats_sum(enum bid_stat stat);

#endif /* BID_STATS_H */
