// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Past: what an exited process had mapped at an address, from HISTORY.
 *
 * That is what it mapped there last. A process that forked without calling exec had its parent's
 * mappings, which are not recorded, since munmap(2) is not. They are certain only if the parent is
 * alive, has a file mapped there, and has had it since the fork: the module remembers everything
 * mapped since then, and it is not among that.
 *
 * First the parent's mappings are read, then the history, which has what the parent maps in
 * between.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

struct found {
	const struct buildid_mmap *mmap;
	const struct buildid_file *file; /* NULL when it is not known */
};

static int past_append(struct buildid_past_records *records, const struct buildid_record *record)
{
	size_t room = records->room;
	void *bytes = records->bytes;

	if (room - records->size < record->size) {
		room = 2 * room + BUILDID_RECORD_MAX;
		bytes = realloc(bytes, room);
		if (!bytes)
			return -ENOMEM;
		records->bytes = bytes;
		records->room = room;
	}
	memcpy((char *)bytes + records->size, record, record->size);
	records->size += record->size;
	return 0;
}

/* Read all of a snapshot, and free it. */
static int read_records(struct buildid_past_records *records, struct buildid_snapshot *snapshot)
{
	const struct buildid_record *record;
	int err;

	records->size = 0;
	while (!(err = buildid_snapshot_next(snapshot, &record))) {
		err = past_append(records, record);
		if (err)
			break;
	}
	records->since = buildid_snapshot_since(snapshot);
	buildid_snapshot_free(snapshot);
	return err == -ENODATA ? 0 : err;
}

static int read_history(struct buildid_past_records *records, struct buildid *handle, uint32_t pid)
{
	struct buildid_snapshot *snapshot;
	int err = buildid_snapshot_history(&snapshot, handle, pid);

	return err ? err : read_records(records, snapshot);
}

static int read_maps(struct buildid_past_records *records, struct buildid *handle, uint32_t pid)
{
	const struct buildid_options options = {
		.size = sizeof(options),
		.pids = &pid,
		.nr_pids = 1,
	};
	struct buildid_snapshot *snapshot;
	int err = buildid_snapshot_new(&snapshot, handle, &options);

	return err ? err : read_records(records, snapshot);
}

/* The first if @at is NULL; NULL after the last. */
static const struct buildid_record *next_record(const struct buildid_past_records *records,
						const struct buildid_record *at)
{
	const char *bytes = records->bytes;
	size_t next = at ? (size_t)((const char *)at - bytes) + at->size : 0;

	return next < records->size ? (const void *)(bytes + next) : NULL;
}

static uint64_t start_time_of(const struct buildid_record *record)
{
	switch (record->type) {
	case BUILDID_RECORD_MMAP:
		return ((const struct buildid_mmap *)record)->start_time;
	case BUILDID_RECORD_FORK:
	case BUILDID_RECORD_EXEC:
		return ((const struct buildid_task *)record)->start_time;
	default:
		return 0;
	}
}

static bool covers(const struct buildid_record *record, uint64_t addr)
{
	const struct buildid_mmap *mmap = (const void *)record;

	return record->type == BUILDID_RECORD_MMAP && addr - mmap->addr < mmap->len;
}

/* The process's last mapping. Each mapping comes after its file. */
static struct found find_mapping(const struct buildid_past_records *records, uint64_t start_time,
				 uint64_t addr)
{
	const struct buildid_record *record = NULL;
	const struct buildid_file *file = NULL;
	const struct buildid_mmap *mmap;
	struct found found = {};

	while ((record = next_record(records, record))) {
		mmap = (const void *)record;
		if (record->type == BUILDID_RECORD_FILE)
			file = (const void *)record;
		if (!covers(record, addr) || mmap->start_time != start_time ||
		    (found.mmap && found.mmap->header.time_mono >= record->time_mono))
			continue;
		found.mmap = mmap;
		found.file = file && file->file_id == mmap->file_id ? file : NULL;
	}
	return found;
}

/* If @wanted is 0, the last process with the pid; 0 if there is none. */
static uint64_t find_process(const struct buildid_past_records *records, uint64_t wanted)
{
	const struct buildid_record *record = NULL;
	uint64_t start_time, last = 0;

	while ((record = next_record(records, record))) {
		start_time = start_time_of(record);
		if (wanted ? start_time == wanted : start_time > last)
			last = start_time;
	}
	return last;
}

static const struct buildid_task *find_task(const struct buildid_past_records *records,
					    uint16_t type, uint64_t start_time)
{
	const struct buildid_record *record = NULL;

	while ((record = next_record(records, record)))
		if (record->type == type && start_time_of(record) == start_time)
			return (const void *)record;
	return NULL;
}

