/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What processes had mapped: HISTORY.
 */
#ifndef BID_PAST_H
#define BID_PAST_H

struct bid_session;

int bid_ioctl_history(struct bid_session *session, void *arg);

#endif /* BID_PAST_H */
