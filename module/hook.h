/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The probes, and the proof that they fire.
 */
#ifndef BID_HOOK_H
#define BID_HOOK_H

#include <linux/types.h>

#define BID_HOOK_SYMBOL "perf_event_mmap"

int bid_hook_init(void);
void bid_hook_exit(void);
u64 bid_hook_missed(void);

#endif /* BID_HOOK_H */
