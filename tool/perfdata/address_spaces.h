/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Address spaces of a perf.data: what was mapped where, when, in which process.
 *
 * Events are not sorted by time, so all of them are added before the first lookup. A forked process
 * has its parent's mappings of that time; exec leaves nothing.
 */
#ifndef TOOL_PERFDATA_ADDRESS_SPACES_H
#define TOOL_PERFDATA_ADDRESS_SPACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The pid of the kernel's mappings. */
#define ADDRESS_SPACES_KERNEL 0xffffffffU

#define ADDRESS_SPACES_NOTHING SIZE_MAX

struct address_spaces;

struct address_spaces *address_spaces_new(void);
void address_spaces_free(struct address_spaces *spaces);

/* At @time @pid mapped @what, @len bytes at @start. False without memory. */
bool address_spaces_map(struct address_spaces *spaces, uint32_t pid, uint64_t time, uint64_t start,
			uint64_t len, size_t what);
/*
 * The address space of @pid begins at @time: as a copy of @parent's, or empty if that is @pid
 * itself, as at exec. False without memory.
 */
bool address_spaces_begin(struct address_spaces *spaces, uint32_t pid, uint64_t time,
			  uint32_t parent);

/* Call once all were added. False without memory. */
bool address_spaces_ready(struct address_spaces *spaces);

/* Where and when an answer for a process holds, all four inclusive. */
struct address_spaces_scope {
	uint64_t start, last; /* addresses */
	uint64_t from, until; /* times */
};

/*
 * What @pid had mapped at @address at @time, else ADDRESS_SPACES_NOTHING. Sets @scope, unless it is
 * NULL, to where the answer is the same.
 */
size_t address_spaces_find(const struct address_spaces *spaces, uint32_t pid, uint64_t time,
			   uint64_t address, struct address_spaces_scope *scope);
/* Every range that was mapped, in no particular order, up to the address @last. */
void address_spaces_each(const struct address_spaces *spaces,
			 void (*each)(void *context, size_t what, uint64_t start, uint64_t last),
			 void *context);

#endif
