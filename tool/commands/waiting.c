// SPDX-License-Identifier: GPL-2.0
/* Waiting: copies of MMAP records in the order in which they came. */

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "waiting.h"

#define WAIT_NS	    1000000000ULL
#define WAITING_MAX 4096

struct item {
	STAILQ_ENTRY(item) queue;
	uint64_t record[];
};

struct waiting {
	struct buildid_files *files;
	bool by_thread;
	STAILQ_HEAD(, item) queue;
	size_t count;
	const struct buildid_event *passing;
	const struct buildid_file *file; /* that has come: mappings that wait for it are next */
	struct item *last;		 /* in the caller's hands */
	struct buildid_event event;
};

struct waiting *waiting_new(uint32_t flags)
{
	const struct buildid_files_options options = { .size = sizeof(options), .flags = flags };
	struct waiting *waiting = calloc(1, sizeof(*waiting));

	if (!waiting)
		return NULL;
	STAILQ_INIT(&waiting->queue);
	waiting->by_thread = flags & BUILDID_SUB_PATH;
	if (!buildid_files_new(&waiting->files, &options))
		return waiting;
	free(waiting);
	return NULL;
}

static void forget_last(struct waiting *waiting)
{
	free(waiting->last);
	waiting->last = NULL;
}

void waiting_free(struct waiting *waiting)
{
	if (!waiting)
		return;
	forget_last(waiting);
	while ((waiting->last = STAILQ_FIRST(&waiting->queue))) {
		STAILQ_REMOVE_HEAD(&waiting->queue, queue);
		forget_last(waiting);
	}
	buildid_files_free(waiting->files);
	free(waiting);
}

static const struct buildid_mmap *mmap_of(const struct item *item)
{
	return (const void *)item->record;
}

static int waiting_enqueue(struct waiting *waiting, const struct buildid_record *record)
{
	struct item *item = malloc(sizeof(*item) + record->size);

	if (!item)
		return -ENOMEM;
	memcpy(item->record, record, record->size);
	STAILQ_INSERT_TAIL(&waiting->queue, item, queue);
	waiting->count++;
	return 0;
}

int waiting_push(struct waiting *waiting, const struct buildid_record *record)
{
	const struct buildid_event *event;
	int err = buildid_files_join(waiting->files, record, &event);

	waiting->passing = NULL;
	waiting->file = NULL;
	if (err)
		return err;
	if (record->type == BUILDID_RECORD_FILE)
		waiting->file = event->file;
	/* The known file is right, but its path may be another process's. */
	else if (event->flags & BUILDID_EVENT_FILE_FOLLOWS && (waiting->by_thread || !event->file))
		return waiting_enqueue(waiting, record);
	else
		waiting->passing = event;
	return 0;
}

static struct item *waiting_find(const struct waiting *waiting)
{
	const struct buildid_file *file = waiting->file;
	struct item *item;

	if (!file)
		return NULL;
	STAILQ_FOREACH(item, &waiting->queue, queue)
	{
		if (mmap_of(item)->file_id == file->file_id &&
		    (!waiting->by_thread || mmap_of(item)->tid == file->tid))
			break;
	}
	return item;
}

static uint64_t time_left(const struct item *item, uint64_t now)
{
	uint64_t time = mmap_of(item)->header.time_mono;
	uint64_t waited = now > time ? now - time : 0;

	return now == WAITING_END || waited >= WAIT_NS ? 0 : WAIT_NS - waited;
}

static struct item *find_late(const struct waiting *waiting, uint64_t now)
{
	struct item *first = STAILQ_FIRST(&waiting->queue);

	return first && (waiting->count > WAITING_MAX || !time_left(first, now)) ? first : NULL;
}

const struct buildid_event *waiting_next(struct waiting *waiting, uint64_t now)
{
	const struct buildid_event *event = waiting->passing;
	struct item *item;
	bool late;

	forget_last(waiting);
	waiting->passing = NULL;
	if (event)
		return event;
	item = waiting_find(waiting);
	late = !item;
	if (late) {
		waiting->file = NULL;
		item = find_late(waiting, now);
	}
	if (!item)
		return NULL;
	STAILQ_REMOVE(&waiting->queue, item, item, queue);
	waiting->count--;
	waiting->last = item;
	waiting->event = (struct buildid_event){
		.size = sizeof(waiting->event),
		.flags = late ? BUILDID_EVENT_FILE_FOLLOWS : 0,
		.record = &mmap_of(item)->header,
		.file = late ? buildid_files_find(waiting->files, mmap_of(item)->file_id) :
			       waiting->file,
	};
	return &waiting->event;
}

int waiting_timeout(const struct waiting *waiting, uint64_t now)
{
	const struct item *first = STAILQ_FIRST(&waiting->queue);

	return first ? (int)((time_left(first, now) + 999999) / 1000000) : -1;
}
