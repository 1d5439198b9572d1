/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a loader calls a mapping or a file: SET_COOKIE.
 */
#ifndef BID_SET_COOKIE_H
#define BID_SET_COOKIE_H

struct bid_session;

/* All flags that are known. */
#define BID_SET_COOKIE_FLAGS BUILDID_COOKIE_FD

int bid_ioctl_check_cookie(void *arg);
int bid_ioctl_set_cookie(struct bid_session *session, void *arg);

#endif /* BID_SET_COOKIE_H */
