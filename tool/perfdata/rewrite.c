// SPDX-License-Identifier: GPL-2.0
/*
 * Rewrite a perf.data: copy the events, annotated, in one pass.
 *
 * Whether a path can be annotated is known only when all its mappings were seen. So
 * each one gets its build-id at once, what was there before goes to a temporary file,
 * and in the end those of mixed paths are restored. Memory is that of the paths, not of
 * the mappings.
 */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/temporary.h"
#include "module_event.h"
#include "features.h"
#include "writer.h"

/* Bytes between two reports of progress. */
#define PROGRESS (8U << 20)

/* In the output: what an event was like, and where it is. */
struct change {
	uint64_t offset;
	uint32_t stream;
	uint32_t path;
	uint16_t misc;
	uint16_t build_id;	   /* a BUILD_ID event, not a mapping */
	unsigned char content[24]; /* build-id or inode */
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
	struct perfdata_build_ids *build_ids; /* for mappings without room for one */
	size_t module_events;		      /* written so far */
	uint64_t done, shown, total;
	_Alignas(8) unsigned char event[PERFDATA_EVENT_MAX]; /* the one that is written */
};

/* ----------------------------------------------------------------- changes -- */

static int remember(struct writer *writer, const struct change *change)
{
	if (fwrite(change, sizeof(*change), 1, writer->changes) == 1)
		return 0;
	return perfdata_fail(writer->data, "cannot write a temporary file: %s", strerror(errno));
}

static int patch(struct writer *writer, const struct change *change, const void *bytes, size_t size,
		 size_t at)
{
	return perfdata_writer_patch(writer->output, change->stream, bytes, size,
				     change->offset + at);
}

static int restore(struct writer *writer, const struct change *change)
{
	if (patch(writer, change, &change->misc, sizeof(change->misc),
		  offsetof(struct perfdata_event, misc)))
		return -1;
	return patch(writer, change, change->content, sizeof(change->content),
		     offsetof(struct perfdata_mmap2, major));
}

/* perf would believe its build-id more than those of the mappings. */
static int hide_build_id(struct writer *writer, const struct change *change)
{
	const uint32_t type = PERFDATA_EVENT_TYPE;

	return patch(writer, change, &type, sizeof(type), offsetof(struct perfdata_event, type));
}

