/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RESOLVE: the FILE record of a file that the caller names.
 */
#ifndef BID_RESOLVE_H
#define BID_RESOLVE_H

struct bid_session;

/* All known flags. */
#define BID_RESOLVE_FLAGS (BUILDID_KEY_ANY_GENERATION | BUILDID_KEY_ANY_TREE)

int bid_ioctl_resolve(struct bid_session *session, void *arg);

#endif /* BID_RESOLVE_H */