/*
 * Is it certain that the parent has had its mapping at @addr since the fork? If nothing since then
 * has been forgotten, nothing had been when the child's history was read, so an exec of the child
 * would be in it.
 */
static bool has_had(const struct buildid_past_records *parent, const struct buildid_task *fork,
		    uint64_t addr)
{
	const uint64_t time = fork->header.time_mono;
	const struct buildid_record *record = NULL;

	while ((record = next_record(parent, record)))
		if (start_time_of(record) == fork->parent_start_time && record->time_mono >= time &&
		    (record->type == BUILDID_RECORD_EXEC || covers(record, addr)))
			return false;
	return parent->since < time;
}

static int read_parent(struct buildid *handle, struct buildid_past *past,
		       const struct buildid_task *fork)
{
	int err;

	if (past->parent_pid == fork->parent_pid &&
	    past->parent_start_time == fork->parent_start_time)
		return 0;
	past->parent_pid = 0;
	err = read_maps(&past->parent_maps, handle, fork->parent_pid);
	if (!err)
		err = read_history(&past->parent, handle, fork->parent_pid);
	/* It keeps calling exec, so it has not kept its mappings. */
	if (err)
		return err == -ESTALE ? -ENOENT : err;
	past->parent_pid = fork->parent_pid;
	past->parent_start_time = fork->parent_start_time;
	return 0;
}

static int find_in_parent(struct buildid *handle, struct buildid_past *past, uint64_t start_time,
			  uint64_t addr, struct found *found)
{
	const struct buildid_task *fork;
	int err;

	fork = find_task(&past->own, BUILDID_RECORD_FORK, start_time);
	if (!fork || find_task(&past->own, BUILDID_RECORD_EXEC, start_time))
		return -ENOENT;
	err = read_parent(handle, past, fork);
	if (err)
		return err;
	if (has_had(&past->parent, fork, addr))
		*found = find_mapping(&past->parent_maps, fork->parent_start_time, addr);
	return 0;
}

/*
 * An exited process does not change: what was read serves for its next address. A pid alone may
 * belong to another process by now.
 */
static int read_past(struct buildid *handle, struct buildid_past *past,
		     const struct buildid_address *address)
{
	int err;

	if (past->pid == address->pid && address->start_time &&
	    find_process(&past->own, address->start_time))
		return 0;
	past->pid = past->parent_pid = 0;
	err = read_history(&past->own, handle, address->pid);
	past->pid = err ? 0 : address->pid;
	return err;
}

/* -ESRCH if nothing about the process is remembered. */
static int resolve_past(struct buildid *handle, struct buildid_address *address, void *buffer,
			size_t size)
{
	struct buildid_past *past = buildid_past_of(handle);
	uint64_t start_time;
	struct found found;
	int err;

	/* HISTORY takes 0 for all processes. */
	if (!address->pid)
		return -ESRCH;
	err = read_past(handle, past, address);
	if (err)
		return err;
	start_time = find_process(&past->own, address->start_time);
	if (!start_time)
		return -ESRCH;
	found = find_mapping(&past->own, start_time, address->addr);
	if (!found.mmap) {
		err = find_in_parent(handle, past, start_time, address->addr, &found);
		if (err)
			return err;
	}
	if (!found.file)
		return -ENOENT;
	if (found.file->header.size > size)
		return -ENOSPC;
	memcpy(buffer, found.file, found.file->header.size);
	address->start_time = start_time;
	address->offset = address->addr - found.mmap->addr + found.mmap->pgoff;
	address->source = BUILDID_ADDR_HISTORY;
	return 0;
}

int buildid_resolve_addr(struct buildid *handle, struct buildid_address *address, void *buffer,
			 size_t size, const struct buildid_file **file)
{
	struct buildid_address known;
	int err;

	*file = NULL;
	err = buildid_struct_copy_in(&known, sizeof(known), address,
				     offsetofend(buildid_address, reserved));
	if (err)
		return err;
	if (known.reserved)
		return -EINVAL;
	known.source = 0;
	err = buildid_ioctl_resolve_addr(handle, &known, buffer, size, file);
	if (err == -ESRCH) {
		err = resolve_past(handle, &known, buffer, size);
		/* Without permission to ask, the answer is just that the process is gone. */
		if (err == -EPERM)
			err = -ESRCH;
		if (!err)
			*file = buffer;
	}
	if (err)
		return err;
	address->start_time = known.start_time;
	address->offset = known.offset;
	address->source = known.source;
	return 0;
}

void buildid_past_free(struct buildid_past *past)
{
	free(past->own.bytes);
	free(past->parent.bytes);
	free(past->parent_maps.bytes);
}
