// SPDX-License-Identifier: GPL-2.0
/* Stored: a table of the marks, and a map from build-ids to it. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/array.h"
#include "common/hash_map.h"
#include "stored.h"

/* A mark's time may lag by this many seconds, so that a use seldom costs a write. */
#define SAVE_AFTER 3600

struct entry {
	struct debug_mark mark;
	int64_t saved; /* the time of the mark */
	bool held;
};

struct stored {
	struct debug_dir *dir;
	struct entry *entries;
	size_t count;
	struct hash_map numbers;
	uint64_t bytes;
};

static uint64_t key_of(const struct build_id *id)
{
	return hash_bytes(hash_start(), id->bytes, id->size);
}

static bool stored_append(void *to, const struct debug_mark *mark)
{
	struct stored *stored = to;
	int64_t now = time(NULL);
	struct entry *entry;

	if (!array_reserve(stored->entries, stored->count) ||
	    !hash_map_add(&stored->numbers, key_of(&mark->id), (uint32_t)stored->count))
		return false;
	entry = &stored->entries[stored->count++];
	*entry = (struct entry){ .mark = *mark, .saved = mark->used };
	/* Set by a clock that was ahead: it would look newest until then. */
	if (entry->mark.used > now)
		entry->mark.used = now;
	stored->bytes += mark->bytes;
	return true;
}

struct stored *stored_new(struct debug_dir *dir, struct reason *reason)
{
	struct stored *stored = calloc(1, sizeof(*stored));

	if (stored)
		stored->dir = dir;
	if (stored && debug_dir_read_marks(dir, stored_append, stored))
		return stored;
	reason_set(reason, "%s", strerror(errno));
	stored_free(stored);
	return NULL;
}

static void stored_save(struct stored *stored, struct entry *entry)
{
	if (entry->saved == entry->mark.used)
		return;
	debug_dir_touch(stored->dir, &entry->mark.id);
	entry->saved = entry->mark.used;
}

void stored_free(struct stored *stored)
{
	size_t i;

	if (!stored)
		return;
	for (i = 0; i < stored->count; i++)
		stored_save(stored, &stored->entries[i]);
	free(stored->entries);
	hash_map_free(&stored->numbers);
	free(stored);
}

uint32_t stored_find(const struct stored *stored, const struct build_id *id)
{
	struct hash_slot *slot = NULL;

	while ((slot = hash_map_next(&stored->numbers, key_of(id), slot)))
		if (build_id_equal(&stored->entries[slot->value].mark.id, id))
			return slot->value;
	return STORED_NONE;
}

uint32_t stored_add(struct stored *stored, const struct build_id *id)
{
	uint32_t number = stored_find(stored, id);
	struct debug_mark mark;

	if (!debug_dir_marked(stored->dir, id, &mark))
		return STORED_NONE;
	if (number == STORED_NONE)
		return stored_append(stored, &mark) ? (uint32_t)stored->count - 1 : STORED_NONE;
	stored->bytes += mark.bytes - stored->entries[number].mark.bytes;
	stored->entries[number].mark = mark;
	return number;
}

void stored_use(struct stored *stored, uint32_t number)
{
	struct entry *entry;

	if (number >= stored->count)
		return;
	entry = &stored->entries[number];
	entry->mark.used = time(NULL);
	if (entry->saved > entry->mark.used || entry->mark.used - entry->saved >= SAVE_AFTER)
		stored_save(stored, entry);
}

size_t stored_count(const struct stored *stored)
{
	return stored->count;
}

uint64_t stored_bytes(const struct stored *stored)
{
	return stored->bytes;
}

/* ------------------------------------------------------------- evicting -- */

void stored_hold(struct stored *stored, uint32_t number)
{
	if (number >= stored->count)
		return;
	stored_use(stored, number);
	stored->entries[number].held = true;
}

void stored_release(struct stored *stored)
{
	size_t i;

	for (i = 0; i < stored->count; i++)
		stored->entries[i].held = false;
}

static int compare_used(const void *a, const void *b)
{
	const struct entry *one = a, *other = b;

	return COMPARE(one->mark.used, other->mark.used);
}

/* Sorting has moved the entries, and removal will. */
static void number_again(struct stored *stored)
{
	size_t i;

	hash_map_free(&stored->numbers);
	stored->numbers = (struct hash_map){};
	for (i = 0; i < stored->count; i++)
		hash_map_add(&stored->numbers, key_of(&stored->entries[i].mark.id), (uint32_t)i);
}

size_t stored_evict(struct stored *stored, uint64_t bytes, stored_is_used *is_used)
{
	size_t i, left = 0, before = stored->count;

	array_sort(stored->entries, stored->count, compare_used);
	for (i = 0; i < before; i++) {
		struct entry entry = stored->entries[i];

		if (stored->bytes > bytes && !entry.held && !is_used(&entry.mark)) {
			debug_dir_remove(stored->dir, &entry.mark.id);
			stored->bytes -= entry.mark.bytes;
		} else {
			entry.held = false;
			stored->entries[left++] = entry;
		}
	}
	stored->count = left;
	number_again(stored);
	return before - left;
}
