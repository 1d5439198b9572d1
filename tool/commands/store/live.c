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
#include "common/signals.h"
#include "content/elf_file.h"
#include "content/kernel_modules.h"
#include "content/mapped_files.h"
#include "content/vdso.h"
#include "live.h"
#include "live_open.h"
#include "live_space.h"
#include "commands/module.h"

/* No records are read while a file is copied, and a large one takes long. */
#define RING_SIZE (16U << 20)
/* Records read before anything else is done. */
#define ROUND 4096
/* Files open at a time. */
#define QUEUE_MAX 256
/* How long to wait for a file that the module is still reading, nanoseconds. */
#define FOLLOWS_NS 5000000000ULL
#define RETRY_MS   50
/* How often to look whether a full disk has room again. */
#define FULL_MS 1000
/* Files remembered, twice this many: 8 MB at most. */
#define STATES_MAX (1U << 17)
/* Low bits of a value of the map: the state; the others: the number of the stored entry. */
#define STATE_BITS 3
#define NO_ENTRY   (STORED_NONE >> STATE_BITS)
/* To run before the processes that it watches, if permitted. */
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
	uint64_t file_id; /* 0 if the module had no memory for it */
	uint64_t since;
	uint32_t pid;
	uint64_t addr;
	bool follows; /* its FILE record */
	bool failed_before;
	struct live_file file; /* or -1 with @reason */
	struct reason reason;
	char *path;
};

TAILQ_HEAD(queue, item);

struct live {
	struct store_job *store;
	struct buildid *handle;
	struct buildid_options options;
	struct buildid_files *files;
	/* By file_id. If there are too many, the older half is forgotten. */
	struct hash_map states, old_states;
	struct live_space space;
	struct live_opener opener;
	bool forgot; /* so something may come a second time */
	struct queue queue;
	size_t queued;
	uint64_t lost;
	bool needs_snapshot; /* records were lost */
	bool stop;
	bool failed; /* watching cannot go on */
};

static void live_fail(struct live *live, const char *object, int error)
{
	module_error(live->store->out, object, error, NULL);
	live->failed = true;
}

/* --------------------------------------------------------------- queue -- */

static void set_value(struct live *live, uint64_t file_id, uint32_t value)
{
	if (live->states.count >= STATES_MAX) {
		hash_map_free(&live->old_states);
		live->old_states = live->states;
		live->states = (struct hash_map){};
		live->forgot = true;
	}
	if (file_id && !hash_map_set(&live->states, file_id, value))
		live_fail(live, "store", -ENOMEM);
}

static void set_state(struct live *live, uint64_t file_id, enum state state)
{
	set_value(live, file_id, state | NO_ENTRY << STATE_BITS);
}

static enum state get_state(struct live *live, uint64_t file_id, uint32_t *entry)
{
	uint32_t none = STATE_NEW | NO_ENTRY << STATE_BITS;
	uint32_t value = hash_map_get(&live->states, file_id, none);

	if (value == none) {
		value = hash_map_get(&live->old_states, file_id, none);
		if (value != none)
			set_value(live, file_id, value);
	}
	*entry = value >> STATE_BITS == NO_ENTRY ? STORED_NONE : value >> STATE_BITS;
	return value & ((1U << STATE_BITS) - 1);
}

/* What was removed has to be stored again when it is mapped again. */
static void forget_states(struct live *live)
{
	live->space.forget = false;
	live->forgot = true;
	hash_map_free(&live->states);
	hash_map_free(&live->old_states);
}

static void item_free(struct live *live, struct item *item)
{
	live_close(&live->opener, &item->file);
	free(item->path);
	free(item);
}

/* If the module has no path, or only the last part of it. */
static void complete_path(struct item *item)
{
	char *path = *item->path != '/' && item->file.fd >= 0 ? opened_path(item->file.fd) : NULL;

	if (path) {
		free(item->path);
		item->path = path;
	}
}

static void open_item(struct live *live, struct item *item)
{
	live_open_mapped(&live->opener, item->pid, item->addr, item->path, &item->file,
			 &item->reason);
	complete_path(item);
}

