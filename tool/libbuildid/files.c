// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * File table: joins each mapping with its content's identity.
 *
 * Entries are in a hash table, for look-up, and in a list by last use, for
 * forgetting. An entry that a waiting event needs is not forgotten, so there
 * are at most max_files + max_waiting of them.
 *
 * An event waits in a copy, in a queue; one that need not wait is handed
 * through as it is.
 *
 * What was forgotten, or has left the queue, is kept with its memory for what
 * comes next: a table that is as full as it gets does not allocate any more.
 */

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

#define DEFAULT_FILES	65536
#define DEFAULT_WAITING 4096
#define DEFAULT_WAIT	1000000000ULL
#define FIRST_BUCKETS	64
/* Records differ in the length of a path: most then fit where another was. */
#define ROOM_STEP 256

struct entry {
	struct entry *next; /* in the bucket */
	struct entry *older, *newer;
	size_t waiters;
	uint64_t file_id;
	struct buildid_file *file;
	size_t room; /* bytes at @file */
};

struct waiting {
	struct waiting *next;
	struct entry *entry;
	size_t room; /* bytes at @record */
	uint64_t record[];
};

struct buildid_files {
	struct buildid_files_options bound;

	struct entry **buckets;
	size_t nr_buckets; /* a power of two */
	size_t nr_entries;
	size_t nr_pending;
	struct entry *oldest, *newest;
	struct entry *spare; /* linked by @next */

	struct waiting *first, **last;
	size_t nr_waiting;
	struct waiting *spare_waiting;

	struct buildid_event event;
	const struct buildid_record *through; /* not waiting, not taken yet */
	struct waiting *taken;		      /* the caller looks at it */
};

