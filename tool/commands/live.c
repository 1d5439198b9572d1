// SPDX-License-Identifier: GPL-2.0
/*
 * Live: store what is mapped before it is gone.
 *
 * A file is opened as soon as the record of its mapping is read: an open file can be
 * read even if it is deleted or replaced. It is copied when no more records wait. A
 * file that is overwritten in place before that is lost, and reported as failed.
 */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/array.h"
#include "common/clock.h"
#include "common/hash_map.h"
#include "common/open_regular.h"
#include "common/signals.h"
#include "content/elf_file.h"
#include "content/kernel_modules.h"
#include "content/mapped_files.h"
#include "content/vdso.h"
#include "live.h"
#include "module.h"

/* No records are read while a file is copied, and a large one takes long. */
#define RING_SIZE (16U << 20)
/* Records read before anything else is done. */
#define ROUND 4096
/* Files open at a time. */
#define QUEUE_MAX 256
/* How long to wait for a file that the module is still reading, nanoseconds. */
#define PATIENCE_NS 5000000000ULL
#define NAP_MS	    50
/* To run before the processes that it watches, where that is allowed. */
#define NICENESS (-10)

/* Of a file_id. */
enum state {
	STATE_NEW,
	STATE_QUEUED,
	STATE_STORED,
	STATE_FAILED, /* retried when it is mapped again */
	STATE_NO_ID,
};

struct item {
	TAILQ_ENTRY(item) entry;
	uint64_t file_id; /* 0 when the module had no memory for it */
	uint64_t since;
	bool failed_before;
	int fd; /* or -1 with @reason */
	struct reason reason;
	char *path;
};

TAILQ_HEAD(queue, item);

struct live {
	struct store_job *store;
	struct buildid *handle;
	struct buildid_options options;
	struct buildid_files *files;
	struct hash_map states;
	struct queue queue;
	size_t queued;
	uint64_t lost;
	bool needs_snapshot; /* records were lost */
	bool stop;
	bool failed; /* watching cannot go on */
};

static void fail(struct live *live, const char *object, int error)
{
	module_error(live->store->out, object, error, NULL);
	live->failed = true;
}

/* --------------------------------------------------------------- queue -- */

static void set_state(struct live *live, uint64_t file_id, enum state state)
{
	if (file_id && !hash_map_set(&live->states, file_id, state))
		fail(live, "store", -ENOMEM);
}

static void item_free(struct item *item)
{
	if (item->fd >= 0)
		close(item->fd);
	free(item->path);
	free(item);
}

static void enqueue(struct live *live, const struct buildid_mmap *mmap, const char *path)
{
	struct item *item = calloc(1, sizeof(*item));

	if (item)
		item->path = strdup(path);
	if (!item || !item->path) {
		free(item);
		fail(live, "store", -ENOMEM);
		return;
	}
	item->file_id = mmap->file_id;
	item->failed_before = hash_map_get(&live->states, mmap->file_id, STATE_NEW) == STATE_FAILED;
	item->since = clock_ns(CLOCK_MONOTONIC);
	item->fd = mapped_file_open_at(mmap->pid, mmap->addr, path, &item->reason);
	TAILQ_INSERT_TAIL(&live->queue, item, entry);
	live->queued++;
	set_state(live, mmap->file_id, STATE_QUEUED);
}

/* ---------------------------------------------------------------- files -- */

static bool is_waiting(const struct buildid_file *file)
{
	return file && file->reason == BUILDID_REASON_PENDING;
}

/* The identity of the mapped content; read from the file where the module has none. */
static bool request_id(const struct item *item, const struct buildid_file *file,
		       struct build_id *id)
{
	const uint8_t *bytes;
	size_t size;

	if (file) {
		bytes = buildid_file_id_bytes(file, &size);
		return file->kind == BUILDID_KIND_GNU && bytes && build_id_set(id, bytes, size);
	}
	return item->fd >= 0 && elf_file_build_id(item->fd, id);
}

/*
 * The process may be gone, or have another program at that address by now: the file at
 * the path may still be the one.
 */
static bool put(struct live *live, struct item *item, const struct build_id *id)
{
	struct debug_item entry = {
		.id = id,
		.name = item->path,
		.part = CONTENT_ELF,
		.fd = item->fd,
	};
	struct reason reason;
	bool done;

	if (entry.fd >= 0 && debug_dir_put(live->store->dir, &entry, &item->reason))
		return true;
	entry.fd = open_untrusted(AT_FDCWD, item->path, &reason);
	if (entry.fd < 0)
		return false;
	done = debug_dir_put(live->store->dir, &entry, &item->reason);
	close(entry.fd);
	return done;
}

