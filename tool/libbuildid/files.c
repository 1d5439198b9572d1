// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * File table: joins each mapping with its content's identity.
 *
 * Entries are in a hash table, for lookup, and in a list by last use, for
 * forgetting. An entry that a queued event waits for is not forgotten, so there are
 * at most max_files + max_waiting of them.
 *
 * An event that has to wait is copied to a queue, and then so are all behind it, as
 * order matters. One that need not wait is passed through without a copy.
 *
 * A forgotten entry and a delivered event keep their memory for the next one: once
 * the table is full it does not allocate any more.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "internal.h"

#define DEFAULT_FILES	65536
#define DEFAULT_WAITING 4096
#define DEFAULT_WAIT	1000000000ULL
#define FIRST_BUCKETS	64
/* Memory is allocated in these steps, so that most records fit where another was. */
#define ROOM_STEP 256

struct entry {
	LIST_ENTRY(entry) bucket; /* or in @spare */
	TAILQ_ENTRY(entry) use;
	size_t waiters;
	uint64_t file_id;
	struct buildid_file *file;
	size_t room; /* bytes at @file */
};

LIST_HEAD(entries, entry);

struct waiting {
	STAILQ_ENTRY(waiting) queue; /* or in @spare_waiting */
	struct entry *entry;
	size_t room; /* bytes at @record */
	uint64_t record[];
};

STAILQ_HEAD(waitings, waiting);

struct buildid_files {
	struct buildid_files_options bound;

	struct entries *buckets;
	size_t nr_buckets; /* a power of two */
	size_t nr_entries;
	size_t nr_pending;
	TAILQ_HEAD(, entry) by_use; /* the least recently used first */
	struct entries spare;

	struct waitings queue;
	size_t nr_waiting;
	struct waitings spare_waiting;

	struct buildid_event event;
	const struct buildid_record *through; /* the caller's, to be delivered next */
	struct waiting *delivered;	      /* last, and still in the caller's hands */
};

static size_t room_for(size_t size)
{
	return (size + ROOM_STEP - 1) / ROOM_STEP * ROOM_STEP;
}

/* -------------------------------------------------------------- entries -- */

static struct entries *bucket_of(struct entries *buckets, size_t nr_buckets, uint64_t file_id)
{
	return &buckets[hash_add(0, file_id) & (nr_buckets - 1)];
}

/* Look up and count as used. */
static struct entry *entry_use(struct buildid_files *files, uint64_t file_id)
{
	struct entry *entry = LIST_FIRST(bucket_of(files->buckets, files->nr_buckets, file_id));

	while (entry && entry->file_id != file_id)
		entry = LIST_NEXT(entry, bucket);
	if (entry) {
		TAILQ_REMOVE(&files->by_use, entry, use);
		TAILQ_INSERT_TAIL(&files->by_use, entry, use);
	}
	return entry;
}

static bool entry_pending(const struct entry *entry)
{
	return entry->file->reason == BUILDID_REASON_PENDING;
}

static void entry_forget(struct buildid_files *files, struct entry *entry)
{
	TAILQ_REMOVE(&files->by_use, entry, use);
	LIST_REMOVE(entry, bucket);
	LIST_INSERT_HEAD(&files->spare, entry, bucket);
	files->nr_entries--;
	files->nr_pending -= entry_pending(entry);
}

static void entry_free(struct entry *entry)
{
	free(entry->file);
	free(entry);
}

static void make_room(struct buildid_files *files)
{
	struct entry *entry = TAILQ_FIRST(&files->by_use), *next;

	for (; entry && files->nr_entries >= files->bound.max_files; entry = next) {
		next = TAILQ_NEXT(entry, use);
		if (!entry->waiters)
			entry_forget(files, entry);
	}
}

/* Long chains are slow but right: failing to grow is no error. */
static void grow(struct buildid_files *files)
{
	size_t nr_buckets = files->nr_buckets * 2;
	struct entries *buckets;
	struct entry *entry;

	if (files->nr_entries < files->nr_buckets)
		return;
	buckets = calloc(nr_buckets, sizeof(*buckets));
	if (!buckets)
		return;

	for (entry = TAILQ_FIRST(&files->by_use); entry; entry = TAILQ_NEXT(entry, use))
		LIST_INSERT_HEAD(bucket_of(buckets, nr_buckets, entry->file_id), entry, bucket);
	free(files->buckets);
	files->buckets = buckets;
	files->nr_buckets = nr_buckets;
}

static void entry_add(struct buildid_files *files, struct entry *entry)
{
	grow(files);
	LIST_INSERT_HEAD(bucket_of(files->buckets, files->nr_buckets, entry->file_id), entry,
			 bucket);
	TAILQ_INSERT_TAIL(&files->by_use, entry, use);
	files->nr_entries++;
	files->nr_pending += entry_pending(entry);
}

static struct entry *entry_new(struct buildid_files *files)
{
	struct entry *entry;

