/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ioctls of /dev/buildid: process context, with no lock held. Each is given the
 * address of the caller's struct and answers in it; the uapi header says what it does.
 */
#ifndef BID_IOCTL_H
#define BID_IOCTL_H

#include <linux/mutex.h>
#include <linux/wait.h>

#include <buildid.h>

struct bid_subscriber;

/* All flags that are known; INFO reports them. */
#define BID_RESOLVE_KEY_FLAGS BUILDID_KEY_ANY_GENERATION
#define BID_MAPS_FLAGS	      BUILDID_MAPS_DATA
#define BID_SET_COOKIE_FLAGS  BUILDID_COOKIE_FD

/**
 * struct bid_session - one open file of /dev/buildid
 * @lock: serializes SUBSCRIBE, read and mmap; held while user memory is faulted in
 * @wait: where read and poll wait
 * @subscriber: set once, by SUBSCRIBE; freed when the file is released
 * @mapped: the ring is mapped, so that user space owns the consumer position; under
 *	@lock
 */
struct bid_session {
	struct mutex lock; /* SUBSCRIBE, read, mmap */
	wait_queue_head_t wait;
	struct bid_subscriber *subscriber;
	bool mapped;
};

/* NULL before SUBSCRIBE. Needs no lock. */
static inline struct bid_subscriber *bid_session_subscriber(const struct bid_session *session)
{
	return smp_load_acquire(&session->subscriber); /* pairs with the release in subscribe() */
}

int bid_ioctl_copy_in_from(size_t published, void *to, size_t known, void __user *arg);
int bid_ioctl_copy_out(void __user *arg, const void *from, size_t known);

/* For a struct that has not grown since it was published. */
static inline int bid_ioctl_copy_in(void *to, size_t known, void __user *arg)
{
	return bid_ioctl_copy_in_from(known, to, known, arg);
}

/* ioctl.c */
int bid_ioctl_info(struct bid_session *session, void __user *arg);
int bid_ioctl_stats(struct bid_session *session, void __user *arg);
int bid_ioctl_flush(struct bid_session *session, void __user *arg);

/* resolve.c */
int bid_ioctl_resolve_fd(struct bid_session *session, void __user *arg);
int bid_ioctl_resolve_key(struct bid_session *session, void __user *arg);
int bid_ioctl_resolve_id(struct bid_session *session, void __user *arg);
int bid_ioctl_resolve_addr(struct bid_session *session, void __user *arg);

/* process.c */
int bid_ioctl_maps(struct bid_session *session, void __user *arg);

/* past.c */
int bid_ioctl_history(struct bid_session *session, void __user *arg);

/* set_cookie.c */
int bid_ioctl_set_cookie(struct bid_session *session, void __user *arg);

/* subscribe.c */
int bid_ioctl_subscribe(struct bid_session *session, void __user *arg);

#endif /* BID_IOCTL_H */
