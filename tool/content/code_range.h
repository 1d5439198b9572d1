/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Code range: the addresses around one that share what is known of it. Whoever knows something
 * narrows the range to what it holds for, so that it is found out once for all of them.
 */
#ifndef TOOL_CODE_RANGE_H
#define TOOL_CODE_RANGE_H

#include <stdint.h>

struct code_range {
	uint64_t first, last; /* the last belongs to it */
};

static inline void code_range_from(struct code_range *range, uint64_t first)
{
	if (range->first < first)
		range->first = first;
}

/* @end is behind it, and no beginning of all addresses. */
static inline void code_range_until(struct code_range *range, uint64_t end)
{
	if (range->last >= end)
		range->last = end - 1;
}

#endif
