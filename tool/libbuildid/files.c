// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * File table: joins each mapping with its content's identity, and knows which FILE records have
 * been announced.
 *
 * Files are in a hash table, for lookup, and in a list by last use, for eviction. A FILE that is to
 * follow has its own entry in the same hash table, and is in a list by age; with BUILDID_SUB_PATH
 * it is one per thread, else one for all.
 *
 * A removed entry keeps its memory for the next one: a full table does not allocate any more.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "internal.h"

#define DEFAULT_FILES	  65536
#define DEFAULT_FOLLOWING 4096
#define FIRST_BUCKETS	  64
/* Memory is allocated in these steps, so that most records fit in the place of another. */
#define ROOM_STEP 256

struct entry {
	LIST_ENTRY(entry) bucket; /* or in @spare */
	TAILQ_ENTRY(entry) list;
	uint64_t file_id;
	bool follows;
	uint32_t tid; /* the thread for which it follows */
	struct buildid_file *file;
	size_t room; /* bytes at @file */
};

LIST_HEAD(entries, entry);
TAILQ_HEAD(entry_list, entry);

struct buildid_files {
	struct buildid_files_options bound;

	uint64_t seed;
	struct entries *buckets;
	size_t nr_buckets; /* a power of two */
	size_t nr_files, nr_following;
	struct entry_list by_use;    /* the least recently used first */
	struct entry_list following; /* the oldest first */
	struct entries spare;

	struct buildid_event event;
};

/* -------------------------------------------------------------- entries -- */

static struct entries *bucket_of(const struct buildid_files *files, uint64_t file_id)
{
	return &files->buckets[hash_add(files->seed, file_id) & (files->nr_buckets - 1)];
}

static struct entry *files_find(const struct buildid_files *files, uint64_t file_id, bool follows,
				uint32_t tid)
{
	struct entry *entry;

	LIST_FOREACH(entry, bucket_of(files, file_id), bucket)
	{
		if (entry->file_id == file_id && entry->follows == follows && entry->tid == tid)
			break;
	}
	return entry;
}

/* Long chains are slow but correct: failing to grow is not an error. */
static void files_grow(struct buildid_files *files)
{
	size_t before = files->nr_buckets, i;
	struct entries *old = files->buckets, *new;
	struct entry *entry;

	if (files->nr_files + files->nr_following < before)
		return;
	new = calloc(2 * before, sizeof(*new));
	if (!new)
		return;

	files->buckets = new;
	files->nr_buckets = 2 * before;
	for (i = 0; i < before; i++) {
		while ((entry = LIST_FIRST(&old[i]))) {
			LIST_REMOVE(entry, bucket);
			LIST_INSERT_HEAD(bucket_of(files, entry->file_id), entry, bucket);
		}
	}
	free(old);
}

static void entry_add(struct buildid_files *files, struct entry *entry)
{
	files_grow(files);
	LIST_INSERT_HEAD(bucket_of(files, entry->file_id), entry, bucket);
	TAILQ_INSERT_TAIL(entry->follows ? &files->following : &files->by_use, entry, list);
	files->nr_following += entry->follows;
	files->nr_files += !entry->follows;
}

static void entry_remove(struct buildid_files *files, struct entry *entry)
{
	TAILQ_REMOVE(entry->follows ? &files->following : &files->by_use, entry, list);
	files->nr_following -= entry->follows;
	files->nr_files -= !entry->follows;
	LIST_REMOVE(entry, bucket);
	LIST_INSERT_HEAD(&files->spare, entry, bucket);
}

static struct entry *entry_new(struct buildid_files *files)
{
	struct entry *entry = LIST_FIRST(&files->spare);

	if (!entry)
		return calloc(1, sizeof(*entry));
	LIST_REMOVE(entry, bucket);
	return entry;
}

static void entry_free(struct entry *entry)
{
	free(entry->file);
	free(entry);
}

/* ---------------------------------------------------------------- files -- */

/* Look up and count as used. */
static struct entry *file_use(struct buildid_files *files, uint64_t file_id)
{
	struct entry *entry = files_find(files, file_id, false, 0);

	if (entry) {
		TAILQ_REMOVE(&files->by_use, entry, list);
		TAILQ_INSERT_TAIL(&files->by_use, entry, list);
	}
	return entry;
}

static int entry_set(struct entry *entry, const struct buildid_file *file)
{
	size_t room = (file->header.size + ROOM_STEP - 1) / ROOM_STEP * ROOM_STEP;

	if (entry->room < file->header.size) {
		void *memory = malloc(room);

		if (!memory)
			return -ENOMEM;
		free(entry->file);
		entry->file = memory;
		entry->room = room;
	}
	memcpy(entry->file, file, file->header.size);
	return 0;
}

