// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Recorder: the ring and a snapshot, merged and joined.
 *
 * A snapshot is taken in parts, each of one moment. Before a part is delivered
 * the ring is, up to where it was after that moment: then whatever the part
 * shows and an event told of has come, and is known to be a duplicate. This also
 * keeps the ring from running over while a machine full of processes is looked
 * into.
 */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"

/* For a record that is being written just now. */
#define BUSY_MS 1

#define SEEN_SLOTS 65536 /* a power of two */
#define SEEN_MAX   (SEEN_SLOTS / 4 * 3)

/* Mappings told of as events, as hashes; 0 is a free slot. */
struct seen {
	size_t count;
	uint64_t slots[SEEN_SLOTS];
};

struct buildid_recorder {
	struct buildid_options options;
	struct buildid_event event;
	uint32_t pids[BUILDID_SUB_PIDS_MAX];
	int cgroup_fd; /* a duplicate, or -1 */

	struct buildid *handle;
	struct buildid_files *files;

	struct buildid_snapshot *snapshot;
	const struct buildid_record *held; /* of the snapshot: the ring is first */
	uint64_t held_for;		   /* up to there */
	size_t fills;
	struct seen *seen;

	bool stopping;
	uint64_t stop; /* in the ring: only FILE records count from there */
};

/* ----------------------------------------------------------- duplicates -- */

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * 0x9e3779b97f4a7c15ULL;
	return hash ^ hash >> 29;
}

static uint64_t hash_of(const struct buildid_mmap *mmap)
{
	uint64_t hash = mix(mmap->pid, mmap->addr);

	hash = mix(hash, mmap->len);
	hash = mix(hash, mmap->pgoff);
	hash = mix(hash, mmap->file_id);
	return hash ? hash : 1;
}

static uint64_t *seen_slot(struct seen *seen, uint64_t hash)
{
	size_t slot = hash & (SEEN_SLOTS - 1);

	while (seen->slots[slot] && seen->slots[slot] != hash)
		slot = (slot + 1) & (SEEN_SLOTS - 1);
	return &seen->slots[slot];
}

static void seen_add(struct seen *seen, uint64_t hash)
{
	uint64_t *slot = seen_slot(seen, hash);

	if (*slot || seen->count == SEEN_MAX)
		return;
	*slot = hash;
	seen->count++;
}

static void mark(struct buildid_recorder *recorder, struct buildid_event *event)
{
	uint64_t hash;

	if (!recorder->seen || event->record->type != BUILDID_RECORD_MMAP)
		return;
	hash = hash_of((const void *)event->record);
	if (!(event->record->flags & BUILDID_RECORD_SNAPSHOT))
		seen_add(recorder->seen, hash);
	else if (*seen_slot(recorder->seen, hash))
		event->flags |= BUILDID_EVENT_DUPLICATE;
}

/* ------------------------------------------------------------- snapshot -- */

static void end_snapshot(struct buildid_recorder *recorder)
{
	buildid_snapshot_free(recorder->snapshot);
	recorder->snapshot = NULL;
	recorder->held = NULL;
}

/* Events of the snapshot may wait for others longer than it is taken. */
static void forget_seen(struct buildid_recorder *recorder)
{
	if (!recorder->seen || recorder->snapshot || buildid_files_timeout(recorder->files, 0) >= 0)
		return;
	free(recorder->seen);
	recorder->seen = NULL;
}

int buildid_recorder_snapshot(struct buildid_recorder *recorder)
{
	if (recorder->stopping)
		return -EINVAL;
	end_snapshot(recorder);
	if (!recorder->seen)
		recorder->seen = calloc(1, sizeof(*recorder->seen));
	if (!recorder->seen)
		return -ENOMEM;
	recorder->fills = 0;
	return buildid_snapshot_new(&recorder->snapshot, recorder->handle, &recorder->options);
}

int buildid_recorder_snapshotting(const struct buildid_recorder *recorder)
{
	return recorder->seen ? 1 : 0;
}

/* Hold the next record of the snapshot; 0 also at its end. */
static int hold_next(struct buildid_recorder *recorder)
{
	int err = buildid_snapshot_next(recorder->snapshot, &recorder->held);

	if (err == -ENODATA) {
		end_snapshot(recorder);
		return 0;
	}
	if (recorder->fills != buildid_snapshot_fills(recorder->snapshot)) {
		recorder->fills = buildid_snapshot_fills(recorder->snapshot);
		recorder->held_for = buildid_ring_end(recorder->handle);
	}
	return err;
}

/* -------------------------------------------------------------- records -- */

static bool is_past_stop(const struct buildid_recorder *recorder)
{
	return recorder->stopping && buildid_ring_passed(recorder->handle, recorder->stop);
}

/* Of the ring, waiting for it; -EAGAIN also for one that does not count. */
static int next_of_ring(struct buildid_recorder *recorder, int timeout_ms,
			const struct buildid_record **record)
{
	bool late = is_past_stop(recorder);
	int err = buildid_next(recorder->handle, timeout_ms, record);

	if (!err && late && (*record)->type != BUILDID_RECORD_FILE)
		return -EAGAIN;
	return err;
}

static int next_record(struct buildid_recorder *recorder, int timeout_ms,
		       const struct buildid_record **record)
{
	int err;

	if (recorder->snapshot && !recorder->held) {
		err = hold_next(recorder);
		if (err)
			return err;
	}
	if (!recorder->held)
		return next_of_ring(recorder, timeout_ms, record);
	if (!buildid_ring_passed(recorder->handle, recorder->held_for))
		return next_of_ring(recorder, BUSY_MS, record);

	*record = recorder->held;
	recorder->held = NULL;
	return 0;
}

