/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tracepoint of forks, for those who follow them: task.c and descendants.c.
 */
#ifndef BID_FORK_H
#define BID_FORK_H

struct task_struct;

typedef void bid_fork_fn(void *data, struct task_struct *parent, struct task_struct *child);

int bid_fork_watch(bid_fork_fn *fn);
void bid_fork_unwatch(bid_fork_fn *fn);

#endif /* BID_FORK_H */
