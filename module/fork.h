/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tracepoints for fork and exec, used by task.c, descendants.c and history.c.
 */
#ifndef BID_FORK_H
#define BID_FORK_H

#include <linux/types.h>

struct linux_binprm;
struct task_struct;

typedef void bid_fork_fn(void *data, struct task_struct *parent, struct task_struct *child);
typedef void bid_exec_fn(void *data, struct task_struct *task, pid_t old_pid,
			 struct linux_binprm *bprm);

int bid_fork_watch(bid_fork_fn *fn);
void bid_fork_unwatch(bid_fork_fn *fn);
int bid_exec_watch(bid_exec_fn *fn);
void bid_exec_unwatch(bid_exec_fn *fn);

#endif /* BID_FORK_H */
