/* SPDX-License-Identifier: GPL-2.0 */
/* Numbers: a table from a number that is not 0 to a small one. */
#ifndef TOOL_NUMBERS_H
#define TOOL_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Begins as all zeros. */
struct numbers {
	struct number *slots;
	size_t room; /* a power of two, or 0 */
	size_t count;
};

/* 0 when @key is not in it. */
unsigned int numbers_get(const struct numbers *numbers, uint64_t key);
/* False only without memory. */
bool numbers_set(struct numbers *numbers, uint64_t key, unsigned int value);
void numbers_free(struct numbers *numbers);

#endif