/* --------------------------------------------------------------- events -- */

static bool take_event(struct buildid_recorder *recorder, const struct buildid_event **event)
{
	const struct buildid_event *next;

	next = buildid_files_next(recorder->files, clock_ns(CLOCK_MONOTONIC));
	if (next) {
		recorder->event = *next;
		mark(recorder, &recorder->event);
		*event = &recorder->event;
		return true;
	}
	forget_seen(recorder);
	return false;
}

static int take_record(struct buildid_recorder *recorder, int timeout_ms)
{
	const struct buildid_record *record;
	int err = next_record(recorder, timeout_ms, &record);

	return err ? err : buildid_files_push(recorder->files, record);
}

static bool is_done(const struct buildid_recorder *recorder)
{
	return is_past_stop(recorder) && buildid_files_timeout(recorder->files, 0) < 0;
}

/* What to wait for the ring: until @deadline, or an event is to come as it is. */
static int wait_ms(const struct buildid_recorder *recorder, bool forever, uint64_t deadline)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	int held = buildid_files_timeout(recorder->files, now);
	uint64_t left = now < deadline ? (deadline - now + 999999) / 1000000 : 0;

	if (forever)
		return held;
	if (left > INT_MAX)
		left = INT_MAX;
	return held >= 0 && held < (int)left ? held : (int)left;
}

int buildid_recorder_next(struct buildid_recorder *recorder, int timeout_ms,
			  const struct buildid_event **event)
{
	bool forever = timeout_ms < 0;
	uint64_t deadline = 0;
	int wait = 0;
	int err;

	*event = NULL;
	if (timeout_ms > 0)
		deadline = clock_ns(CLOCK_MONOTONIC) + (uint64_t)timeout_ms * 1000000;

	for (;;) {
		if (take_event(recorder, event))
			return 0;
		if (is_done(recorder))
			return -ENODATA;
		err = take_record(recorder, wait);
		if (!err) {
			wait = 0;
			continue;
		}
		if (err != -EAGAIN)
			return err;
		wait = recorder->snapshot ? 0 : wait_ms(recorder, forever, deadline);
		/* Another look after the time is over is for what is held back. */
		if (!forever && clock_ns(CLOCK_MONOTONIC) >= deadline)
			return take_event(recorder, event) ? 0 : -EAGAIN;
	}
}

int buildid_recorder_timeout(const struct buildid_recorder *recorder)
{
	if (recorder->snapshot)
		return 0;
	return buildid_files_timeout(recorder->files, clock_ns(CLOCK_MONOTONIC));
}

void buildid_recorder_stop(struct buildid_recorder *recorder)
{
	if (recorder->stopping)
		return;
	end_snapshot(recorder);
	recorder->stopping = true;
	recorder->stop = buildid_ring_end(recorder->handle);
}

/* ------------------------------------------------------------- recorder -- */

struct buildid *buildid_recorder_handle(struct buildid_recorder *recorder)
{
	return recorder->handle;
}

void buildid_recorder_free(struct buildid_recorder *recorder)
{
	if (!recorder)
		return;
	buildid_snapshot_free(recorder->snapshot);
	buildid_files_free(recorder->files);
	buildid_close(recorder->handle);
	if (recorder->cgroup_fd >= 0)
		close(recorder->cgroup_fd);
	free(recorder->seen);
	free(recorder);
}

/* Kept for snapshots to come, which what they point to may not live to see. */
static int keep_options(struct buildid_recorder *recorder, const struct buildid_options *from)
{
	struct buildid_options *options = &recorder->options;
	int err;

	recorder->cgroup_fd = -1;
	err = buildid_options_take(options, from);
	if (err)
		return err;
	if (options->nr_pids > ARRAY_SIZE(recorder->pids))
		return -EINVAL;
	if (options->nr_pids)
		memcpy(recorder->pids, options->pids, options->nr_pids * sizeof(*options->pids));
	options->pids = recorder->pids;
	if (!(options->flags & BUILDID_SUB_CGROUP))
		return 0;
	recorder->cgroup_fd = fcntl(options->cgroup_fd, F_DUPFD_CLOEXEC, 0);
	if (recorder->cgroup_fd < 0)
		return -errno;
	options->cgroup_fd = recorder->cgroup_fd;
	return 0;
}

static int start(struct buildid_recorder *recorder, const struct buildid_recorder_options *options)
{
	int err = keep_options(recorder, options->subscribe);

	if (!err)
		err = buildid_open(&recorder->handle);
	if (!err)
		err = buildid_files_new(&recorder->files, options->files);
	if (!err)
		err = buildid_subscribe(recorder->handle, &recorder->options);
	if (!err && options->flags & BUILDID_RECORDER_SNAPSHOT)
		err = buildid_recorder_snapshot(recorder);
	return err;
}

int buildid_recorder_new(struct buildid_recorder **recorder,
			 const struct buildid_recorder_options *options)
{
	struct buildid_recorder_options known = {};
	struct buildid_recorder *new;
	int err = 0;

	*recorder = NULL;
	if (options)
		err = buildid_struct_take(&known, sizeof(known), options,
					  STRUCT_LEAST(buildid_recorder_options, files));
	if (err)
		return err;
	if (known.flags & ~BUILDID_RECORDER_SNAPSHOT)
		return -EINVAL;
	new = calloc(1, sizeof(*new));
	if (!new)
		return -ENOMEM;
	err = start(new, &known);
	if (err) {
		buildid_recorder_free(new);
		return err;
	}
	*recorder = new;
	return 0;
}
