// SPDX-License-Identifier: GPL-2.0
/* perf.data, rewritten so that mappings carry build-ids: the events. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/temporary.h"
#include "module_event.h"
#include "tail.h"
#include "writer.h"

/* Bytes between two words on progress. */
#define PROGRESS (8U << 20)

/*
 * What was written in place of something else: whether that stays is known at
 * the end only, when all mappings of the path were seen.
 */
struct change {
	uint64_t offset;
	uint32_t stream;
	uint32_t path;
	uint16_t misc;		   /* as it was */
	uint16_t build_id;	   /* an event of that type, not a mapping */
	unsigned char content[24]; /* as it was: id or inode */
	uint32_t reserved;
};

struct writer {
	struct perfdata *data;
	struct perfdata_writer *output;
	const struct perfdata_annotator *annotator;
	struct perfdata_counts *counts;
	struct perfdata_paths paths;
	FILE *changes;
	size_t stream;
	bool begun;
	struct perfdata_table *table; /* of build-ids, for what does not fit else */
	size_t module_events;	      /* put in so far */
	uint64_t done, shown, total;
	_Alignas(8) unsigned char event[PERFDATA_EVENT_MAX]; /* being made */
};

static int no_memory(struct writer *writer)
{
	return perfdata_fail(writer->data, "%s", strerror(ENOMEM));
}

/* ----------------------------------------------------------------- changes -- */

static int note(struct writer *writer, const struct change *change)
{
	if (fwrite(change, sizeof(*change), 1, writer->changes) == 1)
		return 0;
	return perfdata_fail(writer->data, "cannot keep what was changed: %s", strerror(errno));
}

static int patch(struct writer *writer, const struct change *change, const void *bytes, size_t size,
		 size_t at)
{
	return perfdata_writer_patch(writer->output, change->stream, bytes, size,
				     change->offset + at);
}

static int take_back(struct writer *writer, const struct change *change)
{
	if (patch(writer, change, &change->misc, sizeof(change->misc),
		  offsetof(struct perfdata_event, misc)))
		return -1;
	return patch(writer, change, change->content, sizeof(change->content),
		     offsetof(struct perfdata_mmap2, major));
}

/* An event with another build-id for the path would be believed. */
static int silence(struct writer *writer, const struct change *change)
{
	const uint32_t type = PERFDATA_EVENT_TYPE;

	return patch(writer, change, &type, sizeof(type), offsetof(struct perfdata_event, type));
}

static int settle(struct writer *writer)
{
	struct change change;
	int err = 0;

	if (fflush(writer->changes) || fseek(writer->changes, 0, SEEK_SET))
		return perfdata_fail(writer->data, "%s", strerror(errno));
	while (!err && fread(&change, sizeof(change), 1, writer->changes) == 1) {
		const struct perfdata_path *path = &writer->paths.all[change.path];

		if (change.build_id && perfdata_path_is_done(path))
			err = silence(writer, &change);
		else if (!change.build_id && perfdata_path_is_mixed(path))
			err = take_back(writer, &change);
	}
	if (!err && ferror(writer->changes))
		err = perfdata_fail(writer->data, "%s", strerror(errno));
	return err;
}

static void count(struct writer *writer)
{
	struct perfdata_counts *counts = writer->counts;
	size_t i;

	for (i = 0; i < writer->paths.count; i++) {
		const struct perfdata_path *path = &writer->paths.all[i];

		if (!path->missing && !perfdata_path_is_mixed(path)) {
			counts->annotated += path->annotated;
			counts->without += path->without;
			continue;
		}
		counts->not_annotated += path->annotated + path->without + path->missing;
		counts->paths++;
		writer->annotator->report(
			writer->annotator->context, path->path,
			path->reason ? path->reason :
				       "some of its contents have a build-id, some have none");
	}
}

/* ---------------------------------------------------------------- mappings -- */

static int put(struct writer *writer, const void *bytes, size_t size)
{
	return perfdata_writer_put(writer->output, bytes, size);
}

static bool may_grow(const struct writer *writer, const struct perfdata_event *event)
{
	return event->type == PERFDATA_MMAP2 ||
	       (!writer->data->aux && event->size <= UINT16_MAX - PERFDATA_MMAP_GROWS);
}

/* MMAP as an MMAP2 with room for an id, and what perf takes it to be mapped for. */
static void grow(const struct perfdata_event *event, struct perfdata_mmap2 *grown)
{
	const struct perfdata_mmap *mmap = (const void *)event;
	bool user = (event->misc & PERFDATA_MISC_CPUMODE) == PERFDATA_MISC_USER;

	memcpy(grown, mmap, sizeof(*mmap));
	memset(&grown->major, 0, PERFDATA_MMAP_GROWS);
	memcpy(grown->name, mmap->name, event->size - sizeof(*mmap));
	grown->event.type = PERFDATA_MMAP2;
	if (user && !(event->misc & PERFDATA_MISC_DATA))
		grown->prot = PROT_EXEC;
	grown->event.size = (uint16_t)(event->size + PERFDATA_MMAP_GROWS);
}

