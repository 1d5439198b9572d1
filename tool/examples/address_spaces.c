// SPDX-License-Identifier: GPL-2.0
/*
 * Address spaces: a list of ranges for each process. Unmapping is not recorded, so
 * of the ranges with an address the last one counts.
 */

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "address_spaces.h"

struct address_space {
	uint32_t pid;
	size_t count, room;
	struct range *ranges;
};

static void *address_spaces; /* a tree of tsearch(3) */

static void *check_memory(void *memory)
{
	if (!memory) {
		fputs("profile: out of memory\n", stderr);
		exit(1);
	}
	return memory;
}

static int compare_pids(const void *a, const void *b)
{
	uint32_t one = ((const struct address_space *)a)->pid;
	uint32_t other = ((const struct address_space *)b)->pid;

	return (one > other) - (one < other);
}

static struct address_space *find(uint32_t pid)
{
	struct address_space key = { .pid = pid };
	struct address_space **found = tfind(&key, &address_spaces, compare_pids);

	return found ? *found : NULL;
}

static struct address_space *find_or_add(uint32_t pid)
{
	struct address_space *space = find(pid);

	if (space)
		return space;
	space = check_memory(calloc(1, sizeof(*space)));
	space->pid = pid;
	check_memory(tsearch(space, &address_spaces, compare_pids));
	return space;
}

static void make_room(struct address_space *space, size_t room)
{
	if (room <= space->room)
		return;
	space->room = room < 16 ? 16 : 2 * room;
	space->ranges =
		check_memory(reallocarray(space->ranges, space->room, sizeof(*space->ranges)));
}

void address_space_map(uint32_t pid, const struct range *range)
{
	struct address_space *space = find_or_add(pid);

	make_room(space, space->count + 1);
	space->ranges[space->count++] = *range;
}

void address_space_fork(uint32_t pid, uint32_t parent)
{
	struct address_space *space = find_or_add(pid);
	const struct address_space *from = find(parent);

	space->count = 0;
	if (!from || !from->count)
		return;
	make_room(space, from->count);
	memcpy(space->ranges, from->ranges, from->count * sizeof(*from->ranges));
	space->count = from->count;
}

void address_space_exec(uint32_t pid)
{
	find_or_add(pid)->count = 0;
}

const struct range *address_space_find(uint32_t pid, uint64_t address)
{
	const struct address_space *space = find(pid);
	size_t i;

	for (i = space ? space->count : 0; i--;)
		if (address >= space->ranges[i].start && address < space->ranges[i].end)
			return &space->ranges[i];
	return NULL;
}
