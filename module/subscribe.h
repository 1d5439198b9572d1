/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The life of a subscription, for the device and for netlink.
 */
#ifndef BID_SUBSCRIBE_H
#define BID_SUBSCRIBE_H

#include <linux/wait.h>

#include "event.h"

struct bid_session;

/* All known flags. */
#define BID_SUBSCRIBE_FLAGS                                                                \
	(BUILDID_SUB_DATA | BUILDID_SUB_PATH | BUILDID_SUB_KERNEL | BUILDID_SUB_CHILDREN | \
	 BUILDID_SUB_UID | BUILDID_SUB_CGROUP | BUILDID_SUB_TASKS)

int bid_subscribe_check(void *arg);
bool bid_subscribe_kernel_addrs(void);

struct bid_subscriber *bid_subscriber_start(const struct buildid_subscribe *req, const u32 *pids,
					    bool kernel_addrs, bool unlimited,
					    wait_queue_head_t *waiters);
void bid_subscriber_end(struct bid_subscriber *subscriber, void (*ended)(void *owner), void *owner);

int bid_subscribe_init(void);
void bid_subscribe_exit(void);

int bid_ioctl_subscribe(struct bid_session *session, void *arg);

#endif /* BID_SUBSCRIBE_H */
