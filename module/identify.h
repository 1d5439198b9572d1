/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From a mapping to its identity: by the cache, else by the file's resident
 * pages, else by whoever may sleep.
 */
#ifndef BID_IDENTIFY_H
#define BID_IDENTIFY_H

struct vm_area_struct;

void bid_identify_mapping(struct vm_area_struct *vma);

int bid_identify_init(void);
void bid_identify_exit(void);

#endif /* BID_IDENTIFY_H */