static int put_annotated(struct writer *writer, const struct perfdata_event *event,
			 const struct perfdata_identity *identity, size_t path)
{
	struct perfdata_mmap2 *new = (void *)writer->event;
	struct change change = {
		.offset = perfdata_writer_offset(writer->output),
		.stream = (uint32_t)writer->stream,
		.path = (uint32_t)path,
	};

	if (event->type == PERFDATA_MMAP)
		grow(event, new);
	else
		memcpy(new, event, event->size);
	change.misc = new->event.misc;
	memcpy(change.content, &new->major, sizeof(change.content));
	perfdata_set_id(new, identity);
	writer->counts->changed = true;
	return note(writer, &change) || put(writer, new, new->event.size) ? -1 : 0;
}

static void count_mapping(struct perfdata_path *path, const struct perfdata_mapping *mapping,
			  const struct perfdata_identity *identity)
{
	/* An id that is there already is of the kernel, which saw the content. */
	if (identity->size || mapping->id_size) {
		path->annotated++;
	} else if (identity->known) {
		path->without++;
	} else {
		path->missing++;
		if (!path->reason)
			path->reason = identity->reason;
	}
}

/* Of a mapping that has no room: the table takes it, but one of each path only. */
static int put_in_table(struct writer *writer, const struct perfdata_mapping *mapping,
			struct perfdata_identity *identity)
{
	if (mapping->kind != PERFDATA_KIND_USER) {
		writer->counts->changed = true;
		return perfdata_table_add(writer->data, writer->table, mapping, identity);
	}
	*identity = (struct perfdata_identity){
		.reason = "a mapping without room for an id, beside AUX data that must not move",
	};
	return 0;
}

static int put_mapping(struct writer *writer, const struct perfdata_event *event,
		       const struct perfdata_mapping *mapping)
{
	struct perfdata_identity identity = {};
	size_t number;

	if (mapping->kind == PERFDATA_KIND_OTHER)
		return put(writer, event, event->size);
	number = perfdata_paths_add(&writer->paths, mapping->path, mapping->kind);
	if (number == SIZE_MAX)
		return no_memory(writer);

	writer->annotator->identify(writer->annotator->context, mapping, &identity);
	if (!identity.size && mapping->kind == PERFDATA_KIND_VDSO)
		perfdata_table_find(writer->table, mapping->path, &identity);
	if (identity.size && !may_grow(writer, event)) {
		if (put_in_table(writer, mapping, &identity))
			return -1;
		count_mapping(&writer->paths.all[number], mapping, &identity);
		return put(writer, event, event->size);
	}
	count_mapping(&writer->paths.all[number], mapping, &identity);
	if (identity.size)
		return put_annotated(writer, event, &identity, number);
	return put(writer, event, event->size);
}

/* ------------------------------------------------------------------- loads -- */

static int put_load(struct writer *writer, const struct perfdata_module_event *load)
{
	size_t size = perfdata_make_module_event(load, writer->data->layouts, writer->event);

	if (!size)
		return 0;
	writer->counts->module_events += !load->unload;
	writer->counts->changed = true;
	return put(writer, writer->event, size);
}

static bool may_put_module_events(const struct writer *writer)
{
	const struct perfdata_layout *layout = writer->data->layouts;

	return !writer->data->aux && writer->data->nr_layouts && layout->sample_id_all &&
	       layout->sample_type & PERFDATA_SAMPLE_TIME;
}

/* Before what happened after them, so that no round ends in between. */
static int put_module_events(struct writer *writer, const struct perfdata_event *event)
{
	const struct perfdata_annotator *annotator = writer->annotator;
	uint64_t time;

	if (writer->module_events == annotator->nr_module_events || event->type >= PERFDATA_OF_PERF)
		return 0;
	time = perfdata_time(writer->data, event);
	while (writer->module_events < annotator->nr_module_events &&
	       annotator->module_events[writer->module_events].time <= time) {
		const struct perfdata_module_event *load =
			&annotator->module_events[writer->module_events++];

		if (!may_put_module_events(writer))
			writer->counts->module_events_missing += !load->unload;
		else if (put_load(writer, load))
			return -1;
	}
	return 0;
}

/* ------------------------------------------------------------------ events -- */

static int put_build_id(struct writer *writer, const struct perfdata_event *event)
{
	const struct perfdata_build_id *entry = (const void *)event;
	const char *name = event->size < sizeof(*entry) ? NULL : perfdata_build_id_name(entry);
	struct change change = {
		.offset = perfdata_writer_offset(writer->output),
		.stream = (uint32_t)writer->stream,
		.build_id = 1,
	};
	size_t number;

	if (name) {
		number = perfdata_paths_add(&writer->paths, name, perfdata_kind(name, event->misc));
		if (number == SIZE_MAX)
			return no_memory(writer);
		change.path = (uint32_t)number;
		if (note(writer, &change))
			return -1;
	}
	return put(writer, event, event->size);
}

