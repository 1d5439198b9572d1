/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a process has mapped now.
 */
#ifndef BID_PROCESS_H
#define BID_PROCESS_H

#include <linux/types.h>

struct buildid_file;
struct buildid_maps;
struct pid;

int bid_process_resolve(struct pid *pid, u64 addr, u64 *offset,
			struct buildid_file *record);
int bid_process_maps(struct pid *pid, u32 nr, struct buildid_maps *req);

#endif /* BID_PROCESS_H */
