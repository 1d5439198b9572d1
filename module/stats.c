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
#include "worker.h"

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
		.parsed_resident = bid_stats_sum(BID_STAT_PARSED_RESIDENT),
		.parsed_worker = bid_stats_sum(BID_STAT_PARSED_WORKER),
		.parsed_caller = bid_stats_sum(BID_STAT_PARSED_CALLER),
		.deferred = bid_stats_sum(BID_STAT_DEFERRED),
		.no_id = bid_stats_sum(BID_STAT_NO_ID),
		.io_errors = bid_stats_sum(BID_STAT_IO_ERRORS),
		.changing = bid_stats_sum(BID_STAT_CHANGING),
		.evicted = bid_stats_sum(BID_STAT_EVICTED),
		.stale = bid_stats_sum(BID_STAT_STALE),
		.entries = bid_cache_entries(),
		.entries_max = bid_cache_max(),
		.requests = bid_worker_busy(),
		.no_request = bid_stats_sum(BID_STAT_NO_REQUEST),
		.device_busy = bid_stats_sum(BID_STAT_DEVICE_BUSY),
		.missed_probe = bid_hook_missed(),
		.records = bid_stats_sum(BID_STAT_RECORDS),
		.ring_full = bid_stats_sum(BID_STAT_RING_FULL),
		.ring_full_mmaps = bid_stats_sum(BID_STAT_RING_FULL_MMAPS),
		.subscribers = bid_event_subscribers(),
		.netlink_records = bid_stats_sum(BID_STAT_NETLINK_RECORDS),
		.memory = bid_cache_memory(),
		.cookies = bid_cookie_count(),
	};
}
