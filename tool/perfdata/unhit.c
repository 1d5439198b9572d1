// SPDX-License-Identifier: GPL-2.0
/*
 * Unhit: a filter for addresses of mappings that were not hit yet, in any process and at any time,
 * and a cache of the last lookups, each with its scope.
 *
 * The filter is a set of bits, one for each block of addresses, by a hash; two blocks that share a
 * bit only cost a lookup. It is rebuilt when half of its entries were hit.
 */

#include <stdlib.h>
#include <string.h>

#include "unhit.h"

#define BLOCK_SHIFT  16
#define BLOCKS_MAX   (1U << 22)
#define BITS_MIN     10
#define BITS_MAX     26
#define BITS_A_BLOCK 16
/* A larger range, as the kernel's, would fill the filter. */
#define RANGE_BLOCKS 4096

#define ANSWERS 4096

/* Nothing left to hit in this scope. */
struct answer {
	uint32_t pid;
	struct address_spaces_scope scope;
};

struct unhit {
	const struct address_spaces *spaces;
	bool *is_left; /* by index of what is mapped */
	size_t left;
	size_t filtered;     /* left, when the filter was made */
	uint64_t *filter;    /* bits */
	unsigned int bits;   /* the logarithm of their number */
	unsigned int shift;  /* of a block */
	uint64_t wide_first; /* addresses of the ranges that are too large */
	uint64_t wide_size;  /* bytes from there, less one */
	bool wide;	     /* there are such */
	uint64_t blocks;     /* counted */
	struct answer answers[ANSWERS];
};

static uint64_t hash(uint64_t number)
{
	return number * 0x9e3779b97f4a7c15ULL;
}

/* ------------------------------------------------------------------- filter -- */

static bool is_wide(const struct unhit *unhit, uint64_t start, uint64_t last)
{
	return (last - start) >> unhit->shift >= RANGE_BLOCKS;
}

static void add_wide(struct unhit *unhit, uint64_t start, uint64_t last)
{
	uint64_t end = unhit->wide ? unhit->wide_first + unhit->wide_size : last;

	if (!unhit->wide || start < unhit->wide_first)
		unhit->wide_first = start;
	unhit->wide_size = (last > end ? last : end) - unhit->wide_first;
	unhit->wide = true;
}

static void count_blocks(void *context, size_t what, uint64_t start, uint64_t last)
{
	struct unhit *unhit = context;

	if (unhit->is_left[what] && !is_wide(unhit, start, last))
		unhit->blocks += (last >> unhit->shift) - (start >> unhit->shift) + 1;
}

static void add_range(void *context, size_t what, uint64_t start, uint64_t last)
{
	struct unhit *unhit = context;
	uint64_t block;

	if (!unhit->is_left[what])
		return;
	if (is_wide(unhit, start, last)) {
		add_wide(unhit, start, last);
		return;
	}
	for (block = start >> unhit->shift; block <= last >> unhit->shift; block++) {
		uint64_t bit = hash(block) >> (64 - unhit->bits);

		unhit->filter[bit / 64] |= 1ULL << bit % 64;
	}
}

static void count_all(struct unhit *unhit)
{
	unhit->shift = BLOCK_SHIFT - 1;
	do {
		unhit->shift++;
		unhit->blocks = 0;
		address_spaces_each(unhit->spaces, count_blocks, unhit);
	} while (unhit->blocks > BLOCKS_MAX && unhit->shift < 63);
}

/* False without memory; then the old filter stays, which is only less selective. */
static bool make_filter(struct unhit *unhit)
{
	unsigned int bits = BITS_MIN, shift = unhit->shift;
	uint64_t *filter;

	unhit->filtered = unhit->left;
	count_all(unhit);
	while (bits < BITS_MAX && 1ULL << bits < unhit->blocks * BITS_A_BLOCK)
		bits++;
	filter = calloc(1ULL << bits >> 6, sizeof(*filter));
	if (!filter) {
		unhit->shift = shift;
		return false;
	}
	free(unhit->filter);
	unhit->filter = filter;
	unhit->bits = bits;
	unhit->wide = false;
	address_spaces_each(unhit->spaces, add_range, unhit);
	return true;
}

static bool may_be_at(const struct unhit *unhit, uint64_t address)
{
	uint64_t bit = hash(address >> unhit->shift) >> (64 - unhit->bits);

	if (unhit->filter[bit / 64] >> bit % 64 & 1)
		return true;
	return unhit->wide && address - unhit->wide_first <= unhit->wide_size;
}

size_t unhit_pass(const struct unhit *unhit, const uint64_t *addresses, size_t count,
		  uint64_t limit)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (addresses[i] >= limit || may_be_at(unhit, addresses[i]))
			break;
	return i;
}

/* --------------------------------------------------------------------- all -- */

static void count_left(void *context, size_t what, uint64_t start, uint64_t last)
{
	struct unhit *unhit = context;

	(void)start;
	(void)last;
	unhit->left += !unhit->is_left[what];
	unhit->is_left[what] = true;
}

struct unhit *unhit_new(const struct address_spaces *spaces, size_t count)
{
	struct unhit *unhit = calloc(1, sizeof(*unhit));
	size_t i;

	if (!unhit)
		return NULL;
	unhit->spaces = spaces;
	unhit->is_left = calloc(count + 1, sizeof(*unhit->is_left));
	if (unhit->is_left)
		address_spaces_each(spaces, count_left, unhit);
	if (!unhit->is_left || !make_filter(unhit)) {
		unhit_free(unhit);
		return NULL;
	}
	/* From 1 to 0 is an empty range. */
	for (i = 0; i < ANSWERS; i++)
		unhit->answers[i].scope.start = 1;
	return unhit;
}

void unhit_free(struct unhit *unhit)
{
	if (!unhit)
		return;
	free(unhit->is_left);
	free(unhit->filter);
	free(unhit);
}

bool unhit_any(const struct unhit *unhit)
{
	return unhit->left;
}

static bool is_in(const struct answer *answer, uint32_t pid, uint64_t time, uint64_t address)
{
	const struct address_spaces_scope *scope = &answer->scope;

	return answer->pid == pid && scope->start <= address && address <= scope->last &&
	       scope->from <= time && time <= scope->until;
}

size_t unhit_hit(struct unhit *unhit, uint32_t pid, uint64_t time, uint64_t address)
{
	uint64_t number = hash((uint64_t)pid << 32 ^ address >> BLOCK_SHIFT) >> 32;
	struct answer *answer = &unhit->answers[number % ANSWERS];
	size_t what;

	if (!may_be_at(unhit, address) || is_in(answer, pid, time, address))
		return ADDRESS_SPACES_NOTHING;
	what = address_spaces_find(unhit->spaces, pid, time, address, &answer->scope);
	answer->pid = pid;
	if (what == ADDRESS_SPACES_NOTHING || !unhit->is_left[what])
		return ADDRESS_SPACES_NOTHING;
	unhit->is_left[what] = false;
	unhit->left--;
	if (unhit->left && unhit->left <= unhit->filtered / 2)
		make_filter(unhit);
	return what;
}
