/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The FILE record of a file that somebody asks for: RESOLVE.
 */
#ifndef BID_RESOLVE_H
#define BID_RESOLVE_H

struct bid_session;

/* All flags that are known. */
#define BID_RESOLVE_FLAGS (BUILDID_KEY_ANY_GENERATION | BUILDID_KEY_ANY_TREE)

int bid_ioctl_resolve(struct bid_session *session, void *arg);

#endif /* BID_RESOLVE_H */
