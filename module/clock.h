/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How the clocks have been set since the module was loaded.
 */
#ifndef BID_CLOCK_H
#define BID_CLOCK_H

#include <linux/types.h>

int bid_clock_init(void);
void bid_clock_exit(void);
void bid_clock_read(s64 *real_min, s64 *real_max, u64 *slept);

#endif /* BID_CLOCK_H */
