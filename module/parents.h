/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The last forks of the machine, so that an address of a process that has exited without
 * having called exec can be looked up in its parent; and which processes may have called it.
 */
#ifndef BID_PARENTS_H
#define BID_PARENTS_H

#include <linux/types.h>

/**
 * struct bid_parent - a fork
 * @start_time: of the child, as in struct bid_history_entry
 * @parent_start_time: of the process that forked
 * @stamp: when, as bid_history_stamp()
 * @tgid: the child, in the initial pid namespace; 0 in a slot that was never written
 * @parent_tgid: the process that forked
 * @execs: bid_history_execs() of both
 */
struct bid_parent {
	u64 start_time;
	u64 parent_start_time;
	u64 stamp;
	pid_t tgid;
	pid_t parent_tgid;
	u32 execs;
};

int bid_parents_init(void);
void bid_parents_exit(void);

bool bid_parents_find(pid_t tgid, u64 start_time, struct bid_parent *parent);
bool bid_parents_exec_since(pid_t tgid, u64 since);

#endif /* BID_PARENTS_H */
