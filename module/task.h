/* SPDX-License-Identifier: GPL-2.0 */
/*
 * FORK, EXEC, COMM and EXIT records.
 */
#ifndef BID_TASK_H
#define BID_TASK_H

int bid_task_watch(void);
void bid_task_unwatch(void);

#endif /* BID_TASK_H */