static int remember_new(struct buildid_files *files, const struct buildid_file *file)
{
	struct entry *entry;

	if (files->nr_files >= files->bound.max_files)
		entry_remove(files, TAILQ_FIRST(&files->by_use));
	entry = entry_new(files);
	if (!entry)
		return -ENOMEM;
	if (entry_set(entry, file)) {
		entry_free(entry);
		return -ENOMEM;
	}
	entry->file_id = file->file_id;
	entry->follows = false;
	entry->tid = 0;
	entry_add(files, entry);
	return 0;
}

static int files_remember(struct buildid_files *files, const struct buildid_file *file)
{
	struct entry *entry = file_use(files, file->file_id);

	if (!file->file_id)
		return 0;
	if (!entry)
		return remember_new(files, file);
	/* A record of a snapshot may be older than that of the stream. */
	if (entry->file->id_len && !file->id_len)
		return 0;
	return entry_set(entry, file);
}

/* ------------------------------------------------------------ following -- */

static uint32_t key_of(const struct buildid_files *files, uint32_t tid)
{
	return files->bound.flags & BUILDID_SUB_PATH ? tid : 0;
}

/* Without memory the FILE is not waited for, which is better than losing the mapping. */
static void announce(struct buildid_files *files, const struct buildid_mmap *mmap)
{
	uint32_t tid = key_of(files, mmap->tid);
	struct entry *entry;

	if (files_find(files, mmap->file_id, true, tid))
		return;
	if (files->nr_following >= files->bound.max_following)
		entry_remove(files, TAILQ_FIRST(&files->following));
	entry = entry_new(files);
	if (!entry)
		return;
	entry->file_id = mmap->file_id;
	entry->follows = true;
	entry->tid = tid;
	entry_add(files, entry);
}

static void has_come(struct buildid_files *files, const struct buildid_file *file)
{
	struct entry *entry = files_find(files, file->file_id, true, key_of(files, file->tid));

	if (entry)
		entry_remove(files, entry);
}

size_t buildid_files_following(const struct buildid_files *files)
{
	return files->nr_following;
}

uint64_t buildid_files_give_up(struct buildid_files *files)
{
	struct entry *entry = TAILQ_FIRST(&files->following);

	if (!entry)
		return 0;
	entry_remove(files, entry);
	return entry->file_id;
}

/* --------------------------------------------------------------- events -- */

static void join_mmap(struct buildid_files *files, const struct buildid_mmap *mmap)
{
	if (!mmap->file_id)
		return;
	files->event.file = buildid_files_find(files, mmap->file_id);
	if (mmap->state != BUILDID_STATE_FOLLOWS)
		return;
	files->event.flags = BUILDID_EVENT_FILE_FOLLOWS;
	announce(files, mmap);
}

int buildid_files_join(struct buildid_files *files, const struct buildid_record *record,
		       const struct buildid_event **event)
{
	const void *any = record;
	int err = buildid_record_check(record, record->size);

	*event = NULL;
	files->event = (struct buildid_event){ .size = sizeof(files->event), .record = record };
	if (!err && record->type == BUILDID_RECORD_FILE) {
		files->event.file = any;
		has_come(files, any);
		err = files_remember(files, any);
	}
	if (err)
		return err;
	if (record->type == BUILDID_RECORD_MMAP)
		join_mmap(files, any);
	*event = &files->event;
	return 0;
}

const struct buildid_file *buildid_files_find(struct buildid_files *files, uint64_t file_id)
{
	const struct entry *entry = file_use(files, file_id);

	return entry ? entry->file : NULL;
}

/* ---------------------------------------------------------------- table -- */

int buildid_files_options_copy_in(struct buildid_files_options *to,
				  const struct buildid_files_options *from)
{
	int err = buildid_struct_copy_in(to, sizeof(*to), from,
					 offsetofend(buildid_files_options, max_following));

	to->size = sizeof(*to);
	if (!to->max_files)
		to->max_files = DEFAULT_FILES;
	if (!to->max_following)
		to->max_following = DEFAULT_FOLLOWING;
	return err;
}

int buildid_files_new(struct buildid_files **files, const struct buildid_files_options *options)
{
	struct buildid_files *new = calloc(1, sizeof(*new));
	int err;

	*files = NULL;
	if (!new)
		return -ENOMEM;
	TAILQ_INIT(&new->by_use);
	TAILQ_INIT(&new->following);
	LIST_INIT(&new->spare);
	new->seed = hash_seed();
	new->nr_buckets = FIRST_BUCKETS;
	new->buckets = calloc(new->nr_buckets, sizeof(*new->buckets));
	err = new->buckets ? buildid_files_options_copy_in(&new->bound, options) : -ENOMEM;
	if (err) {
		buildid_files_free(new);
		return err;
	}
	*files = new;
	return 0;
}

void buildid_files_free(struct buildid_files *files)
{
	struct entry *entry;

	if (!files)
		return;

	while ((entry = TAILQ_FIRST(&files->by_use)))
		entry_remove(files, entry);
	while (buildid_files_give_up(files))
		;
	while ((entry = LIST_FIRST(&files->spare))) {
		LIST_REMOVE(entry, bucket);
		entry_free(entry);
	}
	free(files->buckets);
	free(files);
}
