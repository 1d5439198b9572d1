/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ioctls of /dev/buildid. Each is given the caller's struct and answers in
 * it; what they do is said in the uapi header.
 */
#ifndef BID_IOCTL_H
#define BID_IOCTL_H

#include <linux/mutex.h>
#include <linux/wait.h>

#include <buildid.h>

struct bid_subscriber;

/* As INFO has them. */
#define BID_RESOLVE_KEY_FLAGS BUILDID_KEY_ANY_GENERATION
#define BID_MAPS_FLAGS	      BUILDID_MAPS_DATA
#define BID_SET_COOKIE_FLAGS  BUILDID_COOKIE_FD

/**
 * struct bid_session - one open file
 * @lock: makes subscriptions and readers take turns
 * @wait: readers and pollers
 * @subscriber: set once, by SUBSCRIBE
 * @mapped: user space owns the consumer position
 */
struct bid_session {
	struct mutex lock; /* of SUBSCRIBE, read and mmap */
	wait_queue_head_t wait;
	struct bid_subscriber *subscriber;
	bool mapped;
};

/* NULL before SUBSCRIBE. */
static inline struct bid_subscriber *bid_session_subscriber(const struct bid_session *session)
{
	return smp_load_acquire(&session->subscriber); /* pairs with subscribe() */
}

int bid_ioctl_copy_in_from(size_t published, void *to, size_t known, void __user *arg);
int bid_ioctl_copy_out(void __user *arg, const void *from, size_t known);

/* Of a struct that has not grown since it was published. */
static inline int bid_ioctl_copy_in(void *to, size_t known, void __user *arg)
{
	return bid_ioctl_copy_in_from(known, to, known, arg);
}

typedef int bid_ioctl_fn(struct bid_session *session, void __user *arg);

bid_ioctl_fn bid_ioctl_info, bid_ioctl_stats, bid_ioctl_flush; /* ioctl.c */
bid_ioctl_fn bid_ioctl_resolve_fd, bid_ioctl_resolve_key;      /* resolve.c */
bid_ioctl_fn bid_ioctl_resolve_id, bid_ioctl_resolve_addr;     /* resolve.c */
bid_ioctl_fn bid_ioctl_maps;				       /* process.c */
bid_ioctl_fn bid_ioctl_set_cookie;			       /* set_cookie.c */
bid_ioctl_fn bid_ioctl_subscribe;			       /* subscribe.c */

void bid_unsubscribe(struct bid_session *session);

#endif /* BID_IOCTL_H */
