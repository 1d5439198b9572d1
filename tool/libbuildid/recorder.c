// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Recorder: the ring and a snapshot, merged, and joined with a file table.
 *
 * A snapshot comes in parts, each of one moment. Before a part is delivered the
 * ring is read up to where it ended after that moment. So a mapping that is both in
 * the part and in the ring comes from the ring first, and from the snapshot as a
 * duplicate. This also keeps the ring from overflowing while the snapshot of a large
 * machine is taken.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "internal.h"

/* How long to wait for a record that is being written. */
#define BUSY_MS 1
/* After the stop: how long to wait for files that are still being read, in nanoseconds. */
#define LAST_WAIT_NS 1000000000ULL

#define SEEN_SLOTS 65536 /* a power of two */
#define SEEN_MAX   (SEEN_SLOTS / 4 * 3)

/* The mappings that came from the ring, as hashes; 0 is a free slot. */
struct seen {
	uint64_t seed;
	size_t count;
	uint64_t slots[SEEN_SLOTS];
};

struct buildid_recorder {
	struct buildid_options options;
	struct buildid_event event;
	uint32_t pids[BUILDID_SUB_PIDS_MAX];
	int cgroup_fd; /* the recorder's own, or -1 */

	struct buildid *handle;
	struct buildid_files *files;

	struct buildid_snapshot *snapshot;
	const struct buildid_record *held; /* from the snapshot, until the ring */
	uint64_t held_until;		   /* has been read up to there */
	size_t requests;
	struct seen *seen;

	bool stopping;
	uint64_t stop;	    /* in the ring: only FILE records are delivered from there */
	uint64_t last_time; /* of the stream: give up on FILE records after it */
	uint64_t now;	    /* of the stream */
};

/* ----------------------------------------------------------- duplicates -- */

static uint64_t hash_of(const struct seen *seen, const struct buildid_mmap *mmap)
{
	uint64_t hash = hash_add(seen->seed, mmap->pid);

	hash = hash_add(hash, mmap->addr);
	hash = hash_add(hash, mmap->len);
	hash = hash_add(hash, mmap->pgoff);
	hash = hash_add(hash, mmap->file_id);
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
	hash = hash_of(recorder->seen, (const void *)event->record);
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
	free(recorder->seen);
	recorder->seen = NULL;
}

int buildid_recorder_snapshot(struct buildid_recorder *recorder)
{
	int err;

	if (recorder->stopping)
		return -EINVAL;
	end_snapshot(recorder);
	recorder->seen = calloc(1, sizeof(*recorder->seen));
	if (!recorder->seen)
		return -ENOMEM;
	recorder->seen->seed = hash_seed();
	recorder->requests = 0;
	err = buildid_snapshot_new(&recorder->snapshot, recorder->handle, &recorder->options);
	if (err)
		end_snapshot(recorder);
	return err;
}

int buildid_recorder_snapshotting(const struct buildid_recorder *recorder)
{
	return recorder->snapshot ? 1 : 0;
}

/* Hold the next record of the snapshot until the ring is read; 0 also at its end. */
static int hold_next(struct buildid_recorder *recorder)
{
	int err = buildid_snapshot_next(recorder->snapshot, &recorder->held);

	if (err == -ENODATA) {
		end_snapshot(recorder);
		return 0;
	}
	if (recorder->requests != buildid_snapshot_requests(recorder->snapshot)) {
		recorder->requests = buildid_snapshot_requests(recorder->snapshot);
		recorder->held_until = buildid_ring_end(recorder->handle);
	}
	return err;
}

/* -------------------------------------------------------------- records -- */

static bool is_past_stop(const struct buildid_recorder *recorder)
{
	return recorder->stopping && buildid_ring_passed(recorder->handle, recorder->stop);
}

/*
 * An awaited FILE record may already be in the ring, however late the ring is read. So the time is
 * that of the last record; the clock counts only if @record is NULL, as the ring is empty.
 */
static void set_now(struct buildid_recorder *recorder, const struct buildid_record *record)
{
	/* Read the clock first: records that come after the ring was found empty are later. */
	uint64_t now = record ? record->time_mono : now_ns();

	if (record || buildid_ring_passed(recorder->handle, buildid_ring_end(recorder->handle)))
		recorder->now = now;
}

