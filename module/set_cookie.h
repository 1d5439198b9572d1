/* SPDX-License-Identifier: GPL-2.0 */
/*
 * SET_COOKIE: a name from the loader for a mapping or a file.
 */
#ifndef BID_SET_COOKIE_H
#define BID_SET_COOKIE_H

struct bid_session;

/* All known flags. */
#define BID_SET_COOKIE_FLAGS BUILDID_COOKIE_FD

int bid_ioctl_check_cookie(void *arg);
int bid_ioctl_set_cookie(struct bid_session *session, void *arg);

#endif /* BID_SET_COOKIE_H */
