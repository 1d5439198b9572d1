/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The probes that tell the module of mappings, and the proof that they fire.
 */
#ifndef BID_HOOK_H
#define BID_HOOK_H

#include <linux/kprobes.h>

struct vm_area_struct;

#define BID_HOOK_SYMBOL "perf_event_mmap"

int bid_hook_init(void (*on_mapping)(struct vm_area_struct *vma));
void bid_hook_exit(void);
bool bid_hook_armed(void);

extern struct kprobe bid_hook_mmap;

static inline u64 bid_hook_missed(void)
{
	return READ_ONCE(bid_hook_mmap.nmissed);
}

#endif /* BID_HOOK_H */