static void live_enqueue(struct live *live, const struct buildid_mmap *mmap, const char *path,
			 bool follows)
{
	struct item *item = calloc(1, sizeof(*item));
	uint32_t unused;

	if (item)
		item->path = strdup(path);
	if (!item || !item->path) {
		free(item);
		live_fail(live, "store", -ENOMEM);
		return;
	}
	item->file_id = mmap->file_id;
	item->pid = mmap->pid;
	item->addr = mmap->addr;
	item->follows = follows;
	item->failed_before = get_state(live, mmap->file_id, &unused) == STATE_FAILED;
	item->since = clock_ns(CLOCK_MONOTONIC);
	open_item(live, item);
	TAILQ_INSERT_TAIL(&live->queue, item, entry);
	live->queued++;
	set_state(live, mmap->file_id, STATE_QUEUED);
}

/* ---------------------------------------------------------------- files -- */

/* With the path in the namespace of its process, which may still lead to it. */
static void live_describe(struct live *live, struct item *item, const char *path)
{
	char *copy = *path == '/' ? strdup(path) : NULL;

	item->follows = false;
	if (!copy)
		return;
	free(item->path);
	item->path = copy;
	if (item->file.fd < 0)
		open_item(live, item);
}

static void handle_file(struct live *live, const struct buildid_file *file)
{
	const char *path = buildid_file_path(file);
	struct item *item;

	TAILQ_FOREACH(item, &live->queue, entry)
	{
		if (item->follows && item->file_id == file->file_id && item->pid == file->pid)
			live_describe(live, item, path ? path : "");
	}
}

/* The identity of the mapped content; read from the file if the module has none. */
static bool request_id(const struct item *item, const struct buildid_file *file,
		       struct build_id *id)
{
	const uint8_t *bytes;
	size_t size;

	if (file) {
		bytes = buildid_file_id_bytes(file, &size);
		return file->kind == BUILDID_KIND_GNU && bytes && build_id_set(id, bytes, size);
	}
	return item->file.fd >= 0 && !item->file.unread && elf_file_build_id(item->file.fd, id);
}

/* Replace a file that must not be read here by a copy of its content. */
static bool read_by_worker(struct live *live, struct item *item)
{
	int fd = live_copy(&live->opener, &item->file, &item->reason);

	if (fd < 0)
		return false;
	live_close(&live->opener, &item->file);
	item->file.fd = fd;
	item->file.unread = false;
	return true;
}

/*
 * The process may have exited, or have another program at that address by now: the file at the path
 * may still be the right one.
 */
static bool live_put(struct live *live, struct item *item, const struct build_id *id)
{
	struct debug_item entry = {
		.id = id,
		.name = item->path,
		.part = CONTENT_ELF,
	};
	struct reason reason;
	bool done;

	if (item->file.unread && !read_by_worker(live, item))
		return false;
	entry.fd = item->file.fd;
	if (entry.fd >= 0 && live_space_put(&live->space, &entry, &item->reason))
		return true;
	entry.fd = live_open(&live->opener, item->file.user, item->path, &reason);
	if (entry.fd < 0) {
		if (item->file.fd < 0)
			item->reason = reason;
		return false;
	}
	done = live_space_put(&live->space, &entry, &item->reason);
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
			  const char *source, const char *note)
{
	uint32_t number = stored_find(live->space.stored, id);

	live->store->failed -= item->failed_before;
	stored_use(live->space.stored, number);
	/* It was reported when it was stored. */
	if (!live->forgot || strcmp(source, "kept") || number == STORED_NONE)
		store_report_ok(live->store, id, item->path, source, note);
	if (number < NO_ENTRY)
		set_value(live, item->file_id, STATE_STORED | number << STATE_BITS);
	else
		set_state(live, item->file_id, STATE_STORED);
}

/* The first file with a build-id may have been a forgery. */
static bool replaces(struct live *live, const struct item *item, const struct build_id *id)
{
	struct reason unused;

	return item->file.fd >= 0 && !item->file.unread && content_is_ours(item->file.fd) &&
	       store_has_others(live->store, id) &&
	       content_is(item->file.fd, id, CONTENT_ELF, &unused);
}

/* The stored content may have come from another file. It is not checked again. */
static void live_keep(struct live *live, struct item *item, const struct build_id *id)
{
	const char *note = NULL;

	if (item->file.fd < 0 || item->file.unread ||
	    store_stands_for(live->store, id, item->file.fd, &note)) {
		report_stored(live, item, id, "kept", note);
		return;
	}
	reason_set(&item->reason, "%s", note);
	report_failed(live, item, id);
	set_state(live, item->file_id, STATE_NO_ID);
}

