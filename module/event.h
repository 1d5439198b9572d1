/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which subscribers a record goes to.
 */
#ifndef BID_EVENT_H
#define BID_EVENT_H

#include <linux/path.h>
#include <linux/pid.h>
#include <linux/rculist.h>

#include "descendants.h"
#include "record.h"
#include "ring.h"

/* One bit each in bid_request.waiting. */
#define BID_SUBSCRIBERS_MAX 64

/**
 * struct bid_subscriber - a ring and what it is for
 * @node: among the subscribers, under RCU
 * @ring: where the records go
 * @slot: its bit in bid_request.waiting
 * @flags: BUILDID_SUB_*
 * @pid_ns: pids are given as this namespace shows them
 * @user: whose RLIMIT_MEMLOCK the ring counts against; held, or NULL
 * @locked: pages that count
 * @root: held where @pid_ns is not the initial one: paths are sent of processes
 *	with that root directory, as what others see is not the reader's to know
 * @filtered: not every executable mapping, or not the plain record, is for it
 * @kernel_addrs: may know addresses in the kernel
 * @uid: only this real uid, with BUILDID_SUB_UID
 * @cgroup: only in or below it, with BUILDID_SUB_CGROUP; held
 * @descendants: only these processes, with BUILDID_SUB_CHILDREN, instead of @pids;
 *	else NULL
 * @nr_pids: entries in @pids, 0 for every process
 * @pids: only these thread groups
 */
struct bid_subscriber {
	struct list_head node;
	struct bid_ring ring;
	u32 slot;
	u32 flags;
	struct pid_namespace *pid_ns;
	struct user_struct *user;
	unsigned long locked;
	struct path root;
	bool filtered;
	bool kernel_addrs;
	kuid_t uid;
	struct cgroup *cgroup;
	struct bid_descendants *descendants;
	u32 nr_pids;
	struct pid *pids[];
};

extern struct list_head bid_event_list;
extern u32 bid_event_data_subscribers;

int bid_event_add(struct bid_subscriber *subscriber);
void bid_event_remove(struct bid_subscriber *subscriber);
u32 bid_event_subscribers(void);
bool bid_event_current_watches_data(void);

/* Is there anybody to tell? */
static inline bool bid_event_has_subscribers(void)
{
	return !list_empty(&bid_event_list);
}

/**
 * bid_event_watches_data() - is a mapping that is not executable for anybody?
 *
 * Of current's; called with preemption off. For most of them one load answers.
 */
static inline bool bid_event_watches_data(void)
{
	return READ_ONCE(bid_event_data_subscribers) && bid_event_current_watches_data();
}

void bid_event_mmap(struct bid_mapping *mapping);
void bid_event_hit(const struct vm_area_struct *vma, struct bid_entry *entry, char *buf);
void bid_event_image(struct bid_subscriber *only, const struct bid_image_info *info);
void bid_event_file(struct bid_entry *entry, u64 waiting);
void bid_event_cookie(const struct bid_cookie_info *info);
void bid_event_task(const struct bid_task_info *info);

#endif /* BID_EVENT_H */
