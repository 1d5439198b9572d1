/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a living process has mapped now: RESOLVE_ADDR and MAPS.
 */
#ifndef BID_PROCESS_H
#define BID_PROCESS_H

#include <linux/types.h>

struct buildid_file;
struct buildid_resolve_addr;

void bid_process_init(void);

int bid_process_resolve(struct buildid_resolve_addr *req, struct buildid_file *record);

#endif /* BID_PROCESS_H */