	make_room(files);
	entry = LIST_FIRST(&files->spare);
	if (!entry)
		return calloc(1, sizeof(*entry));
	LIST_REMOVE(entry, bucket);
	return entry;
}

static int entry_set(struct entry *entry, const struct buildid_file *file)
{
	size_t room = room_for(file->header.size);

	if (entry->room < file->header.size) {
		void *memory = malloc(room);

		if (!memory)
			return -ENOMEM;
		free(entry->file);
		entry->file = memory;
		entry->room = room;
	}
	memmove(entry->file, file, file->header.size);
	return 0;
}

/* A FILE with more in it may lack the path that the one before it had. */
static const struct buildid_file *with_path(const struct buildid_file *file,
					    const struct buildid_file *before, void *room)
{
	size_t head = file->data_off + align8(file->id_len);
	size_t path = align8((size_t)before->path_len + 1);
	struct buildid_file *both = room;

	if (!(file->flags & BUILDID_FILE_NO_PATH) || file->path_len || !before->path_len ||
	    head + path > BUILDID_RECORD_MAX)
		return file;
	memcpy(both, file, head);
	memcpy((char *)both + head, buildid_file_path(before), path);
	both->header.size = (uint32_t)(head + path);
	both->path_len = before->path_len;
	both->flags &= ~BUILDID_FILE_NO_PATH;
	both->flags |= before->flags & BUILDID_FILE_PATH_PART;
	return both;
}

static int remember_new(struct buildid_files *files, const struct buildid_file *file)
{
	struct entry *entry = entry_new(files);

	if (!entry)
		return -ENOMEM;
	if (entry_set(entry, file)) {
		entry_free(entry);
		return -ENOMEM;
	}
	entry->waiters = 0;
	entry->file_id = file->file_id;
	entry_add(files, entry);
	return 0;
}

static int remember(struct buildid_files *files, const struct buildid_file *file)
{
	struct entry *entry = entry_use(files, file->file_id);
	uint64_t room[BUILDID_RECORD_MAX / sizeof(uint64_t)];
	bool pending;
	int err;

	if (!entry)
		return remember_new(files, file);

	/*
	 * What is known of a version stays known. A snapshot that is read beside
	 * the stream may be older than what came by the stream before.
	 */
	pending = entry_pending(entry);
	if (!pending && file->reason == BUILDID_REASON_PENDING)
		return 0;
	err = entry_set(entry, with_path(file, entry->file, room));
	if (err)
		return err;
	files->nr_pending -= pending;
	files->nr_pending += entry_pending(entry);
	return 0;
}

/* --------------------------------------------------------------- events -- */

static uint64_t file_id_of(const struct buildid_record *record)
{
	if (record->type != BUILDID_RECORD_MMAP)
		return 0;
	return ((const struct buildid_mmap *)record)->file_id;
}

static struct entry *entry_of(struct buildid_files *files, const struct buildid_record *record)
{
	uint64_t file_id = file_id_of(record);

	return file_id ? entry_use(files, file_id) : NULL;
}

static bool must_wait(const struct buildid_record *record, const struct entry *entry)
{
	if (entry)
		return entry_pending(entry);
	return file_id_of(record) &&
	       ((const struct buildid_mmap *)record)->state == BUILDID_STATE_PENDING;
}

static const struct buildid_record *record_of(const struct waiting *waiting)
{
	return (const void *)waiting->record;
}

/* The FILE record may come after the event that waits for it. */
static struct entry *entry_waited_for(struct buildid_files *files, struct waiting *waiting)
{
	if (!waiting->entry) {
		waiting->entry = entry_of(files, record_of(waiting));
		if (waiting->entry)
			waiting->entry->waiters++;
	}
	return waiting->entry;
}

static struct waiting *waiting_new(struct buildid_files *files, size_t size)
{
	struct waiting *waiting = STAILQ_FIRST(&files->spare_waiting);

	if (waiting)
		STAILQ_REMOVE_HEAD(&files->spare_waiting, queue);
	if (waiting && waiting->room >= size)
		return waiting;

	free(waiting);
	waiting = malloc(sizeof(*waiting) + room_for(size));
	if (waiting)
		waiting->room = room_for(size);
	return waiting;
}

static int enqueue(struct buildid_files *files, const struct buildid_record *record)
{
	struct waiting *waiting = waiting_new(files, record->size);

	if (!waiting)
		return -ENOMEM;

	waiting->entry = NULL;
	memcpy(waiting->record, record, record->size);
	entry_waited_for(files, waiting);
	STAILQ_INSERT_TAIL(&files->queue, waiting, queue);
	files->nr_waiting++;
	return 0;
}

static struct waiting *dequeue(struct buildid_files *files)
{
	struct waiting *waiting = STAILQ_FIRST(&files->queue);

