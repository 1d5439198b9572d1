/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Processes and all their descendants, for BUILDID_SUB_CHILDREN: sets of processes that
 * grow as their members fork.
 */
#ifndef BID_DESCENDANTS_H
#define BID_DESCENDANTS_H

#include <linux/bitops.h>
#include <linux/list.h>
#include <linux/math.h>
#include <linux/pid.h>
#include <linux/threads.h>

#include <asm/page.h>

/**
 * struct bid_descendants - a set of processes
 * @node: in the list of sets that follow forks, under RCU
 * @members: a bit for each thread group id of the initial pid namespace
 */
struct bid_descendants {
	struct list_head node;
	unsigned long members[BITS_TO_LONGS(PID_MAX_LIMIT)];
};

#define BID_DESCENDANTS_PAGES DIV_ROUND_UP(sizeof(struct bid_descendants), PAGE_SIZE)

struct bid_descendants *bid_descendants_start(struct pid **pids, u32 n);
void bid_descendants_end(struct bid_descendants *descendants);

/* Any context. */
static inline bool bid_descendants_has(const struct bid_descendants *descendants, pid_t tgid)
{
	return test_bit(tgid, descendants->members);
}

#endif /* BID_DESCENDANTS_H */