/* Wait for the ring. NULL for a record that is skipped, after the stop. */
static int next_from_ring(struct buildid_recorder *recorder, int timeout_ms,
			  const struct buildid_record **record)
{
	bool late = is_past_stop(recorder);
	int err = buildid_next(recorder->handle, timeout_ms, record);

	if (late)
		set_now(recorder, *record);
	if (!err && late && (*record)->type != BUILDID_RECORD_FILE)
		*record = NULL;
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
		return next_from_ring(recorder, timeout_ms, record);
	if (!buildid_ring_passed(recorder->handle, recorder->held_until))
		return next_from_ring(recorder, BUSY_MS, record);

	*record = recorder->held;
	recorder->held = NULL;
	return 0;
}

/* --------------------------------------------------------------- events -- */

/* The next one, if there is any within @timeout_ms; NULL for a record that is skipped. */
static int next_event(struct buildid_recorder *recorder, int timeout_ms,
		      const struct buildid_event **event)
{
	const struct buildid_record *record;
	int err = next_record(recorder, timeout_ms, &record);

	if (err || !record)
		return err;
	err = buildid_files_join(recorder->files, record, event);
	if (err)
		return err;
	recorder->event = **event;
	mark(recorder, &recorder->event);
	*event = &recorder->event;
	return 0;
}

static bool is_done(const struct buildid_recorder *recorder)
{
	return is_past_stop(recorder) &&
	       (!buildid_files_following(recorder->files) || recorder->now >= recorder->last_time);
}

int buildid_recorder_timeout(const struct buildid_recorder *recorder)
{
	uint64_t now;

	if (recorder->snapshot)
		return 0;
	if (!recorder->stopping)
		return -1;
	now = now_ns();
	return now < recorder->last_time ? ns_to_ms(recorder->last_time - now) : 0;
}

/* The smaller of two timeouts of poll(2); -1 means forever. */
static int sooner(int one, int other)
{
	return (unsigned int)one < (unsigned int)other ? one : other;
}

int buildid_recorder_next(struct buildid_recorder *recorder, int timeout_ms,
			  const struct buildid_event **event)
{
	uint64_t deadline = deadline_after(timeout_ms);
	int left, wait = 0;
	int err;

	*event = NULL;
	for (;;) {
		if (is_done(recorder))
			return -ENODATA;
		err = next_event(recorder, wait, event);
		wait = 0;
		if (!err && !*event)
			continue;
		if (err != -EAGAIN)
			return err;
		left = deadline_left(deadline);
		if (!left)
			return -EAGAIN;
		wait = sooner(left, buildid_recorder_timeout(recorder));
		/* What is due may be a record that is being written. */
		if (!wait && !recorder->snapshot)
			wait = BUSY_MS;
	}
}

void buildid_recorder_stop(struct buildid_recorder *recorder)
{
	if (recorder->stopping)
		return;
	end_snapshot(recorder);
	recorder->stopping = true;
	recorder->stop = buildid_ring_end(recorder->handle);
	recorder->last_time = now_ns() + LAST_WAIT_NS;
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

/* Later snapshots need them, when what they point to may have been freed. */
static int copy_options(struct buildid_recorder *recorder, const struct buildid_options *from)
{
	struct buildid_options *options = &recorder->options;
	int err;

	recorder->cgroup_fd = -1;
	err = buildid_options_copy_in(options, from);
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

static int recorder_start(struct buildid_recorder *recorder,
			  const struct buildid_recorder_options *options)
{
	struct buildid_files_options files = {};
	int err = copy_options(recorder, options->subscribe);

	if (!err)
		err = buildid_open(&recorder->handle);
	if (!err)
		err = buildid_files_options_copy_in(&files, options->files);
	files.flags = recorder->options.flags;
	if (!err)
		err = buildid_files_new(&recorder->files, &files);
	if (!err)
		err = buildid_subscribe(recorder->handle, &recorder->options);
	if (!err && options->flags & BUILDID_RECORDER_SNAPSHOT)
		err = buildid_recorder_snapshot(recorder);
	return err;
}

int buildid_recorder_new(struct buildid_recorder **recorder,
			 const struct buildid_recorder_options *options)
{
	struct buildid_recorder_options known;
	struct buildid_recorder *new;
	int err;

	*recorder = NULL;
	err = buildid_struct_copy_in(&known, sizeof(known), options,
				     offsetofend(buildid_recorder_options, files));
	if (err)
		return err;
	if (known.flags & ~BUILDID_RECORDER_SNAPSHOT)
		return -EINVAL;
	new = calloc(1, sizeof(*new));
	if (!new)
		return -ENOMEM;
	err = recorder_start(new, &known);
	if (err) {
		buildid_recorder_free(new);
		return err;
	}
	*recorder = new;
	return 0;
}
