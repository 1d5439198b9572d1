// SPDX-License-Identifier: GPL-2.0
/* The CPUs are not read at one instant: sums may be off by what happens meanwhile. */
#include <linux/cpumask.h>

#include "stats.h"

DEFINE_PER_CPU(u64[BID_STAT_COUNT], bid_stats);

u64 bid_stats_sum(enum bid_stat stat)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(*per_cpu_ptr(&bid_stats[stat], cpu));
	return sum;
}
