// SPDX-License-Identifier: GPL-2.0
/* Survey: each mapping is identified and counted. */

#include <string.h>
#include <sys/param.h>

#include "common/array.h"
#include "common/content_name.h"
#include "survey.h"

/* 64 MiB of them. */
#define FOUND_MAX (16U << 20)
#define NOTHING	  UINT32_MAX

/* Nothing may move in a file with AUX data. */
static bool keeps_names(const struct perfdata_survey *survey)
{
	return survey->annotator->keep_names || survey->data->aux;
}

/* If @mapping has a content name, replace it by the path. Returns whether it had one. */
static bool take_path(struct perfdata_survey *survey, struct perfdata_mapping *mapping)
{
	size_t length = strlen(mapping->path);
	size_t of_path = length;

	if (mapping->kind == PERFDATA_KIND_USER && !keeps_names(survey))
		of_path = content_name_path(mapping->path, &mapping->id);
	if (of_path == length)
		return false;
	memcpy(survey->path, mapping->path, of_path);
	survey->path[of_path] = '\0';
	mapping->path = survey->path;
	return true;
}

/* How much longer an event with @name gets by a content name for @path. */
static size_t room_for_name(const char *name, const char *path)
{
	return PERFDATA_NAME_ROOM(strlen(path) + CONTENT_NAME_SUFFIX) -
	       PERFDATA_NAME_ROOM(strlen(name));
}

/*
 * Bytes left in the event with a build-id and the name that @mapping, which now has its path, may
 * get; less than 0 if these do not fit.
 */
static long room_in(const struct perfdata_survey *survey, const struct perfdata_event *event,
		    const char *name, const struct perfdata_mapping *mapping)
{
	size_t size = event->size;

	if (event->type != PERFDATA_MMAP2) {
		if (survey->data->aux)
			return -1;
		size += PERFDATA_MMAP_GROWS;
	}
	/* A name may end an event without padding. */
	if (mapping->kind == PERFDATA_KIND_USER && !keeps_names(survey))
		size = ((size + 7) & ~(size_t)7) + room_for_name(name, mapping->path);
	return UINT16_MAX - (long)size;
}

/*
 * Identify @mapping by its path. Returns whether the answer is ours, not perf's own.
 */
static bool survey_identify(struct perfdata_survey *survey, const struct perfdata_mapping *mapping,
			    struct perfdata_identity *identity)
{
	bool known;

	survey->annotator->identify(survey->annotator->context, mapping, identity);
	known = identity->id.size;
	if (!identity->id.size && mapping->kind == PERFDATA_KIND_VDSO)
		perfdata_build_ids_find(survey->build_ids, mapping->path, &identity->id);
	if (!identity->id.size)
		identity->id = mapping->id;
	return known;
}

/* The table has one build-id per path, but the path's file may change. */
static int add_without_room(struct perfdata_survey *survey, const struct perfdata_mapping *mapping,
			    struct perfdata_identity *identity)
{
	if (mapping->kind != PERFDATA_KIND_USER)
		return perfdata_build_ids_set(survey->data, survey->build_ids, mapping->path,
					      mapping->kind, &identity->id, true);
	*identity = (struct perfdata_identity){
		.reason =
			survey->data->aux ?
				"its mapping has no room for a build-id, and AUX data must not move" :
				"its event would be too long with a build-id and a name",
	};
	return 0;
}

/* Without memory, the mapping is identified again in the second pass. */
static void keep_found(struct perfdata_survey *survey, const struct perfdata_content *content)
{
	if (survey->nr_found == FOUND_MAX || !array_reserve(survey->found, survey->nr_found))
		survey->found_all = true;
	if (!survey->found_all)
		survey->found[survey->nr_found++] =
			content ? (uint32_t)(content - survey->paths.contents) : NOTHING;
}

/* @known: not just from perf; @may_change: the event has room for it. */
static bool add_identity(struct perfdata_survey *survey, size_t number,
			 const struct perfdata_mapping *mapping,
			 const struct perfdata_identity *identity, bool known, bool named,
			 bool may_change)
{
	struct perfdata_path *path = &survey->paths.all[number];
	struct perfdata_content *content = NULL;

	path->executable |= !mapping->data;
	if (identity->id.size) {
		path->annotated++;
		content = perfdata_paths_add_content(&survey->paths, number, &identity->id,
						     mapping->time, !named);
		if (!content)
			return false;
		content->known |= known;
	} else if (identity->known) {
		path->without++;
	} else {
		path->missing++;
		if (!path->reason)
			path->reason = identity->reason;
	}
	keep_found(survey, may_change ? content : NULL);
	return true;
}

