// SPDX-License-Identifier: GPL-2.0
/*
 * Spaces: a list of ranges for each process. Nobody tells of what is unmapped,
 * so the range that came last is the one that counts.
 */

#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spaces.h"

struct space {
	uint32_t pid;
	size_t count, room;
	struct range *ranges;
};

static void *spaces; /* a tree, as of tsearch(3) */

static void *must(void *memory)
{
	if (!memory) {
		fputs("profile: out of memory\n", stderr);
		exit(1);
	}
	return memory;
}

static int compare(const void *a, const void *b)
{
	uint32_t one = ((const struct space *)a)->pid;
	uint32_t other = ((const struct space *)b)->pid;

	return (one > other) - (one < other);
}

static struct space *find(uint32_t pid)
{
	struct space wanted = { .pid = pid };
	struct space **found = tfind(&wanted, &spaces, compare);

	return found ? *found : NULL;
}

static struct space *find_or_add(uint32_t pid)
{
	struct space *space = find(pid);

	if (space)
		return space;
	space = must(calloc(1, sizeof(*space)));
	space->pid = pid;
	must(tsearch(space, &spaces, compare));
	return space;
}

static void make_room(struct space *space, size_t room)
{
	if (room <= space->room)
		return;
	space->room = room < 16 ? 16 : 2 * room;
	space->ranges = must(reallocarray(space->ranges, space->room, sizeof(*space->ranges)));
}

void spaces_map(uint32_t pid, const struct range *range)
{
	struct space *space = find_or_add(pid);

	make_room(space, space->count + 1);
	space->ranges[space->count++] = *range;
}

void spaces_fork(uint32_t pid, uint32_t parent)
{
	struct space *space = find_or_add(pid);
	const struct space *from = find(parent);

	space->count = 0;
	if (!from || !from->count)
		return;
	make_room(space, from->count);
	memcpy(space->ranges, from->ranges, from->count * sizeof(*from->ranges));
	space->count = from->count;
}

void spaces_exec(uint32_t pid)
{
	find_or_add(pid)->count = 0;
}

const struct range *spaces_find(uint32_t pid, uint64_t address)
{
	const struct space *space = find(pid);
	size_t i;

	for (i = space ? space->count : 0; i--;)
		if (address >= space->ranges[i].start && address < space->ranges[i].end)
			return &space->ranges[i];
	return NULL;
}
