/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Unhit: where something is mapped that no sample has hit yet. Addresses of samples and call chains
 * are the bulk of a perf.data, and nearly all of them are in DSOs that were hit before, which a few
 * instructions can tell.
 */
#ifndef TOOL_PERFDATA_UNHIT_H
#define TOOL_PERFDATA_UNHIT_H

#include "address_spaces.h"

struct unhit;

/* For @count things mapped in @spaces, which has to outlive it; NULL without memory. */
struct unhit *unhit_new(const struct address_spaces *spaces, size_t count);
void unhit_free(struct unhit *unhit);

/* False if there is nothing left to hit. */
bool unhit_any(const struct unhit *unhit);
/*
 * How many of @count @addresses can be skipped: up to the first that is not below @limit, or may be
 * in something that was not hit.
 */
size_t unhit_pass(const struct unhit *unhit, const uint64_t *addresses, size_t count,
		  uint64_t limit);
/* What @pid has at @address at @time, if it was not hit before; else ADDRESS_SPACES_NOTHING. */
size_t unhit_hit(struct unhit *unhit, uint32_t pid, uint64_t time, uint64_t address);

#endif