static void report_failed(struct live *live, const struct item *item, const struct build_id *id)
{
	/* Once for each file. */
	if (!item->failed_before)
		store_report_fail(live->store, id, item->path, item->reason.text);
	set_state(live, item->file_id, STATE_FAILED);
}

static void report_stored(struct live *live, const struct item *item, const struct build_id *id,
			  const char *source)
{
	live->store->failed -= item->failed_before;
	store_report_ok(live->store, id, item->path, source);
	set_state(live, item->file_id, STATE_STORED);
}

/* Whoever came first with a build-id may have forged it. */
static bool replaces(struct live *live, const struct item *item, const struct build_id *id)
{
	struct reason unused;

	return item->fd >= 0 && content_is_ours(item->fd) && store_has_others(live->store, id) &&
	       content_is(item->fd, id, CONTENT_ELF, &unused);
}

static void store_item(struct live *live, struct item *item, const struct buildid_file *file)
{
	struct build_id id;

	if (is_waiting(file)) {
		reason_set(&item->reason, "the module has not read it in time");
		report_failed(live, item, NULL);
	} else if (!request_id(item, file, &id)) {
		set_state(live, item->file_id, STATE_NO_ID);
	} else if (store_has(live->store, &id, CONTENT_ELF) && !replaces(live, item, &id)) {
		report_stored(live, item, &id, "kept");
	} else if (put(live, item, &id)) {
		report_stored(live, item, &id, "mapped");
	} else {
		report_failed(live, item, &id);
	}
}

/*
 * The first of the queue whose content is known; with @all also one that the module has
 * not read yet. False when there is none.
 */
static bool store_next(struct live *live, bool all)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	const struct buildid_file *file;
	struct item *item;

	TAILQ_FOREACH(item, &live->queue, entry)
	{
		file = buildid_files_find(live->files, item->file_id);
		if (all || !is_waiting(file) || now - item->since >= PATIENCE_NS)
			break;
	}
	if (!item)
		return false;
	TAILQ_REMOVE(&live->queue, item, entry);
	live->queued--;
	store_item(live, item, file);
	item_free(item);
	return true;
}

static void store_queue(struct live *live, bool all)
{
	while (store_next(live, all))
		;
}

/* -------------------------------------------------------------- records -- */

static bool has_no_id(const struct buildid_file *file)
{
	return file && file->kind != BUILDID_KIND_GNU && !is_waiting(file);
}

/* Its server may be any user, and never answer. */
static bool is_deferred(const struct buildid_mmap *mmap, const struct buildid_file *file)
{
	return file ? file->reason == BUILDID_REASON_DEFERRED :
		      mmap->state == BUILDID_STATE_DEFERRED;
}

static void handle_mmap(struct live *live, const struct buildid_mmap *mmap)
{
	const struct buildid_file *file = buildid_files_find(live->files, mmap->file_id);
	enum state state = hash_map_get(&live->states, mmap->file_id, STATE_NEW);
	const char *path = buildid_mmap_path(mmap);

	if (state != STATE_NEW && state != STATE_FAILED)
		return;
	if ((!path || !*path) && file)
		path = buildid_file_path(file);
	if (!path)
		path = "";
	if (is_deferred(mmap, file)) {
		if (state == STATE_NEW)
			store_report_fail(live->store, NULL, path,
					  "is on FUSE, whose server may never answer");
		set_state(live, mmap->file_id, STATE_FAILED);
		return;
	}
	if (has_no_id(file)) {
		set_state(live, mmap->file_id, STATE_NO_ID);
		return;
	}
	enqueue(live, mmap, path);
	if (live->queued >= QUEUE_MAX)
		store_queue(live, live->queued >= 2 * QUEUE_MAX);
}

static void handle_image(struct live *live, const struct buildid_image *image)
{
	struct request request = { .kind = REQUEST_MODULE, .at_once = true };
	char *path = NULL;
	const uint8_t *bytes;
	char name[128];
	size_t size;

	bytes = buildid_image_id_bytes(image, &size);
	if (image->flags & BUILDID_IMAGE_UNLOAD || image->kind != BUILDID_KIND_GNU || !bytes ||
	    !build_id_set(&request.id, bytes, size))
		return;
	if (image->header.type == BUILDID_RECORD_KERNEL) {
		request.kind = REQUEST_KERNEL;
		request.path = DEBUG_DIR_KERNEL;
	} else {
		snprintf(name, sizeof(name), "[%s]", buildid_image_name(image));
		path = module_file(buildid_image_name(image));
		request.path = path ? path : name;
	}
	store_request(live->store, &request);
	free(path);
}