static int add_mapping(struct perfdata_survey *survey, const struct perfdata_event *event,
		       struct perfdata_mapping *mapping)
{
	const char *name = mapping->path;
	bool named = take_path(survey, mapping);
	struct perfdata_identity identity = {};
	struct perfdata_path *path;
	size_t number;
	bool known;
	long room;

	number = perfdata_paths_add(&survey->paths, mapping->path, mapping->kind);
	if (number == SIZE_MAX)
		return perfdata_no_memory(survey->data);
	known = survey_identify(survey, mapping, &identity);
	room = room_in(survey, event, name, mapping);
	path = &survey->paths.all[number];
	if (room >= 0)
		path->room = MIN(path->room, (size_t)room);
	else if (identity.id.size && add_without_room(survey, mapping, &identity))
		return -1;
	return add_identity(survey, number, mapping, &identity, known, named,
			    !identity.id.size || room >= 0) ?
		       0 :
		       perfdata_no_memory(survey->data);
}

/* -------------------------------------------------------------------- modules -- */

static int compare_times(const void *a, const void *b)
{
	const struct perfdata_module_event *first = a, *second = b;

	return COMPARE(first->time, second->time);
}

/* The recording has it from an earlier annotation. */
static int note_module_event(struct perfdata_survey *survey, uint64_t time, uint64_t start,
			     bool unload)
{
	const struct perfdata_annotator *annotator = survey->annotator;
	const struct perfdata_module_event key = { .time = time };
	size_t count = annotator->nr_module_events, i;

	if (!survey->there)
		survey->there = calloc(count + 1, sizeof(*survey->there));
	if (!survey->there)
		return perfdata_no_memory(survey->data);
	for (i = array_lower_bound(&key, annotator->module_events, count, sizeof(key),
				   compare_times);
	     i < count && annotator->module_events[i].time == time; i++)
		if (annotator->module_events[i].start == start &&
		    annotator->module_events[i].unload == unload)
			survey->there[i] = true;
	return 0;
}

static int add_unload(struct perfdata_survey *survey, const struct perfdata_event *event)
{
	const struct perfdata_ksymbol *symbol = (const void *)event;

	if (event->type != PERFDATA_KSYMBOL || event->size < sizeof(*symbol))
		return 0;
	return note_module_event(survey, perfdata_time(survey->data, event), symbol->addr, true);
}

/* --------------------------------------------------------------------- add -- */

static int add_build_id(struct perfdata_survey *survey, const struct perfdata_build_id *entry)
{
	const struct perfdata_event *event = &entry->event;
	const char *name = event->size < sizeof(*entry) ? NULL : perfdata_build_id_name(entry);

	enum perfdata_kind kind = name ? perfdata_kind(name, event->misc) : PERFDATA_KIND_OTHER;
	struct build_id id = {};

	if (!name)
		return 0;
	build_id_set(&id, entry->id, perfdata_build_id_size(entry));
	if (perfdata_paths_add(&survey->paths, name, kind) == SIZE_MAX ||
	    !perfdata_doubts_add(&survey->paths.doubts, kind, name, &id))
		return perfdata_no_memory(survey->data);
	return 0;
}

int perfdata_survey_add(struct perfdata_survey *survey, const struct perfdata_event *event)
{
	struct perfdata_mapping mapping;

	if (event->type == PERFDATA_BUILD_ID)
		return add_build_id(survey, (const void *)event);
	if (!perfdata_is_mapping(event))
		return add_unload(survey, event);
	if (!perfdata_mapping(survey->data, event, &mapping) ||
	    mapping.kind == PERFDATA_KIND_OTHER) {
		keep_found(survey, NULL);
		return 0;
	}
	if (mapping.kind == PERFDATA_KIND_MODULE && mapping.time &&
	    note_module_event(survey, mapping.time, mapping.start, false))
		return -1;
	return add_mapping(survey, event, &mapping);
}