static int finish_changes(struct writer *writer)
{
	struct change change;
	int err = 0;

	if (fflush(writer->changes) || fseek(writer->changes, 0, SEEK_SET))
		return perfdata_fail(writer->data, "%s", strerror(errno));
	while (!err && fread(&change, sizeof(change), 1, writer->changes) == 1) {
		const struct perfdata_path *path = &writer->paths.all[change.path];

		if (change.build_id && perfdata_path_is_done(path))
			err = hide_build_id(writer, &change);
		else if (!change.build_id && perfdata_path_is_mixed(path))
			err = restore(writer, &change);
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

/* An MMAP as an MMAP2. */
static void grow(const struct perfdata_event *event, struct perfdata_mmap2 *grown)
{
	const struct perfdata_mmap *mmap = (const void *)event;
	bool user = (event->misc & PERFDATA_MISC_CPUMODE) == PERFDATA_MISC_USER;

	memcpy(grown, mmap, sizeof(*mmap));
	memset(&grown->major, 0, PERFDATA_MMAP_GROWS);
	memcpy(grown->name, mmap->name, event->size - sizeof(*mmap));
	grown->event.type = PERFDATA_MMAP2;
	/* perf has MMAP for executable mappings, unless it says data. */
	if (user && !(event->misc & PERFDATA_MISC_DATA))
		grown->prot = PROT_EXEC;
	grown->event.size = (uint16_t)(event->size + PERFDATA_MMAP_GROWS);
}

static int put_annotated(struct writer *writer, const struct perfdata_event *event,
			 const struct build_id *id, size_t path)
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
	perfdata_set_id(new, id);
	writer->counts->changed = true;
	return remember(writer, &change) || put(writer, new, new->event.size) ? -1 : 0;
}

static void count_mapping(struct perfdata_path *path, const struct perfdata_mapping *mapping,
			  const struct perfdata_identity *identity)
{
	/* A build-id that is there already is from the kernel (perf record --buildid-mmap). */
	if (identity->id.size || mapping->id.size) {
		path->annotated++;
	} else if (identity->known) {
		path->without++;
	} else {
		path->missing++;
		if (!path->reason)
			path->reason = identity->reason;
	}
}

/* For a mapping without room. The table has one build-id for a path, which files change. */
static int put_in_table(struct writer *writer, const struct perfdata_mapping *mapping,
			struct perfdata_identity *identity)
{
	if (mapping->kind != PERFDATA_KIND_USER) {
		writer->counts->changed = true;
		return perfdata_build_ids_set(writer->data, writer->build_ids, mapping,
					      &identity->id);
	}
	*identity = (struct perfdata_identity){
		.reason = "its mapping has no room for a build-id, and AUX data must not move",
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
		return perfdata_no_memory(writer->data);

	writer->annotator->identify(writer->annotator->context, mapping, &identity);
	if (!identity.id.size && mapping->kind == PERFDATA_KIND_VDSO)
		perfdata_build_ids_find(writer->build_ids, mapping->path, &identity.id);
	if (identity.id.size && !may_grow(writer, event)) {
		if (put_in_table(writer, mapping, &identity))
			return -1;
		count_mapping(&writer->paths.all[number], mapping, &identity);
		return put(writer, event, event->size);
	}
	count_mapping(&writer->paths.all[number], mapping, &identity);
	if (identity.id.size)
		return put_annotated(writer, event, &identity.id, number);
	return put(writer, event, event->size);
}

/* ----------------------------------------------------------------- modules -- */

static int put_module_event(struct writer *writer, const struct perfdata_module_event *module)
{
	size_t size = perfdata_make_module_event(module, writer->data->formats, writer->event);

	if (!size)
		return 0;
	writer->counts->module_events += !module->unload;
	writer->counts->changed = true;
	return put(writer, writer->event, size);
}

static bool may_put_module_events(const struct writer *writer)
{
	const struct perfdata_sample_format *format = writer->data->formats;

	return !writer->data->aux && writer->data->nr_formats && format->sample_id_all &&
	       format->sample_type & PERFDATA_SAMPLE_TIME;
}

/* Before the first later event: perf sorts within a round only, and none ends in between. */
static int put_module_events(struct writer *writer, const struct perfdata_event *event)
{
	const struct perfdata_annotator *annotator = writer->annotator;
	uint64_t time;

	if (writer->module_events == annotator->nr_module_events ||
	    event->type >= PERFDATA_USER_TYPE_START)
		return 0;
	time = perfdata_time(writer->data, event);
	while (writer->module_events < annotator->nr_module_events &&
	       annotator->module_events[writer->module_events].time <= time) {
		const struct perfdata_module_event *module =
			&annotator->module_events[writer->module_events++];

		if (!may_put_module_events(writer))
			writer->counts->module_events_missing += !module->unload;
		else if (put_module_event(writer, module))
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
			return perfdata_no_memory(writer->data);
		change.path = (uint32_t)number;
		if (remember(writer, &change))
			return -1;
	}
	return put(writer, event, event->size);
}

static bool is_compression_feature(const struct perfdata_event *event)
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

	if (item->decompressed && writer->data->aux)
		return perfdata_fail(writer->data,
				     "its events are compressed, and AUX data must not move");
	if (put_module_events(writer, event))
		return -1;
	if (perfdata_mapping(writer->data, event, &mapping))
		return put_mapping(writer, event, &mapping);
	if (event->type == PERFDATA_BUILD_ID)
		return put_build_id(writer, event);
	/* No event is compressed any more. */
	if (is_compression_feature(event))
		return 0;
	if (put(writer, event, event->size))
		return -1;
	return item->payload ? put_payload(writer) : 0;
}

static int report_progress(struct writer *writer, const struct perfdata_item *item)
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
		    report_progress(writer, &item))
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
	if (finish_changes(writer))
		return -1;
	if (!data->pipe &&
	    perfdata_features_write(data, writer->output, writer->build_ids, &writer->paths))
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
	writer->build_ids = perfdata_build_ids_read(data);
	if (writer->build_ids)
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
		return perfdata_no_memory(data);
	writer->data = data;
	writer->annotator = annotator;
	writer->counts = counts;

	err = prepare(writer, path);
	if (!err)
		err = finish(writer, path);
	perfdata_writer_free(writer->output);
	perfdata_build_ids_free(writer->build_ids);
	perfdata_paths_free(&writer->paths);
	if (writer->changes)
		fclose(writer->changes);
	free(writer);
	return err;
}