static void handle(struct live *live, const struct buildid_record *record)
{
	const struct buildid_lost *lost = (const void *)record;
	int err;

	switch (record->type) {
	case BUILDID_RECORD_FILE:
		err = buildid_files_push(live->files, record);
		if (err)
			fail(live, "store", err);
		break;
	case BUILDID_RECORD_MMAP:
		handle_mmap(live, (const void *)record);
		break;
	case BUILDID_RECORD_KERNEL:
	case BUILDID_RECORD_MODULE:
		handle_image(live, (const void *)record);
		break;
	case BUILDID_RECORD_LOST:
		live->lost += lost->ring_full + lost->missed_probe;
		live->needs_snapshot = true;
		break;
	}
}

/* Those that wait, but no more than a round, as new ones may come as fast. */
static void read_records(struct live *live)
{
	const struct buildid_record *record;
	size_t left = ROUND;
	int err;

	while (left-- && !live->failed) {
		err = buildid_next(live->handle, 0, &record);
		if (err == -EAGAIN || err == -EINTR)
			return;
		if (err)
			fail(live, BUILDID_DEVICE, err);
		else
			handle(live, record);
	}
}

static void read_snapshot(struct live *live)
{
	struct buildid_snapshot *snapshot;
	const struct buildid_record *record;
	int err;

	live->needs_snapshot = false;
	err = buildid_snapshot_new(&snapshot, live->handle, &live->options);
	if (err) {
		fail(live, BUILDID_DEVICE, err);
		return;
	}
	while (!live->failed) {
		err = buildid_snapshot_next(snapshot, &record);
		if (err == -ENODATA)
			break;
		if (!err)
			handle(live, record);
	}
	buildid_snapshot_free(snapshot);
}

static void store_vdso(struct live *live)
{
	struct request request = { .kind = REQUEST_VDSO, .path = DEBUG_DIR_VDSO };

	if (vdso_build_id(&request.id))
		store_request(live->store, &request);
}

/* ---------------------------------------------------------------- watch -- */

static void wait_for_more(struct live *live, int signals, int milliseconds)
{
	struct pollfd polls[] = {
		{ .fd = signals, .events = POLLIN },
		{ .fd = buildid_fd(live->handle), .events = POLLIN },
	};
	int number;

	poll(polls, ARRAY_SIZE(polls), milliseconds);
	number = signals_read(signals);
	if (number == SIGINT || number == SIGTERM)
		live->stop = true;
}

static void watch(struct live *live, int signals)
{
	store_vdso(live);
	/* The kernel's, whose file takes long to find. */
	read_records(live);
	read_snapshot(live);
	store_queue(live, false);
	fprintf(stderr, "buildid: watching, %" PRIu64 " stored so far\n", live->store->stored);
	while (!live->stop && !live->failed) {
		read_records(live);
		if (live->needs_snapshot)
			read_snapshot(live);
		/* One at a time: the ring fills as it is copied. */
		if (store_next(live, false))
			wait_for_more(live, signals, 0);
		else
			wait_for_more(live, signals, live->queued ? NAP_MS : -1);
	}
	read_records(live);
	store_queue(live, true);
	fprintf(stderr, "buildid: %" PRIu64 " stored, %" PRIu64 " failed, %" PRIu64 " lost\n",
		live->store->stored, live->store->failed, live->lost);
}

static bool open_all(struct live *live)
{
	int err;

	live->handle = module_subscribe(live->store->out, &live->options);
	if (!live->handle)
		return false;
	err = buildid_files_new(&live->files, NULL);
	if (err)
		fail(live, "store", err);
	return !err;
}

static void close_all(struct live *live)
{
	struct item *item;

	while ((item = TAILQ_FIRST(&live->queue))) {
		TAILQ_REMOVE(&live->queue, item, entry);
		item_free(item);
	}
	hash_map_free(&live->states);
	buildid_files_free(live->files);
	buildid_close(live->handle);
}

int live_run(struct store_job *store, const struct filter *filter, uint32_t ring_size)
{
	struct live live = {
		.store = store,
		.queue = TAILQ_HEAD_INITIALIZER(live.queue),
		.options = {
			.size = sizeof(live.options),
			.flags = BUILDID_SUB_PATH | BUILDID_SUB_KERNEL |
				 (filter->children ? BUILDID_SUB_CHILDREN : 0),
			.ring_size = ring_size ? ring_size : RING_SIZE,
			.nr_pids = filter->nr_pids,
			.pids = filter->pids,
		},
	};
	int signals;

	/* A link would change with the file. */
	store->copy = true;
	store->unpack = true;
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!filter_pids_exist(filter, store->out))
		return EXIT_FAILURE;
	signals = signals_open();
	if (signals < 0 || !open_all(&live)) {
		close_all(&live);
		return EXIT_FAILURE;
	}
	setpriority(PRIO_PROCESS, 0, NICENESS);
	watch(&live, signals);
	signals_close(signals);
	close_all(&live);
	return live.failed || store->failed || live.lost ? EXIT_FAILURE : EXIT_SUCCESS;
}
