/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One open file of /dev/buildid. A mapped ring keeps the file open, and so the session.
 */
#ifndef BID_SESSION_H
#define BID_SESSION_H

#include <linux/mutex.h>
#include <linux/wait.h>

struct bid_subscriber;

/**
 * struct bid_session - one open file of /dev/buildid
 * @lock: serializes SUBSCRIBE, read and mmap; held while user memory is faulted in
 * @wait: where read and poll wait
 * @subscriber: set once, by SUBSCRIBE; freed when the file is released
 * @mapped: the ring is mapped, so user space owns the consumer position; under @lock
 */
struct bid_session {
	struct mutex lock; /* SUBSCRIBE, read, mmap */
	wait_queue_head_t wait;
	struct bid_subscriber *subscriber;
	bool mapped;
};

/* NULL before SUBSCRIBE. Lockless. */
static inline struct bid_subscriber *bid_session_subscriber(const struct bid_session *session)
{
	return smp_load_acquire(&session->subscriber); /* pairs with the release in subscribe() */
}

#endif /* BID_SESSION_H */
