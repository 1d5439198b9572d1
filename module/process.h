/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a process has mapped now.
 */
#ifndef BID_PROCESS_H
#define BID_PROCESS_H

#include <linux/types.h>

struct buildid_file;
struct buildid_maps;
struct buildid_resolve_addr;
struct pid;

void bid_process_init(void);

int bid_process_resolve(struct pid *pid, struct buildid_resolve_addr *req,
			struct buildid_file *record);
int bid_process_maps(struct pid *pid, u32 nr, struct buildid_maps *req);

#endif /* BID_PROCESS_H */
