// SPDX-License-Identifier: GPL-2.0
/*
 * Rewrite a perf.data: read the events to find the contents of each path's mappings, then copy
 * them, annotated. Takes memory for the paths, and a word per mapping.
 */

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/param.h>

#include "attrs.h"
#include "features.h"
#include "module_event.h"
#include "rewrite.h"
#include "runs.h"
#include "survey.h"
#include "writer.h"

/* Bytes, and events, between two reports of progress. */
#define PROGRESS	(8U << 20)
#define PROGRESS_EVENTS 4096

struct rewrite {
	struct perfdata *data;
	struct perfdata_writer *output;
	const struct perfdata_annotator *annotator;
	struct perfdata_counts *counts;
	struct perfdata_survey survey;
	struct perfdata_runs runs;
	struct perfdata_header header; /* of the copy, as far as known */
	size_t stream;
	bool begun;
	bool has_events;      /* in the first stream */
	size_t module_events; /* written so far */
	uint64_t done, shown, total;
	unsigned int events;				     /* since progress was reported */
	_Alignas(8) unsigned char event[PERFDATA_EVENT_MAX]; /* the one that is written */
};

/* ---------------------------------------------------------------- mappings -- */

static int rewrite_put(struct rewrite *rewrite, const void *bytes, size_t size)
{
	return perfdata_writer_put(rewrite->output, bytes, size);
}

/* An MMAP as an MMAP2. */
static void rewrite_grow(const struct perfdata_event *event, struct perfdata_mmap2 *grown)
{
	const struct perfdata_mmap *mmap = (const void *)event;
	bool user = (event->misc & PERFDATA_MISC_CPUMODE) == PERFDATA_MISC_USER;

	memcpy(grown, mmap, sizeof(*mmap));
	memset(&grown->major, 0, PERFDATA_MMAP_GROWS);
	memcpy(grown->name, mmap->name, event->size - sizeof(*mmap));
	grown->event.type = PERFDATA_MMAP2;
	/* perf uses MMAP for executable mappings, unless marked as data. */
	if (user && !(event->misc & PERFDATA_MISC_DATA))
		grown->prot = PROT_EXEC;
	grown->event.size = (uint16_t)(event->size + PERFDATA_MMAP_GROWS);
}

/* What follows the name is the sample_id, in any format. */
static void rename_to(struct perfdata_mmap2 *mmap, const char *name)
{
	size_t before = sizeof(*mmap) + PERFDATA_NAME_ROOM(strlen(mmap->name));
	size_t now = sizeof(*mmap) + PERFDATA_NAME_ROOM(strlen(name));
	size_t rest = before < mmap->event.size ? mmap->event.size - before : 0;

	if (!strcmp(mmap->name, name))
		return;
	/* The survey has excluded events without room. */
	assert(now + rest <= UINT16_MAX);
	memmove((char *)mmap + now, (char *)mmap + before, rest);
	memset(mmap->name, 0, now - sizeof(*mmap));
	memcpy(mmap->name, name, strlen(name));
	mmap->event.size = (uint16_t)(now + rest);
}

static int put_annotated(struct rewrite *rewrite, const struct perfdata_event *event,
			 const struct perfdata_content *content)
{
	struct perfdata_mmap2 *new = (void *)rewrite->event;

	if (event->type == PERFDATA_MMAP)
		rewrite_grow(event, new);
	else
		memcpy(new, event, event->size);
	perfdata_set_id(new, &content->id);
	if (rewrite->survey.paths.all[content->path].kind == PERFDATA_KIND_USER)
		rename_to(new, perfdata_survey_name(&rewrite->survey, content));
	rewrite->counts->changed |= new->event.size != event->size ||
				    memcmp(new, event, event->size) != 0;
	return rewrite_put(rewrite, new, new->event.size);
}

/* The result has neither a build-id nor an inode. */
static int put_without_id(struct rewrite *rewrite, const struct perfdata_event *event)
{
	struct perfdata_mmap2 *new = (void *)rewrite->event;

	memcpy(new, event, event->size);
	perfdata_clear_id(new);
	rewrite->counts->changed = true;
	return rewrite_put(rewrite, new, new->event.size);
}

