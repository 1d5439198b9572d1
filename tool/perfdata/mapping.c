// SPDX-License-Identifier: GPL-2.0
/*
 * perf.data: sample formats, times, and mappings of events.
 *
 * Attrs may differ in their sample_type. Then perf asks for PERF_SAMPLE_IDENTIFIER in
 * all of them, which puts an id where it is found without knowing the attr: first in a
 * SAMPLE, last in any other event.
 */

#include <string.h>

#include "common/array.h"
#include "file.h"

#define VDSO_NAME "[vdso]"
/* 32-bit processes have their "[vdso]", a different one, below this. */
#define VDSO_MIN (1ULL << 32)

/* ------------------------------------------------------------------- format -- */

static int compare_ids(const void *a, const void *b)
{
	const struct perfdata_event_id *first = a, *second = b;

	return COMPARE(first->id, second->id);
}

static const struct perfdata_sample_format *format_of_id(struct perfdata *data, uint64_t id)
{
	const struct perfdata_event_id request = { .id = id };
	const struct perfdata_event_id *found;

	if (!data->ids)
		return NULL;
	if (!data->ids_sorted)
		array_sort(data->ids, data->nr_ids, compare_ids);
	data->ids_sorted = true;
	found = bsearch(&request, data->ids, data->nr_ids, sizeof(*data->ids), compare_ids);
	return found ? &data->formats[found->format] : NULL;
}

static uint64_t u64_at(const struct perfdata_event *event, size_t offset)
{
	uint64_t value;

	memcpy(&value, (const char *)event + offset, sizeof(value));
	return value;
}

const struct perfdata_sample_format *perfdata_sample_format(struct perfdata *data,
							    const struct perfdata_event *event)
{
	const struct perfdata_sample_format *format;
	bool sample = event->type == PERFDATA_SAMPLE;

	if (!data->nr_formats || event->type >= PERFDATA_USER_TYPE_START)
		return NULL;
	if (data->uniform)
		return data->formats;
	if (!(data->formats->sample_type & PERFDATA_SAMPLE_IDENTIFIER) ||
	    event->size < sizeof(*event) + 8)
		return NULL;
	format = format_of_id(data, u64_at(event, sample ? sizeof(*event) : event->size - 8U));
	/* Events that perf made up itself have the format of the first attr, and no id. */
	return format || sample ? format : data->formats;
}

static size_t count_bits(uint64_t bits)
{
	return (size_t)__builtin_popcountll(bits);
}

void perfdata_lay_out_format(struct perfdata_sample_format *format)
{
	const uint64_t fields = PERFDATA_SAMPLE_TID | PERFDATA_SAMPLE_TIME | PERFDATA_SAMPLE_ID |
				PERFDATA_SAMPLE_STREAM_ID | PERFDATA_SAMPLE_CPU |
				PERFDATA_SAMPLE_IDENTIFIER;
	const uint64_t before = PERFDATA_SAMPLE_IDENTIFIER | PERFDATA_SAMPLE_IP |
				PERFDATA_SAMPLE_TID;
	const uint64_t type = format->sample_type;

	format->id_size = format->sample_id_all ? 8 * count_bits(type & fields) : 0;
	format->id_time = 8 * count_bits(type & PERFDATA_SAMPLE_TID);
	format->time = sizeof(struct perfdata_event) + 8 * count_bits(type & before);
}

uint64_t perfdata_time(struct perfdata *data, const struct perfdata_event *event)
{
	const struct perfdata_sample_format *format = perfdata_sample_format(data, event);
	size_t offset;

	if (!format || !(format->sample_type & PERFDATA_SAMPLE_TIME))
		return 0;
	if (event->type == PERFDATA_SAMPLE) {
		offset = format->time;
	} else {
		if (!format->sample_id_all || format->id_size > event->size - sizeof(*event))
			return 0;
		offset = event->size - format->id_size + format->id_time;
	}
	return offset + 8 <= event->size ? u64_at(event, offset) : 0;
}

/* ----------------------------------------------------------------- mappings -- */

static bool starts_with(const char *text, const char *start)
{
	return !strncmp(text, start, strlen(start));
}

