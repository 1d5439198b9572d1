/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a living process has mapped now: RESOLVE by ADDR and MAPS.
 */
#ifndef BID_PROCESS_H
#define BID_PROCESS_H

#include <linux/types.h>

/* All known flags. */
#define BID_MAPS_FLAGS BUILDID_MAPS_DATA

struct bid_session;
struct buildid_file;
struct buildid_resolve;

void bid_process_init(void);

int bid_ioctl_maps(struct bid_session *session, void *arg);
int bid_process_resolve(struct buildid_resolve *req, struct buildid_file *record);

#endif /* BID_PROCESS_H */