static bool is_of_compression(const struct perfdata_event *event)
{
	const struct perfdata_feature_event *feature = (const void *)event;

	return event->type == PERFDATA_FEATURE && event->size >= sizeof(*feature) &&
	       feature->feature == PERFDATA_FEATURE_COMPRESSED;
}

static int put_payload(struct writer *writer)
{
	long done;

	while ((done = perfdata_payload(writer->data, writer->event, sizeof(writer->event))) > 0)
		if (put(writer, writer->event, (size_t)done))
			return -1;
	return (int)done;
}

static int put_event(struct writer *writer, const struct perfdata_item *item)
{
	const struct perfdata_event *event = item->event;
	struct perfdata_mapping mapping;

	if (item->unpacked && writer->data->aux)
		return perfdata_fail(writer->data,
				     "compressed events beside AUX data, which must not move");
	if (put_module_events(writer, event))
		return -1;
	if (perfdata_mapping(writer->data, event, &mapping))
		return put_mapping(writer, event, &mapping);
	if (event->type == PERFDATA_BUILD_ID)
		return put_build_id(writer, event);
	/* Events come out as they were before that. */
	if (is_of_compression(event))
		return 0;
	if (put(writer, event, event->size))
		return -1;
	return item->payload ? put_payload(writer) : 0;
}

static int tell_progress(struct writer *writer, const struct perfdata_item *item)
{
	const struct perfdata_annotator *annotator = writer->annotator;
	uint64_t done = writer->done + item->offset;

	if (!annotator->progress || (writer->shown && done - writer->shown < PROGRESS))
		return 0;
	writer->shown = done;
	return annotator->progress(annotator->context, done, writer->total) ?
		       0 :
		       perfdata_fail(writer->data, "interrupted");
}

/* Up to @number, also those that have no event. */
static int begin_streams(struct writer *writer, size_t number)
{
	while (!writer->begun || writer->stream < number) {
		if (writer->begun)
			writer->done += writer->data->streams[writer->stream++].end;
		writer->begun = true;
		if (perfdata_writer_stream(writer->output, writer->stream) ||
		    perfdata_writer_copy(writer->output, 0,
					 writer->data->streams[writer->stream].begin))
			return -1;
	}
	return 0;
}

static int put_events(struct writer *writer)
{
	struct perfdata *data = writer->data;
	struct perfdata_item item;
	int answer;

	perfdata_rewind(data);
	while ((answer = perfdata_next(data, &item)) > 0) {
		if (begin_streams(writer, data->current) || put_event(writer, &item) ||
		    tell_progress(writer, &item))
			return -1;
	}
	return answer ? answer : begin_streams(writer, data->nr_streams - 1);
}

/* --------------------------------------------------------------------- all -- */

static int finish(struct writer *writer, const char *path)
{
	struct perfdata *data = writer->data;
	bool in_place = !path && strcmp(data->path, "-");

	if (put_events(writer))
		return -1;
	count(writer);
	if (settle(writer))
		return -1;
	if (!data->pipe && perfdata_tail_write(data, writer->output, writer->table, &writer->paths))
		return -1;
	if (in_place &&
	    !(writer->counts->changed && writer->counts->annotated + writer->counts->module_events))
		return 0;
	return perfdata_writer_commit(writer->output);
}

static int prepare(struct writer *writer, const char *path)
{
	struct perfdata *data = writer->data;
	size_t i;
	int fd;

	if (data->header.attrs.offset > data->header.data.offset)
		return perfdata_fail(
			data, "attrs behind the events, as of perf inject: annotate its input");
	fd = temporary_unnamed();
	if (fd >= 0)
		writer->changes = fdopen(fd, "w+");
	if (!writer->changes) {
		perfdata_fail(data, "%s", strerror(errno));
		if (fd >= 0)
			close(fd);
		return -1;
	}
	for (i = 0; i < data->nr_streams; i++)
		writer->total += data->streams[i].end;
	writer->table = perfdata_table_read(data);
	if (writer->table)
		writer->output = perfdata_writer_new(data, path);
	return writer->output ? 0 : -1;
}

int perfdata_rewrite(struct perfdata *data, const char *path,
		     const struct perfdata_annotator *annotator, struct perfdata_counts *counts)
{
	struct writer *writer;
	int err;

	*counts = (struct perfdata_counts){};
	if (perfdata_error(data))
		return -1;
	writer = calloc(1, sizeof(*writer));
	if (!writer)
		return perfdata_fail(data, "%s", strerror(ENOMEM));
	writer->data = data;
	writer->annotator = annotator;
	writer->counts = counts;

	err = prepare(writer, path);
	if (!err)
		err = finish(writer, path);
	perfdata_writer_free(writer->output);
	perfdata_table_free(writer->table);
	perfdata_paths_free(&writer->paths);
	if (writer->changes)
		fclose(writer->changes);
	free(writer);
	return err;
}
