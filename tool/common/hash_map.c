// SPDX-License-Identifier: GPL-2.0
/* Hash map: linear probing, so that a lookup stays within a few cache lines. */

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "hash_map.h"

#define FIRST_ROOM 256

static struct {
	uint64_t start;
	uint64_t factor; /* odd */
} secret;

static void __attribute__((constructor)) choose_secret(void)
{
	if (getrandom(&secret, sizeof(secret), GRND_NONBLOCK) != sizeof(secret))
		secret.factor = (uintptr_t)&secret * 0x100000001b3;
	secret.factor |= 1;
}

/*
 * After multiplication the upper bits depend on all bits of the key; fold them into the lower ones.
 * Any user may choose the keys.
 */
static size_t start_of(uint64_t key)
{
	key = (key ^ secret.start) * secret.factor;
	return (size_t)(key ^ key >> 32);
}

static struct hash_slot *slot_at(const struct hash_map *map, size_t at)
{
	return &map->slots[at & (map->room - 1)];
}

struct hash_slot *hash_map_next(const struct hash_map *map, uint64_t key,
				const struct hash_slot *slot)
{
	size_t at = slot ? (size_t)(slot - map->slots) + 1 : start_of(key);

	if (!map->room)
		return NULL;
	while (slot_at(map, at)->used && slot_at(map, at)->key != key)
		at++;
	return slot_at(map, at)->used ? slot_at(map, at) : NULL;
}

uint32_t hash_map_get(const struct hash_map *map, uint64_t key, uint32_t otherwise)
{
	const struct hash_slot *slot = hash_map_next(map, key, NULL);

	return slot ? slot->value : otherwise;
}

static void insert(struct hash_map *map, uint64_t key, uint32_t value)
{
	size_t at = start_of(key);

	while (slot_at(map, at)->used)
		at++;
	*slot_at(map, at) = (struct hash_slot){ .key = key, .value = value, .used = true };
	map->count++;
}

static bool hash_map_grow(struct hash_map *map)
{
	struct hash_map larger = { .room = map->room ? 2 * map->room : FIRST_ROOM };
	size_t i;

	larger.slots = calloc(larger.room, sizeof(*larger.slots));
	if (!larger.slots)
		return false;
	for (i = 0; i < map->room; i++)
		if (map->slots[i].used)
			insert(&larger, map->slots[i].key, map->slots[i].value);
	free(map->slots);
	*map = larger;
	return true;
}

bool hash_map_add(struct hash_map *map, uint64_t key, uint32_t value)
{
	if (4 * map->count >= 3 * map->room && !hash_map_grow(map))
		return false;
	insert(map, key, value);
	return true;
}

bool hash_map_set(struct hash_map *map, uint64_t key, uint32_t value)
{
	struct hash_slot *slot = hash_map_next(map, key, NULL);

	if (!slot)
		return hash_map_add(map, key, value);
	slot->value = value;
	return true;
}

void hash_map_free(struct hash_map *map)
{
	free(map->slots);
	*map = (struct hash_map){};
}

uint64_t hash_start(void)
{
	return secret.start;
}

uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
	const uint64_t factor = secret.factor;
	const unsigned char *next = bytes;
	uint32_t word;

	/* The size distinguishes equal words and bytes. */
	hash ^= (uint64_t)size << 32;
	for (; size >= sizeof(word); size -= sizeof(word), next += sizeof(word)) {
		memcpy(&word, next, sizeof(word));
		hash = (hash ^ word) * factor;
	}
	while (size--)
		hash = (hash ^ *next++) * factor;
	return hash;
}

uint64_t hash_text(const char *text)
{
	return hash_bytes(hash_start(), text, strlen(text));
}
