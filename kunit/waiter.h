/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Somebody who waits for records, as a task does: woken once, until it waits again.
 */
#ifndef BID_KUNIT_WAITER_H
#define BID_KUNIT_WAITER_H

#include <linux/wait.h>

#include "ring.h"

struct waiter {
	wait_queue_head_t queue;
	wait_queue_entry_t entry;
	atomic_t woken;
};

static inline int on_wake(wait_queue_entry_t *entry, unsigned int mode, int flags, void *key)
{
	list_del_init_careful(&entry->entry);
	atomic_inc(&container_of(entry, struct waiter, entry)->woken);
	return 0;
}

static inline void waiter_init(struct waiter *waiter)
{
	init_waitqueue_head(&waiter->queue);
	init_waitqueue_func_entry(&waiter->entry, on_wake);
	INIT_LIST_HEAD(&waiter->entry.entry);
}

/* False when there is no need to. */
static inline bool begin_to_wait(struct bid_ring *ring)
{
	struct waiter *waiter = container_of(ring->waiters, struct waiter, queue);

	if (list_empty_careful(&waiter->entry.entry))
		add_wait_queue(&waiter->queue, &waiter->entry);
	smp_mb(); /* pairs with the one in bid_ring_wake() */
	return !bid_ring_ready(ring, ring->watermark);
}

#endif /* BID_KUNIT_WAITER_H */
