/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The probes through which the module learns of mappings, and the test that they fire.
 */
#ifndef BID_HOOK_H
#define BID_HOOK_H

#include <linux/kprobes.h>

#define BID_HOOK_SYMBOL "perf_event_mmap"

struct vm_area_struct;

/*
 * Handles a mapping of a file. Defined in identify.c, which has no other user and so no header.
 * Called in the mapping task, with the mmap lock held and preemption off.
 */
void bid_hook_mapping(struct vm_area_struct *vma);

int bid_hook_init(void);
void bid_hook_exit(void);
bool bid_hook_armed(void);

extern struct kprobe bid_hook_mmap;

static inline u64 bid_hook_missed(void)
{
	return READ_ONCE(bid_hook_mmap.nmissed);
}

#endif /* BID_HOOK_H */