enum perfdata_kind perfdata_kind(const char *path, uint16_t misc)
{
	switch (misc & PERFDATA_MISC_CPUMODE) {
	case PERFDATA_MISC_KERNEL:
		if (starts_with(path, PERFDATA_KERNEL_NAME))
			return PERFDATA_KIND_KERNEL;
		return *path == '/' || *path == '[' ? PERFDATA_KIND_MODULE : PERFDATA_KIND_OTHER;
	case PERFDATA_MISC_USER:
		if (!strcmp(path, VDSO_NAME))
			return PERFDATA_KIND_VDSO;
		/* Anonymous memory is "//anon". */
		return path[0] == '/' && path[1] != '/' ? PERFDATA_KIND_USER : PERFDATA_KIND_OTHER;
	default:
		return PERFDATA_KIND_OTHER;
	}
}

bool perfdata_is_mapping(const struct perfdata_event *event)
{
	return event->type == PERFDATA_MMAP || event->type == PERFDATA_MMAP2;
}

static size_t fixed_size(const struct perfdata_event *event)
{
	return event->type == PERFDATA_MMAP2 ? sizeof(struct perfdata_mmap2) :
					       sizeof(struct perfdata_mmap);
}

/* Returns the position of its NUL. */
static const char *end_of_name(const struct perfdata_event *event)
{
	const size_t fixed = fixed_size(event);

	if (event->size <= fixed)
		return NULL;
	return memchr((const char *)event + fixed, '\0', event->size - fixed);
}

const char *perfdata_mapping_name(const struct perfdata_event *event)
{
	return end_of_name(event) ? (const char *)event + fixed_size(event) : NULL;
}

static void copy_content(const struct perfdata_mmap2 *mmap, struct perfdata_mapping *mapping)
{
	if (!(mmap->event.misc & PERFDATA_MISC_ID)) {
		mapping->has_inode = true;
		mapping->major = mmap->major;
		mapping->minor = mmap->minor;
		mapping->ino = mmap->ino;
		mapping->generation = mmap->generation;
	} else if (mmap->id_size <= PERFDATA_ID_MAX) {
		build_id_set(&mapping->id, mmap->id, mmap->id_size);
		if (build_id_is_blank(&mapping->id))
			mapping->id.size = 0;
	}
}

static size_t size_without_sample_id(struct perfdata *data, const struct perfdata_event *event)
{
	const struct perfdata_sample_format *format = perfdata_sample_format(data, event);
	size_t size = format ? format->id_size : 0;

	return size < event->size - sizeof(*event) ? event->size - size : event->size;
}

bool perfdata_mapping(struct perfdata *data, const struct perfdata_event *event,
		      struct perfdata_mapping *mapping)
{
	/* MMAP and MMAP2 begin alike. */
	const struct perfdata_mmap *mmap = (const void *)event;
	const char *name, *end;

	if (!perfdata_is_mapping(event))
		return false;
	name = (const char *)event + fixed_size(event);
	end = end_of_name(event);
	if (!end)
		return false;

	*mapping = (struct perfdata_mapping){
		.path = name,
		.kind = perfdata_kind(name, event->misc),
		.pid = mmap->pid,
		.tid = mmap->tid,
		.start = mmap->start,
		.len = mmap->len,
		.pgoff = mmap->pgoff,
		.data = event->misc & PERFDATA_MISC_DATA,
	};
	if (mapping->kind == PERFDATA_KIND_VDSO && mapping->start < VDSO_MIN)
		mapping->kind = PERFDATA_KIND_OTHER;
	/* If the name extends into it, there is no sample_id. */
	if ((size_t)(end - (const char *)event) < size_without_sample_id(data, event))
		mapping->time = perfdata_time(data, event);
	if (event->type == PERFDATA_MMAP2)
		copy_content((const void *)event, mapping);
	return true;
}

int perfdata_next_mapping(struct perfdata *data, struct perfdata_mapping *mapping)
{
	struct perfdata_item item;
	int answer;

	do
		answer = perfdata_next_but_samples(data, &item);
	while (answer > 0 && !perfdata_mapping(data, item.event, mapping));
	return answer;
}