/* --------------------------------------------------------------------- end -- */

/* A file mapped only for data has no functions to name. */
static bool is_of_interest(const struct perfdata_path *path)
{
	return path->executable || !path->missing;
}

static void count_path(const struct perfdata_survey *survey, const struct perfdata_path *path,
		       struct perfdata_counts *counts)
{
	uint64_t all = path->annotated + path->without + path->missing;
	bool annotated = perfdata_path_is_annotated(path);
	uint64_t missing = annotated ? 0 : all;

	if (!is_of_interest(path))
		return;
	if (annotated) {
		counts->annotated += path->annotated;
		counts->without += path->without;
		counts->unnamed += perfdata_path_unnamed(path);
		missing = path->missing;
	}
	if (!missing)
		return;
	counts->not_annotated += missing;
	counts->paths++;
	survey->annotator->report(survey->annotator->context, path->path, missing, all,
				  path->reason ?
					  path->reason :
					  "some of its contents have a build-id, some have none");
}

int perfdata_survey_end(struct perfdata_survey *survey, struct perfdata_counts *counts)
{
	struct perfdata_paths *paths = &survey->paths;
	size_t i;

	if (!perfdata_build_ids_doubt(survey->build_ids, paths) ||
	    !perfdata_paths_judge(paths, keeps_names(survey)))
		return perfdata_no_memory(survey->data);
	for (i = 0; i < paths->count; i++)
		count_path(survey, &paths->all[i], counts);
	for (i = 0; i < paths->nr_contents; i++)
		counts->named += paths->contents[i].name != NULL;
	return 0;
}

void perfdata_survey_free(struct perfdata_survey *survey)
{
	perfdata_paths_free(&survey->paths);
	perfdata_build_ids_free(survey->build_ids);
	free(survey->found);
	free(survey->there);
}

/* -------------------------------------------------------------------- find -- */

static const struct perfdata_content *changed(const struct perfdata_survey *survey)
{
	perfdata_fail(survey->data, "was changed while it was read");
	return NULL;
}

/* As found in the first pass. */
static const struct perfdata_content *found_before(const struct perfdata_survey *survey,
						   uint32_t number,
						   const struct perfdata_event *event)
{
	const struct perfdata_content *content;
	const struct perfdata_path *path;
	const char *name;

	if (number == NOTHING)
		return NULL;
	content = &survey->paths.contents[number];
	path = &survey->paths.all[content->path];
	name = perfdata_mapping_name(event);
	if (!name || strncmp(name, path->path, strlen(path->path)) != 0)
		return changed(survey);
	return content->foreign || perfdata_path_is_annotated(path) ? content : NULL;
}

static const struct perfdata_content *find_again(struct perfdata_survey *survey,
						 const struct perfdata_event *event)
{
	struct perfdata_mapping mapping, of_path;
	struct perfdata_identity identity = {};
	const struct perfdata_content *content;
	const struct perfdata_path *path;
	size_t number;

	if (!perfdata_mapping(survey->data, event, &mapping) || mapping.kind == PERFDATA_KIND_OTHER)
		return NULL;
	of_path = mapping;
	take_path(survey, &of_path);
	path = perfdata_paths_find(&survey->paths, of_path.path, of_path.kind);
	if (!path)
		return changed(survey);
	number = (size_t)(path - survey->paths.all);
	content = perfdata_paths_content(&survey->paths, number, &mapping.id);
	if (content && content->foreign)
		return content;
	if (!perfdata_path_is_annotated(path) || room_in(survey, event, mapping.path, &of_path) < 0)
		return NULL;
	survey_identify(survey, &of_path, &identity);
	if (!identity.id.size)
		return NULL;
	content = perfdata_paths_content(&survey->paths, number, &identity.id);
	return content ? content : changed(survey);
}

const struct perfdata_content *perfdata_survey_find(struct perfdata_survey *survey,
						    const struct perfdata_event *event)
{
	size_t number = survey->asked++;

	return number < survey->nr_found ? found_before(survey, survey->found[number], event) :
					   find_again(survey, event);
}

const char *perfdata_survey_name(const struct perfdata_survey *survey,
				 const struct perfdata_content *content)
{
	return content->name ? content->name : survey->paths.all[content->path].path;
}
