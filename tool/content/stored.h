/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stored: marked entries of a debug dir, with size and time of last use, so that the oldest can be
 * removed. Takes about 200 bytes of memory per entry.
 */
#ifndef TOOL_STORED_H
#define TOOL_STORED_H

#include "debug_dir.h"

#define STORED_NONE UINT32_MAX

struct stored;

/* For a locked directory. NULL with @reason. */
struct stored *stored_new(struct debug_dir *dir, struct reason *reason);
/* Writes times that are only in memory to the marks. */
void stored_free(struct stored *stored);

/* The number of @id, valid until stored_evict(); STORED_NONE if it has no mark. */
uint32_t stored_find(const struct stored *stored, const struct build_id *id);
/*
 * The same for an entry that was, or may have been, put just now: its size is read. Without memory
 * it is missing from the table until the next start.
 */
uint32_t stored_add(struct stored *stored, const struct build_id *id);
/* Record that it was used now; does nothing for STORED_NONE or a stale number. */
void stored_use(struct stored *stored, uint32_t number);

size_t stored_count(const struct stored *stored);
/* Total size on disk, as debug_dir_cost(). */
uint64_t stored_bytes(const struct stored *stored);

/* Not to be removed by the next stored_evict(). */
void stored_hold(struct stored *stored, uint32_t number);
/* Nothing is held any more. */
void stored_release(struct stored *stored);
/* Whether an entry that is not held is used by something without a mapping. */
typedef bool stored_is_used(const struct debug_mark *mark);
/*
 * Remove the least recently used entries, except those in use, until stored_bytes() is at most
 * @bytes. Returns how many were removed. In any case numbers have changed, and nothing is held any
 * more.
 */
size_t stored_evict(struct stored *stored, uint64_t bytes, stored_is_used *is_used);

#endif