	STAILQ_REMOVE_HEAD(&files->queue, queue);
	files->nr_waiting--;
	if (waiting->entry)
		waiting->entry->waiters--;
	return waiting;
}

/* How long @record may still wait after @now, in nanoseconds. */
static uint64_t time_left(const struct buildid_files *files, const struct buildid_record *record,
			  uint64_t now)
{
	uint64_t waited = now > record->time_mono ? now - record->time_mono : 0;

	if (now == BUILDID_FILES_ALL || waited >= files->bound.max_wait)
		return 0;
	return files->bound.max_wait - waited;
}

static bool may_leave(struct buildid_files *files, struct waiting *waiting, uint64_t now)
{
	const struct entry *entry = entry_waited_for(files, waiting);

	return !must_wait(record_of(waiting), entry) ||
	       files->nr_waiting > files->bound.max_waiting ||
	       !time_left(files, record_of(waiting), now);
}

static void recycle_delivered(struct buildid_files *files)
{
	if (files->delivered)
		STAILQ_INSERT_HEAD(&files->spare_waiting, files->delivered, queue);
	files->delivered = NULL;
}

int buildid_files_push(struct buildid_files *files, const struct buildid_record *record)
{
	int err;

	recycle_delivered(files);
	if (files->through)
		return -EBUSY;
	err = buildid_record_check(record, record->size);
	if (err)
		return err;

	if (record->type == BUILDID_RECORD_FILE)
		return remember(files, (const void *)record);
	if (!STAILQ_EMPTY(&files->queue) || must_wait(record, entry_of(files, record)))
		return enqueue(files, record);

	files->through = record;
	return 0;
}

const struct buildid_event *buildid_files_next(struct buildid_files *files, uint64_t now)
{
	struct waiting *first = STAILQ_FIRST(&files->queue);
	const struct buildid_record *record;
	const struct entry *entry;

	recycle_delivered(files);
	if (files->through) {
		record = files->through;
		entry = entry_of(files, record);
		files->through = NULL;
	} else if (first && may_leave(files, first, now)) {
		files->delivered = dequeue(files);
		record = record_of(first);
		entry = first->entry;
	} else {
		return NULL;
	}

	files->event = (struct buildid_event){
		.size = sizeof(files->event),
		.record = record,
		.file = entry ? entry->file : NULL,
	};
	return &files->event;
}

int buildid_files_timeout(const struct buildid_files *files, uint64_t now)
{
	const struct waiting *first = STAILQ_FIRST(&files->queue);

	return first ? ns_to_ms(time_left(files, record_of(first), now)) : -1;
}

size_t buildid_files_pending(const struct buildid_files *files)
{
	return files->nr_pending;
}

const struct buildid_file *buildid_files_find(struct buildid_files *files, uint64_t file_id)
{
	const struct entry *entry = entry_use(files, file_id);

	return entry ? entry->file : NULL;
}

/* ---------------------------------------------------------------- table -- */

static int bounds_copy_in(struct buildid_files_options *to,
			  const struct buildid_files_options *from)
{
	int err = buildid_struct_copy_in(to, sizeof(*to), from,
					 offsetofend(buildid_files_options, max_wait));

	if (err)
		return err;
	if (to->reserved)
		return -EINVAL;
	if (!to->max_files)
		to->max_files = DEFAULT_FILES;
	if (!to->max_waiting)
		to->max_waiting = DEFAULT_WAITING;
	if (!to->max_wait)
		to->max_wait = DEFAULT_WAIT;
	return 0;
}

int buildid_files_new(struct buildid_files **files, const struct buildid_files_options *options)
{
	struct buildid_files *new = calloc(1, sizeof(*new));
	int err;

	*files = NULL;
	if (!new)
		return -ENOMEM;
	TAILQ_INIT(&new->by_use);
	LIST_INIT(&new->spare);
	STAILQ_INIT(&new->queue);
	STAILQ_INIT(&new->spare_waiting);
	new->nr_buckets = FIRST_BUCKETS;
	new->buckets = calloc(new->nr_buckets, sizeof(*new->buckets));
	err = new->buckets ? bounds_copy_in(&new->bound, options) : -ENOMEM;
	if (err) {
		buildid_files_free(new);
		return err;
	}
	*files = new;
	return 0;
}

void buildid_files_free(struct buildid_files *files)
{
	struct waiting *waiting;
	struct entry *entry;

	if (!files)
		return;

	recycle_delivered(files);
	STAILQ_CONCAT(&files->spare_waiting, &files->queue);
	while ((waiting = STAILQ_FIRST(&files->spare_waiting))) {
		STAILQ_REMOVE_HEAD(&files->spare_waiting, queue);
		free(waiting);
	}
	while ((entry = TAILQ_FIRST(&files->by_use)))
		entry_forget(files, entry);
	while ((entry = LIST_FIRST(&files->spare))) {
		LIST_REMOVE(entry, bucket);
		entry_free(entry);
	}
	free(files->buckets);
	free(files);
}
