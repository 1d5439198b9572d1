/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the hook does with a mapping: look its file up, and report it.
 */
#ifndef BID_IDENTIFY_H
#define BID_IDENTIFY_H

struct vm_area_struct;

void bid_identify_mapping(struct vm_area_struct *vma);

#endif /* BID_IDENTIFY_H */