static int put_mapping(struct rewrite *rewrite, const struct perfdata_event *event)
{
	const struct perfdata_content *content = perfdata_survey_find(&rewrite->survey, event);

	if (content && content->foreign)
		return put_without_id(rewrite, event);
	if (content)
		return put_annotated(rewrite, event, content);
	return perfdata_error(rewrite->data) ? -1 : rewrite_put(rewrite, event, event->size);
}

/* ----------------------------------------------------------------- modules -- */

static int put_module_event(struct rewrite *rewrite, const struct perfdata_module_event *module)
{
	size_t size = perfdata_make_module_event(module, rewrite->data->formats, rewrite->event);

	if (!size)
		return 0;
	rewrite->counts->module_events += !module->unload;
	rewrite->counts->changed = true;
	if (!module->unload && module->id.size &&
	    perfdata_build_ids_set(rewrite->data, rewrite->survey.build_ids, module->path,
				   PERFDATA_KIND_MODULE, &module->id, false))
		return -1;
	return rewrite_put(rewrite, rewrite->event, size);
}

static bool may_put_module_events(const struct rewrite *rewrite)
{
	const struct perfdata_sample_format *format = rewrite->data->formats;

	return !rewrite->data->aux && rewrite->data->nr_formats && format->sample_id_all &&
	       format->sample_type & PERFDATA_SAMPLE_TIME;
}

static int put_next_module_event(struct rewrite *rewrite)
{
	size_t number = rewrite->module_events++;
	const struct perfdata_module_event *module = &rewrite->annotator->module_events[number];

	if (rewrite->survey.there && rewrite->survey.there[number])
		return 0;
	if (may_put_module_events(rewrite))
		return put_module_event(rewrite, module);
	rewrite->counts->module_events_missing += !module->unload;
	return 0;
}

/* Before the first later event: perf sorts within a round only, and none ends in between. */
static int put_module_events(struct rewrite *rewrite, const struct perfdata_event *event)
{
	const struct perfdata_annotator *annotator = rewrite->annotator;
	uint64_t time;

	if (rewrite->module_events == annotator->nr_module_events ||
	    event->type >= PERFDATA_USER_TYPE_START)
		return 0;
	time = perfdata_time(rewrite->data, event);
	while (rewrite->module_events < annotator->nr_module_events &&
	       annotator->module_events[rewrite->module_events].time <= time)
		if (put_next_module_event(rewrite))
			return -1;
	return 0;
}

/* ------------------------------------------------------------------ events -- */

/* perf would prefer the BUILD_ID to the mappings of its path. */
static int put_build_id(struct rewrite *rewrite, const struct perfdata_event *event)
{
	const struct perfdata_build_id *entry = (const void *)event;
	const char *name = event->size < sizeof(*entry) ? NULL : perfdata_build_id_name(entry);
	struct perfdata_event *skipped = (void *)rewrite->event;
	const struct perfdata_path *path = NULL;
	struct build_id id = {};
	bool foreign;

	if (name)
		path = perfdata_paths_find(&rewrite->survey.paths, name,
					   perfdata_kind(name, event->misc));
	if (name)
		build_id_set(&id, entry->id, perfdata_build_id_size(entry));
	foreign = path && perfdata_doubts_has(&rewrite->survey.paths.doubts, path->kind, &id);
	if (!path || (!foreign && !perfdata_path_is_done(path)))
		return rewrite_put(rewrite, event, event->size);
	memcpy(skipped, event, event->size);
	skipped->type = PERFDATA_EVENT_TYPE;
	rewrite->counts->changed = true;
	return rewrite_put(rewrite, skipped, skipped->size);
}

static bool is_compression_feature(const struct perfdata_event *event)
{
	const struct perfdata_feature_event *feature = (const void *)event;

	return event->type == PERFDATA_FEATURE && event->size >= sizeof(*feature) &&
	       feature->feature == PERFDATA_FEATURE_COMPRESSED;
}

static int tell_progress(struct rewrite *rewrite, uint64_t done)
{
	const struct perfdata_annotator *annotator = rewrite->annotator;

	rewrite->shown = done;
	rewrite->events = 0;
	if (!annotator->progress || annotator->progress(annotator->context, done, rewrite->total))
		return 0;
	return perfdata_fail(rewrite->data, "interrupted");
}