static size_t pad8(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

static size_t room_for(size_t size)
{
	return (size + ROOM_STEP - 1) / ROOM_STEP * ROOM_STEP;
}

/* -------------------------------------------------------------- entries -- */

static size_t bucket_of(uint64_t file_id, size_t nr_buckets)
{
	/* Ids are mostly consecutive: spread them by the golden ratio. */
	return (size_t)(file_id * 0x9e3779b97f4a7c15ULL >> 32) & (nr_buckets - 1);
}

static void list_remove(struct buildid_files *files, struct entry *entry)
{
	*(entry->older ? &entry->older->newer : &files->oldest) = entry->newer;
	*(entry->newer ? &entry->newer->older : &files->newest) = entry->older;
}

static void list_append(struct buildid_files *files, struct entry *entry)
{
	entry->older = files->newest;
	entry->newer = NULL;
	*(files->newest ? &files->newest->newer : &files->oldest) = entry;
	files->newest = entry;
}

static struct entry *entry_find(const struct buildid_files *files, uint64_t file_id)
{
	struct entry *entry = files->buckets[bucket_of(file_id, files->nr_buckets)];

	while (entry && entry->file_id != file_id)
		entry = entry->next;
	return entry;
}

static struct entry *entry_use(struct buildid_files *files, uint64_t file_id)
{
	struct entry *entry = entry_find(files, file_id);

	if (entry && entry != files->newest) {
		list_remove(files, entry);
		list_append(files, entry);
	}
	return entry;
}

static bool entry_pending(const struct entry *entry)
{
	return entry->file->reason == BUILDID_REASON_PENDING;
}

static void entry_forget(struct buildid_files *files, struct entry *entry)
{
	struct entry **link;

	link = &files->buckets[bucket_of(entry->file_id, files->nr_buckets)];
	while (*link != entry)
		link = &(*link)->next;
	*link = entry->next;
	list_remove(files, entry);
	files->nr_entries--;
	files->nr_pending -= entry_pending(entry);
	entry->next = files->spare;
	files->spare = entry;
}

static void entry_free(struct entry *entry)
{
	free(entry->file);
	free(entry);
}

static void make_room(struct buildid_files *files)
{
	struct entry *entry = files->oldest;

	while (entry && files->nr_entries >= files->bound.max_files) {
		struct entry *newer = entry->newer;

		if (!entry->waiters)
			entry_forget(files, entry);
		entry = newer;
	}
}

/* Long chains are slow but right: failing to grow is no error. */
static void grow(struct buildid_files *files)
{
	size_t nr_buckets = files->nr_buckets * 2;
	struct entry **buckets;
	struct entry *entry;

	if (files->nr_entries < files->nr_buckets)
		return;
	buckets = calloc(nr_buckets, sizeof(*buckets));
	if (!buckets)
		return;

	for (entry = files->oldest; entry; entry = entry->newer) {
		size_t bucket = bucket_of(entry->file_id, nr_buckets);

		entry->next = buckets[bucket];
		buckets[bucket] = entry;
	}
	free(files->buckets);
	files->buckets = buckets;
	files->nr_buckets = nr_buckets;
}

static void entry_add(struct buildid_files *files, struct entry *entry)
{
	struct entry **bucket;

	grow(files);
	bucket = &files->buckets[bucket_of(entry->file_id, files->nr_buckets)];
	entry->next = *bucket;
	*bucket = entry;
	list_append(files, entry);
	files->nr_entries++;
}

static struct entry *entry_new(struct buildid_files *files)
{
	struct entry *entry;

	make_room(files);
	entry = files->spare;
	if (!entry)
		return calloc(1, sizeof(*entry));
	files->spare = entry->next;
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

/* A FILE that knows more may lack the path that the one before it had. */
static const struct buildid_file *with_path(const struct buildid_file *file,
					    const struct buildid_file *before, void *room)
{
	size_t head = file->data_off + pad8(file->id_len);
	size_t path = pad8((size_t)before->path_len + 1);
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
	files->nr_pending += entry_pending(entry);
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
	 * What is known of a version stays known. A dump that is read beside
	 * the stream may well say less, later.
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

/* The FILE record may have come after the event that waits for it. */
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
	struct waiting *waiting = files->spare_waiting;

	if (waiting)
		files->spare_waiting = waiting->next;
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

	waiting->next = NULL;
	waiting->entry = NULL;
	memcpy(waiting->record, record, record->size);
	entry_waited_for(files, waiting);
	*files->last = waiting;
	files->last = &waiting->next;
	files->nr_waiting++;
	return 0;
}

static struct waiting *dequeue(struct buildid_files *files)
{
	struct waiting *waiting = files->first;

	files->first = waiting->next;
	if (!files->first)
		files->last = &files->first;
	files->nr_waiting--;
	if (waiting->entry)
		waiting->entry->waiters--;
	return waiting;
}

/* How long @record may still wait at @now, in nanoseconds. */
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

static void drop_taken(struct buildid_files *files)
{
	if (!files->taken)
		return;
	files->taken->next = files->spare_waiting;
	files->spare_waiting = files->taken;
	files->taken = NULL;
}

int buildid_files_push(struct buildid_files *files, const struct buildid_record *record)
{
	int err;

	drop_taken(files);
	if (files->through)
		return -EBUSY;
	err = buildid_record_check(record, record->size);
	if (err)
		return err;

	if (record->type == BUILDID_RECORD_FILE)
		return remember(files, (const void *)record);
	if (files->first || must_wait(record, entry_of(files, record)))
		return enqueue(files, record);

	files->through = record;
	return 0;
}

const struct buildid_event *buildid_files_next(struct buildid_files *files, uint64_t now)
{
	const struct buildid_record *record;
	const struct entry *entry;

	drop_taken(files);
	if (files->through) {
		record = files->through;
		entry = entry_of(files, record);
		files->through = NULL;
	} else if (files->first && may_leave(files, files->first, now)) {
		files->taken = dequeue(files);
		record = record_of(files->taken);
		entry = files->taken->entry;
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
	uint64_t left;

	if (!files->first)
		return -1;
	left = time_left(files, record_of(files->first), now);
	left = left / 1000000 + !!(left % 1000000);
	return left < INT_MAX ? (int)left : INT_MAX;
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

static int bounds_take(struct buildid_files_options *to, const struct buildid_files_options *from)
{
	int err = 0;

	if (from)
		err = buildid_struct_take(to, sizeof(*to), from,
					  STRUCT_LEAST(buildid_files_options, max_wait));
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
	err = bounds_take(&new->bound, options);
	if (err) {
		free(new);
		return err;
	}
	new->buckets = calloc(FIRST_BUCKETS, sizeof(*new->buckets));
	if (!new->buckets) {
		free(new);
		return -ENOMEM;
	}

	new->nr_buckets = FIRST_BUCKETS;
	new->last = &new->first;
	*files = new;
	return 0;
}

void buildid_files_free(struct buildid_files *files)
{
	struct waiting *waiting;
	struct entry *entry;

	if (!files)
		return;

	drop_taken(files);
	while (files->first)
		free(dequeue(files));
	while ((waiting = files->spare_waiting)) {
		files->spare_waiting = waiting->next;
		free(waiting);
	}
	while (files->oldest)
		entry_forget(files, files->oldest);
	while ((entry = files->spare)) {
		files->spare = entry->next;
		entry_free(entry);
	}
	free(files->buckets);
	free(files);
}
