// SPDX-License-Identifier: GPL-2.0
/*
 * The ioctls about the module itself: INFO, STATS and FLUSH. The others are next to their subject:
 * resolve.c, process.c (MAPS), history_ioctl.c (HISTORY), subscribe.c, set_cookie.c.
 */
#include <buildid.h>

#include "cache.h"
#include "clock.h"
#include "compat.h"
#include "cookie.h"
#include "event.h"
#include "hook.h"
#include "ioctl.h"
#include "process.h"
#include "resolve.h"
#include "set_cookie.h"
#include "stats.h"
#include "subscribe.h"
#include "version.h"
#include "visit.h"

int bid_ioctl_info(struct bid_session *session, void *arg)
{
	struct buildid_info *info = arg;

	*info = (struct buildid_info){
		.size = info->size,
		.abi = BUILDID_ABI_VERSION,
		.features = BUILDID_FEATURE_RING_MMAP | BUILDID_FEATURE_NETLINK |
			    BUILDID_FEATURE_HTLHASH |
			    (__is_defined(BID_HAS_FSVERITY_DIGEST) && IS_ENABLED(CONFIG_FS_VERITY) ?
				     BUILDID_FEATURE_FSVERITY : 0),
		.records = GENMASK_ULL(BUILDID_RECORD_COMM, BUILDID_RECORD_FILE),
		.ioctls = BIT_ULL(_IOC_NR(BUILDID_IOC_INFO)) |
			  BIT_ULL(_IOC_NR(BUILDID_IOC_STATS)) |
			  BIT_ULL(_IOC_NR(BUILDID_IOC_SUBSCRIBE)) |
			  BIT_ULL(_IOC_NR(BUILDID_IOC_FLUSH)) |
			  BIT_ULL(_IOC_NR(BUILDID_IOC_MAPS)) |
			  BIT_ULL(_IOC_NR(BUILDID_IOC_SET_COOKIE)) |
			  BIT_ULL(_IOC_NR(BUILDID_IOC_HISTORY)) |
			  BIT_ULL(_IOC_NR(BUILDID_IOC_RESOLVE)),
		.status = bid_hook_armed() ? BUILDID_STATUS_ARMED : 0,
		.max_entries = bid_cache_max(),
		.ring_min = BID_RING_MIN,
		.ring_max = BID_RING_MAX,
		.subscribers_max = BID_SUBSCRIBERS_MAX,
		.pids_max = BUILDID_SUB_PIDS_MAX,
		.id_max = BUILDID_ID_MAX,
		.record_max = BUILDID_RECORD_MAX,
		.cookies_max = BUILDID_COOKIES_MAX,
		.cookies_total = BUILDID_COOKIES_TOTAL,
		.version = BID_VERSION,
		.hook = BID_HOOK_SYMBOL,
		.known_flags = {
			[_IOC_NR(BUILDID_IOC_SUBSCRIBE)] = BID_SUBSCRIBE_FLAGS,
			[_IOC_NR(BUILDID_IOC_MAPS)] = BID_MAPS_FLAGS,
			[_IOC_NR(BUILDID_IOC_SET_COOKIE)] = BID_SET_COOKIE_FLAGS,
			[_IOC_NR(BUILDID_IOC_RESOLVE)] = BID_RESOLVE_FLAGS,
		},
	};
	bid_clock_read(&info->real_offset_min, &info->real_offset_max, &info->slept);
	return 0;
}

int bid_ioctl_stats(struct bid_session *session, void *arg)
{
	struct buildid_stats *stats = arg;

	*stats = (struct buildid_stats){
		.size = stats->size,
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
	return 0;
}

int bid_ioctl_flush(struct bid_session *session, void *arg)
{
	struct buildid_flush *req = arg;

	req->flushed = bid_cache_flush();
	return 0;
}
