// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Snapshot: the mappings that exist already, process by process; or those that the
 * module remembers, which is one request after the other without processes.
 *
 * The module is asked for the mappings of one process at a time, in pieces that
 * fit a buffer of fixed size: a machine may have any number of processes, and a
 * process any number of mappings. What happens in between is in the stream, so a
 * snapshot need not be of one moment as a whole; see recorder.c.
 */

#include <errno.h>
#include <stdlib.h>

#include "internal.h"
#include "processes.h"

/* Some hundreds of mappings; the module requires a quarter of it at least. */
#define BUFFER_SIZE (8 * BUILDID_RECORD_MAX)

/* How often a process that calls exec meanwhile is started over. */
#define RESTARTS_MAX 16

struct buildid_snapshot {
	struct buildid *handle;
	uint32_t flags; /* BUILDID_MAPS_* */
	bool by_uid;
	uint32_t uid;

	struct buildid_processes processes;
	size_t next; /* in @processes */
	size_t late; /* the first of these: to be asked about again */
	bool again;  /* they are being asked about again */
	size_t alive;
	size_t requests;

	bool history; /* of @pid, or of all */
	bool more;    /* of the current process, or of the history */
	uint32_t pid;
	unsigned int restarts;
	uint64_t cursor;
	uint64_t instance;
	uint64_t since;

	uint32_t filled, consumed; /* bytes of @records */
	uint64_t records[BUFFER_SIZE / sizeof(uint64_t)];
};

/* The module refuses the same. */
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
	err = buildid_options_copy_in(&known, options);
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
	return snapshot->alive;
}

size_t buildid_snapshot_requests(const struct buildid_snapshot *snapshot)
{
	return snapshot->requests;
}

uint64_t buildid_snapshot_since(const struct buildid_snapshot *snapshot)
{
	return snapshot->since;
}

int buildid_snapshot_history(struct buildid_snapshot **snapshot, struct buildid *handle,
			     uint32_t pid)
{
	*snapshot = malloc(sizeof(**snapshot));
	if (!*snapshot)
		return -ENOMEM;
	**snapshot = (struct buildid_snapshot){
		.handle = handle,
		.history = true,
		.more = true,
		.pid = pid,
	};
	return 0;
}

static bool next_process(struct buildid_snapshot *snapshot)
{
	uint32_t pid;

	if (snapshot->next == snapshot->processes.count && !snapshot->again) {
		snapshot->processes.count = snapshot->late;
		snapshot->next = 0;
		snapshot->again = true;
	}
	while (snapshot->next < snapshot->processes.count) {
		pid = snapshot->processes.pids[snapshot->next++];
		if (snapshot->by_uid && !buildid_process_has_uid(pid, snapshot->uid))
			continue;
		snapshot->pid = pid;
		snapshot->more = true;
		snapshot->cursor = 0;
		snapshot->instance = 0;
		snapshot->restarts = 0;
		return true;
	}
	return false;
}

/* Get some records of the process, or none at its end. */
static int request_records(struct buildid_snapshot *snapshot)
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
	bool first = !snapshot->cursor && !snapshot->restarts;
	int err;

	snapshot->consumed = snapshot->filled = 0;
	snapshot->requests++;
	err = buildid_ioctl_maps(snapshot->handle, &maps);
	if (err == -EINTR)
		return err;
	/* Its address space may have been busy just now: try again later. */
	if (err == -ETIMEDOUT && !snapshot->cursor && !snapshot->again) {
		snapshot->processes.pids[snapshot->late++] = snapshot->pid;
		snapshot->more = false;
		return 0;
	}
	if (err == -ESTALE && snapshot->restarts++ < RESTARTS_MAX) {
		snapshot->cursor = snapshot->instance = 0;
		return 0;
	}
	if (!err && (maps.bytes > sizeof(snapshot->records) ||
		     (!maps.bytes && maps.cursor != BUILDID_MAPS_END)))
		err = -EBADMSG;
	if (err || maps.cursor == BUILDID_MAPS_END)
		snapshot->more = false;
	if (err)
		return err == -ESRCH ? 0 : err;

	snapshot->alive += first;
	snapshot->cursor = maps.cursor;
	snapshot->instance = maps.instance;
	snapshot->filled = maps.bytes;
	return 0;
}

static int request_history(struct buildid_snapshot *snapshot)
{
	struct buildid_history history = {
		.size = sizeof(history),
		.pid = snapshot->pid,
		.bytes = sizeof(snapshot->records),
		.cursor = snapshot->cursor,
		.records = (uintptr_t)snapshot->records,
	};
	int err;

	snapshot->consumed = snapshot->filled = 0;
	err = buildid_ioctl_history(snapshot->handle, &history);
	if (!err && (history.bytes > sizeof(snapshot->records) ||
		     (!history.bytes && history.cursor != BUILDID_MAPS_END)))
		err = -EBADMSG;
	if (err != -EINTR)
		snapshot->more = !err && history.cursor != BUILDID_MAPS_END;
	if (err)
		return err;
	snapshot->cursor = history.cursor;
	snapshot->since = history.since;
	snapshot->filled = history.bytes;
	return 0;
}

int buildid_snapshot_next(struct buildid_snapshot *snapshot, const struct buildid_record **record)
{
	const struct buildid_record *next;
	uint32_t left;
	int err;

	*record = NULL;
	while (snapshot->consumed == snapshot->filled) {
		if (!snapshot->more && !next_process(snapshot))
			return -ENODATA;
		err = snapshot->history ? request_history(snapshot) : request_records(snapshot);
		if (err)
			return err;
	}

	next = (const void *)((char *)snapshot->records + snapshot->consumed);
	left = snapshot->filled - snapshot->consumed;
	err = buildid_record_check(next, left);
	if (err) {
		/* With a wrong size the next record cannot be found. */
		snapshot->consumed = snapshot->filled;
		return err;
	}
	snapshot->consumed += next->size;
	*record = next;
	return 0;
}
