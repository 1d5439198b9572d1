/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stored: what has a mark in a debug dir, how large it is and when it was last used, so
 * that the oldest can be removed. In memory about 200 bytes for each.
 */
#ifndef TOOL_STORED_H
#define TOOL_STORED_H

#include "debug_dir.h"

#define STORED_NONE UINT32_MAX

struct stored;

/* Of a directory that is locked. NULL with @reason. */
struct stored *stored_new(struct debug_dir *dir, struct reason *reason);
/* Times that are only in memory are written to the marks. */
void stored_free(struct stored *stored);

/* The number of @id, valid until stored_evict(); STORED_NONE when it has no mark. */
uint32_t stored_find(const struct stored *stored, const struct build_id *id);
/*
 * The same for what was put just now, or may have been: its size is read. Without memory it
 * is not in the table until the next start.
 */
uint32_t stored_add(struct stored *stored, const struct build_id *id);
/* That it was used now; nothing for STORED_NONE, and a number that is none any more. */
void stored_use(struct stored *stored, uint32_t number);

size_t stored_count(const struct stored *stored);
/* On the disk, as of debug_dir_cost(). */
uint64_t stored_bytes(const struct stored *stored);

/* Not to be removed by the next stored_evict(). */
void stored_hold(struct stored *stored, uint32_t number);
/* Nothing is held any more. */
void stored_release(struct stored *stored);
/* Whether an entry that is not held is in use by whom has no mapping. */
typedef bool stored_is_used(const struct debug_mark *mark);
/*
 * Remove the least recently used, but for what is in use, until stored_bytes() is @bytes or
 * less. How many were removed. Whatever the result the others have other numbers, and nothing
 * is held any more.
 */
size_t stored_evict(struct stored *stored, uint64_t bytes, stored_is_used *is_used);

#endif
