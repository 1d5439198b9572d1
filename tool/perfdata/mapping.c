// SPDX-License-Identifier: GPL-2.0
/* perf.data: what a mapping is of, when it was made, and who has it. */

#include <string.h>

#include "common/array.h"
#include "file.h"

#define KERNEL_NAME "[kernel.kallsyms]"
#define VDSO_NAME   "[vdso]"
/* Below it are the processes of 32 bits, whose "[vdso]" is another. */
#define VDSO_MIN (1ULL << 32)

/* ------------------------------------------------------------------- layout -- */

static int compare_owners(const void *a, const void *b)
{
	const struct perfdata_owner *first = a, *second = b;

	return COMPARE(first->id, second->id);
}

static const struct perfdata_layout *owner_of(struct perfdata *data, uint64_t id)
{
	const struct perfdata_owner request = { .id = id };
	const struct perfdata_owner *owner;

	if (!data->owners)
		return NULL;
	if (!data->owners_sorted)
		array_sort(data->owners, data->nr_owners, compare_owners);
	data->owners_sorted = true;
	owner = bsearch(&request, data->owners, data->nr_owners, sizeof(*data->owners),
			compare_owners);
	return owner ? &data->layouts[owner->layout] : NULL;
}

static uint64_t u64_at(const struct perfdata_event *event, size_t offset)
{
	uint64_t value;

	memcpy(&value, (const char *)event + offset, sizeof(value));
	return value;
}

const struct perfdata_layout *perfdata_layout(struct perfdata *data,
					      const struct perfdata_event *event)
{
	const struct perfdata_layout *layout;
	bool sample = event->type == PERFDATA_SAMPLE;

	if (!data->nr_layouts || event->type >= PERFDATA_OF_PERF)
		return NULL;
	if (data->uniform)
		return data->layouts;
	/* perf gives all of them an identifier, in the same place, or none. */
	if (!(data->layouts->sample_type & PERFDATA_SAMPLE_IDENTIFIER) ||
	    event->size < sizeof(*event) + 8)
		return NULL;
	layout = owner_of(data, u64_at(event, sample ? sizeof(*event) : event->size - 8U));
	/* What perf made up itself has the first one's, and no id. */
	return layout || sample ? layout : data->layouts;
}

static size_t count_bits(uint64_t bits)
{
	return (size_t)__builtin_popcountll(bits);
}

size_t perfdata_trailer(const struct perfdata_layout *layout)
{
	const uint64_t fields = PERFDATA_SAMPLE_TID | PERFDATA_SAMPLE_TIME | PERFDATA_SAMPLE_ID |
				PERFDATA_SAMPLE_STREAM_ID | PERFDATA_SAMPLE_CPU |
				PERFDATA_SAMPLE_IDENTIFIER;

	if (!layout->sample_id_all)
		return 0;
	return count_bits(layout->sample_type & fields) * 8;
}

size_t perfdata_body(struct perfdata *data, const struct perfdata_event *event)
{
	const struct perfdata_layout *layout = perfdata_layout(data, event);
	size_t trailer = layout ? perfdata_trailer(layout) : 0;

	return trailer < event->size - sizeof(*event) ? event->size - trailer : event->size;
}

uint64_t perfdata_time(struct perfdata *data, const struct perfdata_event *event)
{
	const struct perfdata_layout *layout = perfdata_layout(data, event);
	const uint64_t before = PERFDATA_SAMPLE_IDENTIFIER | PERFDATA_SAMPLE_IP |
				PERFDATA_SAMPLE_TID;
	size_t offset;

	if (!layout || !(layout->sample_type & PERFDATA_SAMPLE_TIME))
		return 0;
	if (event->type == PERFDATA_SAMPLE) {
		offset = sizeof(*event) + 8 * count_bits(layout->sample_type & before);
	} else {
		if (!layout->sample_id_all ||
		    perfdata_trailer(layout) > event->size - sizeof(*event))
			return 0;
		offset = event->size - perfdata_trailer(layout) +
			 8 * count_bits(layout->sample_type & PERFDATA_SAMPLE_TID);
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
		if (starts_with(path, KERNEL_NAME))
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

const char *perfdata_mapping_name(const struct perfdata_event *event)
{
	if (event->type == PERFDATA_MMAP2)
		return ((const struct perfdata_mmap2 *)event)->name;
	return ((const struct perfdata_mmap *)event)->name;
}

static size_t smallest(const struct perfdata_event *event)
{
	return event->type == PERFDATA_MMAP2 ? sizeof(struct perfdata_mmap2) :
					       sizeof(struct perfdata_mmap);
}

static void take_content(const struct perfdata_mmap2 *mmap, struct perfdata_mapping *mapping)
{
	if (!(mmap->event.misc & PERFDATA_MISC_ID)) {
		mapping->has_inode = true;
		mapping->major = mmap->major;
		mapping->minor = mmap->minor;
		mapping->ino = mmap->ino;
		mapping->generation = mmap->generation;
	} else if (mmap->id_size <= PERFDATA_ID_MAX) {
		mapping->id_size = mmap->id_size;
		memcpy(mapping->id, mmap->id, mapping->id_size);
	}
}

bool perfdata_mapping(struct perfdata *data, const struct perfdata_event *event,
		      struct perfdata_mapping *mapping)
{
	/* MMAP and MMAP2 begin alike. */
	const struct perfdata_mmap *mmap = (const void *)event;
	const char *name = perfdata_mapping_name(event);
	const char *end;

	if (event->type != PERFDATA_MMAP && event->type != PERFDATA_MMAP2)
		return false;
	if (event->size <= smallest(event))
		return false;
	end = memchr(name, '\0', event->size - smallest(event));
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
	/* A trailer that would be in the name is none. */
	if ((size_t)(end - (const char *)event) < perfdata_body(data, event))
		mapping->time = perfdata_time(data, event);
	if (event->type == PERFDATA_MMAP2)
		take_content((const void *)event, mapping);
	return true;
}

int perfdata_next_mapping(struct perfdata *data, struct perfdata_mapping *mapping)
{
	struct perfdata_item item;
	int answer;

	do
		answer = perfdata_next(data, &item);
	while (answer > 0 && !perfdata_mapping(data, item.event, mapping));
	return answer;
}

/* ---------------------------------------------------------------- the table -- */

const char *perfdata_build_id_name(const struct perfdata_build_id *entry)
{
	if (entry->event.size <= sizeof(*entry) ||
	    !memchr(entry->name, '\0', entry->event.size - sizeof(*entry)))
		return NULL;
	return entry->name;
}

size_t perfdata_build_id_size(const struct perfdata_build_id *entry)
{
	/* Of old all of them were SHA-1. */
	if (!(entry->event.misc & PERFDATA_MISC_ID_SIZE))
		return sizeof(entry->id);
	return entry->id_size <= sizeof(entry->id) ? entry->id_size : 0;
}
