/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What processes had mapped: HISTORY.
 */
#ifndef BID_HISTORY_IOCTL_H
#define BID_HISTORY_IOCTL_H

struct bid_session;

int bid_ioctl_history(struct bid_session *session, void *arg);

#endif /* BID_HISTORY_IOCTL_H */
