/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ioctls about the module itself. Like all ioctls, they run in process context with no lock
 * held; the table in chardev.c says what was checked before.
 */
#ifndef BID_IOCTL_H
#define BID_IOCTL_H

struct bid_session;

int bid_ioctl_info(struct bid_session *session, void *arg);
int bid_ioctl_stats(struct bid_session *session, void *arg);
int bid_ioctl_flush(struct bid_session *session, void *arg);

#endif /* BID_IOCTL_H */
