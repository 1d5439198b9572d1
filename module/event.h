/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Subscribers, and which records each of them gets.
 */
#ifndef BID_EVENT_H
#define BID_EVENT_H

#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/workqueue.h>

#include "descendants.h"
#include "record.h"
#include "ring.h"
#include "root.h"

#define BID_SUBSCRIBERS_MAX 64

/**
 * struct bid_subscriber - a ring, and the filters of what goes into it
 * @node: in bid_event_list, under RCU
 * @ring: where the records go
 * @flags: BUILDID_SUB_*
 * @pid_ns: held; pids are translated to this namespace
 * @uid_owner: the user whose share of the subscriptions it counts against
 * @user: held; the user whose RLIMIT_MEMLOCK it counts against, or NULL
 * @locked: pages charged to @user
 * @root: the reader's root directory, if @pid_ns is not the initial one. Only paths of processes
 *	with the same root are sent, as other paths are outside the container
 * @filtered: it has filters, or needs more than the plain record: no fast path
 * @kernel_addrs: may see kernel addresses
 * @uid: with BUILDID_SUB_UID: only processes of this real uid
 * @cgroup: held; with BUILDID_SUB_CGROUP: only processes in or below it
 * @descendants: with BUILDID_SUB_CHILDREN: only these processes, and @pids is unused; else NULL
 * @nr_pids: entries of @pids, 0 for every process
 * @end: frees it, see bid_subscriber_end()
 * @ended: called before that
 * @owner: argument of @ended
 * @pids: held; only these thread groups
 *
 * Only @ring changes while it is in bid_event_list.
 */
struct bid_subscriber {
	struct list_head node;
	struct bid_ring ring;
	u32 flags;
	struct pid_namespace *pid_ns;
	kuid_t uid_owner;
	struct user_struct *user;
	unsigned long locked;
	struct bid_root root;
	bool filtered;
	bool kernel_addrs;
	kuid_t uid;
	struct cgroup *cgroup;
	struct bid_descendants *descendants;
	u32 nr_pids;
	struct rcu_work end;
	void (*ended)(void *owner);
	void *owner;
	struct pid *pids[];
};

extern struct list_head bid_event_list;
extern u32 bid_event_data_subscribers;

int bid_event_add(struct bid_subscriber *subscriber);
void bid_event_remove(struct bid_subscriber *subscriber);
u32 bid_event_subscribers(void);
bool bid_event_current_watches_data(void);

/* Any context. */
static inline bool bid_event_has_subscribers(void)
{
	return !list_empty(&bid_event_list);
}

/**
 * bid_event_watches_data() - does any subscriber want current's data mappings?
 *
 * Called with preemption off. Usually a single load, as no subscriber wants any.
 */
static inline bool bid_event_watches_data(void)
{
	return READ_ONCE(bid_event_data_subscribers) && bid_event_current_watches_data();
}

void bid_event_hit(const struct vm_area_struct *vma, u64 file_id, u64 time_perf,
		   bool (*follow)(const struct vm_area_struct *vma, u64 file_id));
void bid_event_miss(const struct vm_area_struct *vma, u64 file_id, u64 time_perf);
void bid_event_file(const struct bid_file_info *info, bool exec);
void bid_event_image(struct bid_subscriber *only, const struct bid_image_info *info);
void bid_event_cookie(const struct bid_cookie_info *info);
void bid_event_task(const struct bid_task_info *info);

#endif /* BID_EVENT_H */
