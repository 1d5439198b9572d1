/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Code range: the addresses around one for which the same answer holds. Each step of a lookup
 * narrows the range to what its result covers, so that one lookup serves all of them.
 */
#ifndef TOOL_CODE_RANGE_H
#define TOOL_CODE_RANGE_H

#include <stdint.h>

struct code_range {
	uint64_t first, last; /* inclusive */
};

static inline void code_range_from(struct code_range *range, uint64_t first)
{
	if (range->first < first)
		range->first = first;
}

/* @end is after the range, and not 0. */
static inline void code_range_until(struct code_range *range, uint64_t end)
{
	if (range->last >= end)
		range->last = end - 1;
}

#endif