static void store_item(struct live *live, struct item *item, const struct buildid_file *file)
{
	struct build_id id;

	if (item->follows && !file) {
		reason_set(&item->reason, "the module has not read it in time");
		report_failed(live, item, NULL);
	} else if (!request_id(item, file, &id)) {
		set_state(live, item->file_id, STATE_NO_ID);
	} else if (store_has(live->store, &id, CONTENT_ELF) && !replaces(live, item, &id)) {
		live_keep(live, item, &id);
	} else if (live_put(live, item, &id)) {
		report_stored(live, item, &id, "mapped", NULL);
	} else {
		report_failed(live, item, &id);
	}
}

/*
 * Store the first in the queue whose content is known; with @all also one that the module has not
 * read yet. False if there is none.
 */
static bool store_next(struct live *live, bool all)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	const struct buildid_file *file;
	struct item *item;

	TAILQ_FOREACH(item, &live->queue, entry)
	{
		if (all || !item->follows || now - item->since >= FOLLOWS_NS)
			break;
	}
	if (!item)
		return false;
	file = buildid_files_find(live->files, item->file_id);
	TAILQ_REMOVE(&live->queue, item, entry);
	live->queued--;
	store_item(live, item, file);
	item_free(live, item);
	if (live->space.forget)
		forget_states(live);
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
	return file && file->kind != BUILDID_KIND_GNU;
}

static void handle_mmap(struct live *live, const struct buildid_event *event)
{
	const struct buildid_mmap *mmap = (const void *)event->record;
	const struct buildid_file *file = event->file;
	const char *path = file ? buildid_file_path(file) : NULL;
	uint32_t number;
	enum state state = get_state(live, mmap->file_id, &number);

	if (state == STATE_STORED)
		stored_use(live->space.stored, number);
	if (state != STATE_NEW && state != STATE_FAILED)
		return;
	if (!path)
		path = "";
	if (file && file->reason == BUILDID_REASON_NOT_READ) {
		if (state == STATE_NEW)
			store_report_fail(live->store, NULL, path, LIVE_ON_FUSE);
		set_state(live, mmap->file_id, STATE_FAILED);
		return;
	}
	if (has_no_id(file)) {
		set_state(live, mmap->file_id, STATE_NO_ID);
		return;
	}
	live_enqueue(live, mmap, path, event->flags & BUILDID_EVENT_FILE_FOLLOWS);
	if (live->queued >= QUEUE_MAX)
		store_queue(live, live->queued >= 2 * QUEUE_MAX);
}

static void store_kernel_content(struct live *live, const struct request *request)
{
	store_request(live->store, request);
	live_space_add(&live->space, &request->id);
	if (live->space.forget)
		forget_states(live);
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
	store_kernel_content(live, &request);
	free(path);
}

static void live_handle(struct live *live, const struct buildid_record *record)
{
	const struct buildid_lost *lost = (const void *)record;
	const struct buildid_event *event;
	int err = buildid_files_join(live->files, record, &event);

	if (err) {
		live_fail(live, "store", err);
		return;
	}
	switch (record->type) {
	case BUILDID_RECORD_FILE:
		handle_file(live, event->file);
		break;
	case BUILDID_RECORD_MMAP:
		handle_mmap(live, event);
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

/* Read waiting records, but at most one round, as new ones may come just as fast. */
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
			live_fail(live, BUILDID_DEVICE, err);
		else
			live_handle(live, record);
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
		live_fail(live, BUILDID_DEVICE, err);
		return;
	}
	while (!live->failed) {
		err = buildid_snapshot_next(snapshot, &record);
		if (err == -ENODATA)
			break;
		if (!err)
			live_handle(live, record);
	}
	buildid_snapshot_free(snapshot);
}

static void store_vdso(struct live *live)
{
	struct request request = { .kind = REQUEST_VDSO, .path = DEBUG_DIR_VDSO };

	if (!vdso_build_id(&request.id))
		return;
	store_kernel_content(live, &request);
}

/* ----------------------------------------------------------- statistics -- */

struct statistic {
	const char *name;
	uint64_t value;
};