/* A few bytes of a file may be many events, or slow ones. */
static int report_progress(struct rewrite *rewrite, const struct perfdata_item *item)
{
	uint64_t done = rewrite->done + item->offset;

	rewrite->events++;
	if (rewrite->shown && done - rewrite->shown < PROGRESS && rewrite->events < PROGRESS_EVENTS)
		return 0;
	return tell_progress(rewrite, done);
}

static int put_payload(struct rewrite *rewrite, const struct perfdata_item *item)
{
	long done;

	while ((done = perfdata_payload(rewrite->data, rewrite->event, sizeof(rewrite->event))) > 0)
		if (rewrite_put(rewrite, rewrite->event, (size_t)done) ||
		    report_progress(rewrite, item))
			return -1;
	return (int)done;
}

static int put_event(struct rewrite *rewrite, const struct perfdata_item *item)
{
	const struct perfdata_event *event = item->event;

	if (put_module_events(rewrite, event))
		return -1;
	if (perfdata_is_mapping(event))
		return put_mapping(rewrite, event);
	if (event->type == PERFDATA_BUILD_ID)
		return put_build_id(rewrite, event);
	/* No event is compressed any more. In a file the header says it. */
	if (rewrite->data->pipe && is_compression_feature(event))
		return 0;
	if (rewrite_put(rewrite, event, event->size))
		return -1;
	return item->payload ? put_payload(rewrite, item) : 0;
}

static void end_stream(struct rewrite *rewrite)
{
	rewrite->done += rewrite->data->streams[rewrite->stream++].end;
}

/* The header has been written. */
static int begin_events(struct rewrite *rewrite)
{
	struct perfdata *data = rewrite->data;

	if (!perfdata_attrs_are_behind(&data->header))
		return 0;
	if (data->aux)
		return perfdata_fail(data, "its attrs are behind the events, as perf inject writes "
					   "them, and AUX data must not move; annotate what it has "
					   "read");
	return perfdata_attrs_write(data, rewrite->output, &rewrite->header);
}

/* Up to @number, including streams without events. */
static int begin_streams(struct rewrite *rewrite, size_t number)
{
	while (!rewrite->begun || rewrite->stream < number) {
		if (rewrite->begun)
			end_stream(rewrite);
		rewrite->begun = true;
		if (perfdata_writer_stream(rewrite->output, rewrite->stream) ||
		    perfdata_writer_copy(rewrite->output, 0,
					 rewrite->data->streams[rewrite->stream].begin) ||
		    (!rewrite->stream && begin_events(rewrite)))
			return -1;
	}
	return 0;
}

static int put_run(struct rewrite *rewrite, uint64_t end)
{
	struct perfdata *data = rewrite->data;
	uint64_t at = perfdata_offset(data);

	for (; at < end; at = perfdata_offset(data)) {
		uint64_t size = MIN(end - at, PROGRESS);

		if (perfdata_writer_copy(rewrite->output, at, size) ||
		    tell_progress(rewrite, rewrite->done + at))
			return -1;
		perfdata_skip(data, at + size);
	}
	return 0;
}

/* Copy the next unchanged events, unless a module event comes in between. */
static int put_unchanged(struct rewrite *rewrite)
{
	struct perfdata *data = rewrite->data;
	const struct perfdata_run *run;
	const unsigned char *bytes;
	size_t size;

	if (rewrite->module_events < rewrite->annotator->nr_module_events)
		return 0;
	run = perfdata_runs_here(&rewrite->runs, data);
	if (run)
		return put_run(rewrite, run->end);
	size = perfdata_next_samples(data, &bytes);
	return size ? rewrite_put(rewrite, bytes, size) : 0;
}

static int put_events(struct rewrite *rewrite)
{
	struct perfdata *data = rewrite->data;
	struct perfdata_item item;
	int answer;

	rewrite->stream = 0;
	perfdata_rewind(data);
	while ((answer = perfdata_next(data, &item)) > 0) {
		if (begin_streams(rewrite, data->current) || put_event(rewrite, &item) ||
		    report_progress(rewrite, &item) || put_unchanged(rewrite))
			return -1;
	}
	return answer ? answer : begin_streams(rewrite, data->nr_streams - 1);
}

