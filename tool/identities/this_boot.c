// SPDX-License-Identifier: GPL-2.0
/* This boot: living processes are looked up in /proc, others in HISTORY. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/array.h"
#include "content/process_maps.h"
#include "identities.h"
#include "this_boot.h"

#define RANDOMIZE "/proc/sys/kernel/randomize_va_space"

/* Without randomization all machines use the same places. */
static bool is_randomized(void)
{
	FILE *file = fopen(RANDOMIZE, "re");
	int value = 0;

	if (!file)
		return false;
	if (fscanf(file, "%d", &value) != 1)
		value = 0;
	fclose(file);
	return value > 0;
}

/*
 * Where a program, and what it maps, begins without randomization, as under setarch -R and gdb.
 * With it, at least a gigabyte from there on is equally likely: on arm64, 18 bits of pages.
 */
#define FIXED_SIZE (256ULL << 20)
/* The least room for a stack above what is mapped. */
#define STACK_ROOM (128ULL << 20)

static bool is_fixed(uint64_t place, uint64_t bottom, uint64_t size)
{
	return place >= bottom && place - bottom < size;
}

/*
 * x86-64 has 47 bits of addresses, without the last page; arm64 48, or 42 or 39. A program begins
 * at two thirds; its mappings end below the stack, at a sixth if the stack is unlimited, or begin
 * at a third with vm.legacy_va_layout.
 */
static bool is_random(uint64_t place)
{
	static const uint64_t tops[] = {
		(1ULL << 47) - 4096,
		1ULL << 48,
		1ULL << 42,
		1ULL << 39,
	};
	const uint64_t page = 1ULL << 16; /* at most */
	size_t i;

	if (place < IDENTITIES_RANDOM)
		return false;
	for (i = 0; i < ARRAY_SIZE(tops); i++)
		if (is_fixed(place, tops[i] / 3 * 2 - page, FIXED_SIZE) ||
		    is_fixed(place, tops[i] / 3 - page, FIXED_SIZE) ||
		    is_fixed(place, tops[i] / 6 - FIXED_SIZE, FIXED_SIZE + page) ||
		    is_fixed(place, tops[i] - STACK_ROOM - FIXED_SIZE, STACK_ROOM + FIXED_SIZE))
			return false;
	return true;
}

/* What one process has mapped. */
struct present {
	uint32_t pid;
	struct process_mapping *mappings; /* without paths */
	size_t count;
};

static void read_present(struct present *present, uint32_t pid)
{
	struct process_mapping mapping;
	struct process_maps maps;

	present->pid = pid;
	present->count = 0;
	if (!pid || !process_maps_open(&maps, pid))
		return;
	while (process_maps_next(&maps, &mapping))
		if (mapping.executable && array_reserve(present->mappings, present->count))
			present->mappings[present->count++] = mapping;
	process_maps_close(&maps);
}

static bool is_present(struct present *present, const struct perfdata_mapping *mapping)
{
	size_t i;

	if (mapping->pid != present->pid)
		read_present(present, mapping->pid);
	for (i = 0; i < present->count; i++) {
		const struct process_mapping *other = &present->mappings[i];

		if (other->start == mapping->start && other->end - other->start == mapping->len &&
		    (!mapping->has_inode || other->ino == mapping->ino))
			return true;
	}
	return false;
}

/* NULL without memory, or if the module does not answer. */
static struct identities *read_history(struct perfdata *data, struct buildid *handle,
				       const struct mono_clock *other)
{
	struct identities *history = identities_new(perfdata_clock(data));
	const struct buildid_record *record;
	struct buildid_snapshot *snapshot;
	int err;

	if (!history)
		return NULL;
	err = buildid_snapshot_history(&snapshot, handle, 0);
	if (!err) {
		while (!(err = buildid_snapshot_next(snapshot, &record)) || err == -EINTR)
			if (!err)
				identities_add(history, record);
		buildid_snapshot_free(snapshot);
	}
	if (other)
		identities_convert(history, other);
	identities_ready(history, 0);
	return history;
}

bool this_boot_has(struct perfdata *data, struct buildid *handle, const struct mono_clock *other)
{
	struct identities *history;
	struct perfdata_mapping mapping;
	struct present present = {};
	bool found = false;
	uint32_t pid;

	if (!is_randomized())
		return false;
	history = read_history(data, handle, other);
	perfdata_rewind(data);
	while (history && !found && perfdata_next_mapping(data, &mapping) > 0)
		found = mapping.kind == PERFDATA_KIND_USER && !mapping.data &&
			is_random(mapping.start) &&
			(identities_pid_at(history, &mapping, &pid) ||
			 is_present(&present, &mapping));
	free(present.mappings);
	identities_free(history);
	return found;
}
