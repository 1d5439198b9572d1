// SPDX-License-Identifier: GPL-2.0
/* Numbers: open addressing, at most half full, nothing is taken out. */

#include <stdlib.h>

#include "numbers.h"

#define FIRST_ROOM 1024

struct number {
	uint64_t key; /* 0 where there is none */
	unsigned int value;
};

static struct number *slot_of(const struct numbers *numbers, uint64_t key)
{
	size_t at = (size_t)(key * 0x9e3779b97f4a7c15) >> 7;

	for (;; at++) {
		struct number *slot = &numbers->slots[at & (numbers->room - 1)];

		if (!slot->key || slot->key == key)
			return slot;
	}
}

unsigned int numbers_get(const struct numbers *numbers, uint64_t key)
{
	return numbers->room ? slot_of(numbers, key)->value : 0;
}

static bool grow(struct numbers *numbers)
{
	struct numbers larger = {
		.room = numbers->room ? 2 * numbers->room : FIRST_ROOM,
		.count = numbers->count,
	};
	size_t i;

	larger.slots = calloc(larger.room, sizeof(*larger.slots));
	if (!larger.slots)
		return false;
	for (i = 0; i < numbers->room; i++)
		if (numbers->slots[i].key)
			*slot_of(&larger, numbers->slots[i].key) = numbers->slots[i];
	free(numbers->slots);
	*numbers = larger;
	return true;
}

bool numbers_set(struct numbers *numbers, uint64_t key, unsigned int value)
{
	struct number *slot;

	if (2 * numbers->count >= numbers->room && !grow(numbers))
		return false;
	slot = slot_of(numbers, key);
	numbers->count += !slot->key;
	*slot = (struct number){ key, value };
	return true;
}

void numbers_free(struct numbers *numbers)
{
	free(numbers->slots);
	*numbers = (struct numbers){};
}