/* Does put_event() leave it unchanged, apart from module events? */
static bool stays(const struct perfdata_event *event)
{
	switch (event->type) {
	case PERFDATA_MMAP:
	case PERFDATA_MMAP2:
	case PERFDATA_BUILD_ID:
	case PERFDATA_FEATURE:
		return false;
	default:
		return true;
	}
}

static int survey_event(struct rewrite *rewrite, const struct perfdata_item *item)
{
	rewrite->has_events |= !rewrite->data->current;
	if (!stays(item->event) && perfdata_runs_break(&rewrite->runs, rewrite->data, item))
		return -1;
	return perfdata_survey_add(&rewrite->survey, item->event);
}

static int survey_events(struct rewrite *rewrite)
{
	struct perfdata *data = rewrite->data;
	struct perfdata_item item;
	int answer;

	perfdata_rewind(data);
	while ((answer = perfdata_next_but_samples(data, &item)) > 0) {
		while (rewrite->stream < data->current)
			end_stream(rewrite);
		if (survey_event(rewrite, &item) || report_progress(rewrite, &item))
			return -1;
	}
	rewrite->done = rewrite->total / 2;
	if (!answer && data->aux && data->zstd)
		return perfdata_fail(data, "its events are compressed, and AUX data must not move");
	/* Nothing was compressed: without events, the copy would look like an unfinished one. */
	if (!answer && !rewrite->has_events && !data->pipe)
		return perfdata_fail(data, "damaged: no event in its compressed data");
	if (!answer && perfdata_runs_end(&rewrite->runs, data))
		return -1;
	return answer ? answer : perfdata_survey_end(&rewrite->survey, rewrite->counts);
}

/* --------------------------------------------------------------------- all -- */

static int put_features(struct rewrite *rewrite)
{
	struct perfdata_survey *survey = &rewrite->survey;

	if (rewrite->data->pipe)
		return 0;
	if (perfdata_build_ids_update(rewrite->data, survey->build_ids, &survey->paths))
		return -1;
	rewrite->counts->changed |= perfdata_build_ids_changed(survey->build_ids);
	return perfdata_features_write(rewrite->data, rewrite->output, &rewrite->header,
				       survey->build_ids);
}

static int rewrite_finish(struct rewrite *rewrite, const char *path)
{
	struct perfdata *data = rewrite->data;
	bool in_place = !path && strcmp(data->path, "-");

	if (survey_events(rewrite) || put_events(rewrite) || put_features(rewrite))
		return -1;
	if (in_place && !rewrite->counts->changed)
		return 0;
	/* On a slow disk, most of the time is spent here. */
	if (perfdata_writer_finish(rewrite->output) || tell_progress(rewrite, rewrite->total))
		return -1;
	return perfdata_writer_commit(rewrite->output);
}

static int rewrite_prepare(struct rewrite *rewrite, const char *path)
{
	struct perfdata *data = rewrite->data;
	size_t i;

	rewrite->header = data->header;
	for (i = 0; i < data->nr_streams; i++)
		rewrite->total += 2 * data->streams[i].end;
	rewrite->survey.build_ids = perfdata_build_ids_read(data);
	if (rewrite->survey.build_ids)
		rewrite->output = perfdata_writer_new(data, path);
	return rewrite->output ? 0 : -1;
}

int perfdata_rewrite(struct perfdata *data, const char *path,
		     const struct perfdata_annotator *annotator, struct perfdata_counts *counts)
{
	struct rewrite *rewrite;
	int err;

	*counts = (struct perfdata_counts){};
	if (perfdata_error(data))
		return -1;
	rewrite = calloc(1, sizeof(*rewrite));
	if (!rewrite)
		return perfdata_no_memory(data);
	rewrite->data = data;
	rewrite->annotator = annotator;
	rewrite->counts = counts;
	rewrite->survey.data = data;
	rewrite->survey.annotator = annotator;
	data->quiet = true;

	err = rewrite_prepare(rewrite, path);
	if (!err)
		err = rewrite_finish(rewrite, path);
	perfdata_writer_free(rewrite->output);
	perfdata_survey_free(&rewrite->survey);
	perfdata_runs_free(&rewrite->runs);
	free(rewrite);
	return err;
}
