// SPDX-License-Identifier: GPL-2.0
/*
 * From a mapping to a record. Either the cache has the present version of the inode and the entry
 * can be relied on; or the mapping gets a new file_id, and current reads the file on its way back
 * to user space (visit.c); or, if that is impossible, the mapping is UNRESOLVED. In any case it is
 * reported at once.
 *
 * All of this runs in the hook on perf_event_mmap(), in the mapping task, with the mmap lock held
 * and preemption off. Nothing here sleeps, allocates, reads a page, looks up a path, or takes any
 * lock but a ring's. It is an RCU read-side section, so entries stay valid to the end.
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/sched/clock.h>

#include "cache.h"
#include "event.h"
#include "history.h"
#include "hook.h"
#include "stats.h"
#include "visit.h"

static noinline void report_unknown(struct vm_area_struct *vma, struct bid_entry *entry,
				    u64 time_perf)
{
	u64 file_id;

	if (entry)
		bid_stats_inc(BID_STAT_RECHECKS);
	bid_stats_inc(entry ? BID_STAT_HITS : BID_STAT_MISSES);
	file_id = bid_visit_read(vma, time_perf);
	if (bid_event_has_subscribers())
		bid_event_miss(vma, file_id, time_perf);
}

/* Stores to the mapping may leave the time stamps alone while the page stays dirty. */
static noinline void mark_write_mapped(struct inode *inode)
{
	struct bid_key key;

	if (!S_ISREG(inode->i_mode))
		return;
	bid_file_key(inode, &key);
	bid_cache_mark_recheck(&key);
}

/**
 * bid_hook_mapping() - identify and report a mapping of a file
 * @vma: the mapping, in current's mm
 *
 * See hook.h for the context.
 */
void bid_hook_mapping(struct vm_area_struct *vma)
{
	const unsigned long stores = VM_SHARED | VM_MAYWRITE;
	struct inode *inode = file_inode(vma->vm_file);
	struct bid_entry *entry;
	u64 time_perf;

	if (unlikely((vma->vm_flags & stores) == stores))
		mark_write_mapped(inode);
	if (!(vma->vm_flags & VM_EXEC) && !bid_event_watches_data())
		return;

	time_perf = local_clock();
	entry = bid_cache_find_inode(inode);
	if (unlikely(!entry ||
		     !(bid_entry_stands(entry, inode) || bid_entry_settle(entry, inode)))) {
		report_unknown(vma, entry, time_perf);
		return;
	}
	bid_stats_inc(BID_STAT_HITS);
	bid_entry_touch(entry);
	bid_history_add(vma, entry->file_id, time_perf);
	if (bid_event_has_subscribers())
		bid_event_hit(vma, entry->file_id, time_perf, bid_visit_send);
}
