// SPDX-License-Identifier: GPL-2.0
/*
 * What STATS says: the counters of all CPUs, and the gauges of other files. The counters
 * are not summed at one moment, so that they may be off by what happens meanwhile.
 */
#include <linux/cpumask.h>

#include "cache.h"
#include "cookie.h"
#include "event.h"
#include "hook.h"
#include "stats.h"
#include "visit.h"

DEFINE_PER_CPU(u64[BID_STAT_COUNT], bid_stats);

u64 bid_stats_sum(enum bid_stat stat)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(*per_cpu_ptr(&bid_stats[stat], cpu));
	return sum;
}

void bid_stats_fill(struct buildid_stats *stats)
{
	*stats = (struct buildid_stats){
		.mappings = bid_stats_sum(BID_STAT_HITS) + bid_stats_sum(BID_STAT_MISSES),
		.hits = bid_stats_sum(BID_STAT_HITS),
		.misses = bid_stats_sum(BID_STAT_MISSES),
		.rechecks = bid_stats_sum(BID_STAT_RECHECKS),
		.read_mapper = bid_stats_sum(BID_STAT_READ_MAPPER),
		.read_caller = bid_stats_sum(BID_STAT_READ_CALLER),
		.no_id = bid_stats_sum(BID_STAT_NO_ID),
		.io_errors = bid_stats_sum(BID_STAT_IO_ERRORS),
		.interrupted = bid_stats_sum(BID_STAT_INTERRUPTED),
		.changing = bid_stats_sum(BID_STAT_CHANGING),
		.evicted = bid_stats_sum(BID_STAT_EVICTED),
		.stale = bid_stats_sum(BID_STAT_STALE),
		.not_stored = bid_stats_sum(BID_STAT_NOT_STORED),
		.entries = bid_cache_entries(),
		.entries_max = bid_cache_max(),
		.unresolved = bid_stats_sum(BID_STAT_UNRESOLVED),
		.missed_probe = bid_hook_missed(),
		.records = bid_stats_sum(BID_STAT_RECORDS),
		.ring_full = bid_stats_sum(BID_STAT_RING_FULL),
		.ring_full_mmaps = bid_stats_sum(BID_STAT_RING_FULL_MMAPS),
		.subscribers = bid_event_subscribers(),
		.netlink_records = bid_stats_sum(BID_STAT_NETLINK_RECORDS),
		.memory = bid_cache_memory(),
		.cookies = bid_cookie_count(),
	};
	stats->visits = bid_visit_count(&stats->oldest_visit_ns, &stats->oldest_visit_pid);
}
