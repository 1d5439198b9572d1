// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Snapshot: the mappings that exist already, process by process.
 */

#include <errno.h>
#include <stdlib.h>

#include "internal.h"
#include "processes.h"

/* For some hundreds of mappings; the module asks for a quarter of it at least. */
#define ROOM (8 * BUILDID_RECORD_MAX)

/* A process may call exec again and again: so often it is started again. */
#define STARTS_MAX 16

struct buildid_snapshot {
	struct buildid *handle;
	uint32_t flags; /* BUILDID_MAPS_* */
	bool by_uid;
	uint32_t uid;

	struct buildid_processes processes;
	size_t next; /* in @processes */
	size_t seen;
	size_t fills;

	uint32_t pid; /* being looked into, or 0 */
	unsigned int starts;
	uint64_t cursor;
	uint64_t instance;

	uint32_t filled, taken; /* bytes of @records */
	uint64_t records[ROOM / sizeof(uint64_t)];
};

static bool is_valid(const struct buildid_options *options)
{
	if (options->uid && !(options->flags & BUILDID_SUB_UID))
		return false;
	if (options->cgroup_fd && !(options->flags & BUILDID_SUB_CGROUP))
		return false;
	return options->nr_pids || !(options->flags & BUILDID_SUB_CHILDREN);
}

int buildid_snapshot_new(struct buildid_snapshot **snapshot, struct buildid *handle,
			 const struct buildid_options *options)
{
	struct buildid_snapshot *new;
	struct buildid_options known;
	int err;

	*snapshot = NULL;
	err = buildid_options_take(&known, options);
	if (err)
		return err;
	if (!is_valid(&known))
		return -EINVAL;
	new = malloc(sizeof(*new));
	if (!new)
		return -ENOMEM;

	*new = (struct buildid_snapshot){
		.handle = handle,
		.flags = known.flags & BUILDID_SUB_DATA ? BUILDID_MAPS_DATA : 0,
		.by_uid = known.flags & BUILDID_SUB_UID,
		.uid = known.uid,
	};
	err = buildid_processes_find(&new->processes, &known);
	if (err) {
		free(new);
		return err;
	}
	*snapshot = new;
	return 0;
}

void buildid_snapshot_free(struct buildid_snapshot *snapshot)
{
	if (!snapshot)
		return;
	buildid_processes_free(&snapshot->processes);
	free(snapshot);
}

size_t buildid_snapshot_processes(const struct buildid_snapshot *snapshot)
{
	return snapshot->seen;
}

size_t buildid_snapshot_fills(const struct buildid_snapshot *snapshot)
{
	return snapshot->fills;
}

static bool next_process(struct buildid_snapshot *snapshot)
{
	uint32_t pid;

	while (snapshot->next < snapshot->processes.count) {
		pid = snapshot->processes.pids[snapshot->next++];
		if (snapshot->by_uid && !buildid_process_has_uid(pid, snapshot->uid))
			continue;
		snapshot->pid = pid;
		snapshot->cursor = 0;
		snapshot->instance = 0;
		snapshot->starts = 0;
		return true;
	}
	return false;
}

/* Some records of the process, or none and its end. */
static int fill(struct buildid_snapshot *snapshot)
{
	struct buildid_maps maps = {
		.size = sizeof(maps),
		.flags = snapshot->flags,
		.pid = snapshot->pid,
		.bytes = sizeof(snapshot->records),
		.cursor = snapshot->cursor,
		.instance = snapshot->instance,
		.records = (uintptr_t)snapshot->records,
	};
	bool first = !snapshot->cursor && !snapshot->starts;
	int err;

	snapshot->taken = snapshot->filled = 0;
	snapshot->fills++;
	err = buildid_take_maps(snapshot->handle, &maps);
	if (err == -EINTR)
		return err;
	if (err == -ESTALE && snapshot->starts++ < STARTS_MAX) {
		snapshot->cursor = snapshot->instance = 0;
		return 0;
	}
	if (!err && (maps.bytes > sizeof(snapshot->records) ||
		     (!maps.bytes && maps.cursor != BUILDID_MAPS_END)))
		err = -EBADMSG;
	if (err || maps.cursor == BUILDID_MAPS_END)
		snapshot->pid = 0;
	if (err)
		return err == -ESRCH ? 0 : err;

	snapshot->seen += first;
	snapshot->cursor = maps.cursor;
	snapshot->instance = maps.instance;
	snapshot->filled = maps.bytes;
	return 0;
}

int buildid_snapshot_next(struct buildid_snapshot *snapshot, const struct buildid_record **record)
{
	const struct buildid_record *next;
	uint32_t left;
	int err;

	*record = NULL;
	while (snapshot->taken == snapshot->filled) {
		if (!snapshot->pid && !next_process(snapshot))
			return -ENODATA;
		err = fill(snapshot);
		if (err)
			return err;
	}

	next = (const void *)((char *)snapshot->records + snapshot->taken);
	left = snapshot->filled - snapshot->taken;
	err = buildid_record_check(next, left);
	if (err) {
		/* Without sizes to trust the rest cannot be found. */
		snapshot->taken = snapshot->filled;
		return err;
	}
	snapshot->taken += next->size;
	*record = next;
	return 0;
}
