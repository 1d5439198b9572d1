/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Visits: what a mapping task does for its mappings on its way back to user space.
 */
#ifndef BID_VISIT_H
#define BID_VISIT_H

#include "event.h"

int bid_visit_init(void);
void bid_visit_start(void);
void bid_visit_exit(void);

/* Called by the hook. */
u64 bid_visit_read(const struct vm_area_struct *vma, u64 time_perf);
bool bid_visit_send(const struct vm_area_struct *vma, u64 file_id);

u32 bid_visit_count(u64 *oldest_ns, u64 *oldest_pid);

#endif /* BID_VISIT_H */