/* Print those that are not 0, and always the number stored. */
static void print_statistics(const struct statistic *all, size_t count)
{
	size_t i;

	fprintf(stderr, "buildid: %" PRIu64 " %s", all[0].value, all[0].name);
	for (i = 1; i < count; i++)
		if (all[i].value)
			fprintf(stderr, ", %" PRIu64 " %s", all[i].value, all[i].name);
}

static void show_statistics(const struct live *live)
{
	const struct store_job *store = live->store;
	struct output *out = store->out;
	const struct statistic all[] = {
		{ "stored", store->stored },   { "evicted", live->space.evicted },
		{ "skipped", store->skipped }, { "failed", store->failed },
		{ "lost", live->lost },
	};
	uint64_t bytes = stored_bytes(live->space.stored);
	size_t i, entries = stored_count(live->space.stored);

	print_statistics(all, ARRAY_SIZE(all));
	fprintf(stderr, "; of its own %zu files with %" PRIu64 " kB\n", entries, bytes >> 10);
	if (!out->json)
		return;
	out_begin(out);
	out_string(out, "type", 0, "summary");
	for (i = 0; i < ARRAY_SIZE(all); i++)
		out_number(out, all[i].name, 0, all[i].value);
	out_number(out, "entries", 0, entries);
	out_number(out, "bytes", 0, bytes);
	out_end(out);
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
	if (number == SIGUSR1)
		show_statistics(live);
	else if (number == SIGINT || number == SIGTERM || number == SIGHUP)
		live->stop = true;
}

static int live_timeout(const struct live *live)
{
	return live->queued ? RETRY_MS : live->space.needed ? FULL_MS : -1;
}

static void live_watch(struct live *live, int signals)
{
	store_vdso(live);
	/* First the kernel's records, as its file takes long to find. */
	read_records(live);
	read_snapshot(live);
	store_queue(live, false);
	fprintf(stderr, "buildid: watching, %" PRIu64 " stored so far\n", live->store->stored);
	while (!live->stop && !live->failed) {
		read_records(live);
		if (live->needs_snapshot)
			read_snapshot(live);
		/* One at a time: the ring fills up meanwhile. */
		if (store_next(live, false))
			wait_for_more(live, signals, 0);
		else
			wait_for_more(live, signals, live_timeout(live));
		/* What did not fit may still be mapped. */
		live->needs_snapshot |= live_space_has_room_again(&live->space);
	}
	read_records(live);
	store_queue(live, true);
	show_statistics(live);
}

static bool open_all(struct live *live, uint64_t max_size)
{
	struct store_job *store = live->store;
	struct reason reason;
	int err;

	live->handle = module_subscribe(live->store->out, &live->options);
	if (!live->handle)
		return false;
	err = buildid_files_new(&live->files, NULL);
	if (err)
		live_fail(live, "store", err);
	else if (!live_space_open(&live->space, store->dir, live->handle, max_size, &reason))
		out_error(store->out, debug_dir_path(store->dir), "%s", reason.text);
	return live->space.stored;
}

static void close_all(struct live *live)
{
	struct item *item;

	while ((item = TAILQ_FIRST(&live->queue))) {
		TAILQ_REMOVE(&live->queue, item, entry);
		item_free(live, item);
	}
	hash_map_free(&live->states);
	hash_map_free(&live->old_states);
	live_opener_end(&live->opener);
	live_space_close(&live->space);
	buildid_files_free(live->files);
	buildid_close(live->handle);
}

int live_run(struct store_job *store, const struct filter *filter, uint32_t ring_size,
	     uint64_t max_size)
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

	live_opener_init(&live.opener);
	/* A hard link would change with the file. */
	store->copy = true;
	store->unpack = true;
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!filter_pids_exist(filter, store->out))
		return EXIT_FAILURE;
	signals = signals_open_with((const int[]){ SIGHUP, SIGUSR1 }, 2);
	if (signals < 0 || !open_all(&live, max_size)) {
		close_all(&live);
		return EXIT_FAILURE;
	}
	setpriority(PRIO_PROCESS, 0, NICENESS);
	live_watch(&live, signals);
	signals_close(signals);
	close_all(&live);
	return live.failed || store->failed || live.lost ? EXIT_FAILURE : EXIT_SUCCESS;
}
