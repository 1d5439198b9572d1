/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sets of processes that grow as their members fork.
 */
#ifndef BID_LINEAGE_H
#define BID_LINEAGE_H

#include <linux/bitops.h>
#include <linux/list.h>
#include <linux/pid.h>
#include <linux/threads.h>

/**
 * struct bid_lineage - a set of processes
 * @node: among the sets that follow forks, under RCU
 * @members: a bit for each thread group id, as the initial namespace counts
 */
struct bid_lineage {
	struct list_head node;
	unsigned long members[BITS_TO_LONGS(PID_MAX_LIMIT)];
};

struct bid_lineage *bid_lineage_start(struct pid **pids, u32 n);
void bid_lineage_end(struct bid_lineage *lineage);

static inline bool bid_lineage_has(const struct bid_lineage *lineage, pid_t tgid)
{
	return test_bit(tgid, lineage->members);
}

#endif /* BID_LINEAGE_H */
