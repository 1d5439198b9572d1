/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The last executable mappings of the machine, for questions about processes
 * that have exited.
 */
#ifndef BID_HISTORY_H
#define BID_HISTORY_H

#include <linux/types.h>

struct vm_area_struct;

int bid_history_init(void);
void bid_history_exit(void);

void bid_history_add(const struct vm_area_struct *vma, u64 file_id);
u64 bid_history_find(pid_t tgid, u64 addr, u64 *offset);

#endif /* BID_HISTORY_H */
