// SPDX-License-Identifier: GPL-2.0
/* Images: a list in the order of their records, and sorted by where they were and when. */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/param.h>

#include "common/array.h"
#include "common/hash_map.h"
#include "common/hex.h"
#include "content/kernel_modules.h"
#include "identity.h"
#include "images.h"

/* Bytes of an id in the name of a module. */
#define SHORT_BYTES 4
/* "/sys/module/name/name@0123abcd.ko" */
#define PATH_ROOM (2 * MODULE_NAME_ROOM + 18 + 2 * PERFDATA_ID_MAX)

struct image {
	uint64_t time;
	uint64_t addr, len;
	bool kernel;
	bool snapshot;
	bool unload;
	char name[MODULE_NAME_ROOM];
	char path[PATH_ROOM];
	struct perfdata_identity identity;
};

/*
 * perf finds a module's DSO only by name, so only the @first content of a name keeps it unchanged.
 * It is a path, as perf 6.1 looks up only paths in its cache.
 */
static void set_path(struct image *image, const struct image *first, bool in_full)
{
	const struct build_id *id = &image->identity.id;
	char text[2 * PERFDATA_ID_MAX + 1];

	hex_format(text, id->bytes, in_full ? MAX(id->size, SHORT_BYTES) : SHORT_BYTES);
	if (!build_id_equal(&first->identity.id, id))
		snprintf(image->path, sizeof(image->path), "/sys/module/%s/%s@%s.ko", image->name,
			 image->name, text);
	else
		snprintf(image->path, sizeof(image->path), "/sys/module/%s/%s.ko", image->name,
			 image->name);
}

int images_add(struct images *images, const struct buildid_image *record, uint64_t time)
{
	const char *name = buildid_image_name(record);
	struct image *image;

	if (!array_reserve(images->all, images->count))
		return -ENOMEM;
	if (!name || strlen(name) >= MODULE_NAME_ROOM)
		name = "";
	image = &images->all[images->count++];
	*image = (struct image){
		.time = time,
		.addr = record->addr,
		.len = record->len,
		.kernel = record->header.type == BUILDID_RECORD_KERNEL,
		.snapshot = record->header.flags & BUILDID_RECORD_SNAPSHOT,
		.unload = record->flags & BUILDID_IMAGE_UNLOAD,
	};
	snprintf(image->name, sizeof(image->name), "%s", name);
	identity_of_image(record, &image->identity);
	return 0;
}

void images_free(struct images *images)
{
	free(images->all);
	free(images->sorted);
	free(images->module_events);
}

static bool is_load(const struct image *image, uint64_t begin)
{
	return !image->kernel && !image->snapshot && image->time > begin && image->addr &&
	       image->len && *image->name;
}

static int compare_module_events(const void *a, const void *b)
{
	const struct perfdata_module_event *first = a, *second = b;

	return COMPARE(first->time, second->time);
}

/* There is only one kernel at a time. */
static int compare_places(const struct image *a, const struct image *b)
{
	int names;

	if (a->kernel || b->kernel)
		return COMPARE(a->kernel, b->kernel);
	names = strcmp(a->name, b->name);
	return names ? names : COMPARE(a->addr, b->addr);
}

/* At the same time and place they stay in the order of their records. */
static int compare_images(const void *a, const void *b)
{
	const struct image *first = *(struct image *const *)a;
	const struct image *second = *(struct image *const *)b;
	int order = compare_places(first, second);

	if (!order)
		order = COMPARE(first->time, second->time);
	return order ? order : COMPARE(first, second);
}

/* Images up to the time of the key compare less. */
static int compare_until(const void *image, const void *key)
{
	const struct image *first = *(struct image *const *)image, *until = key;
	int order = compare_places(first, until);

	if (order)
		return order;
	return first->time <= until->time ? -1 : 1;
}

static bool same_name(const struct image *a, const struct image *b)
{
	return a->kernel == b->kernel && !strcmp(a->name, b->name);
}

/*
 * Whether two of @count images with one name have ids with the same beginning. False without
 * memory.
 */
static bool begin_alike(struct image *const *images, size_t count)
{
	struct hash_map begins = {};
	const struct build_id *id;
	bool alike = false;
	uint32_t begin, other;
	size_t i;

	for (i = 0; i < count && !alike; i++) {
		id = &images[i]->identity.id;
		memcpy(&begin, id->bytes, sizeof(begin));
		other = hash_map_get(&begins, begin, UINT32_MAX);
		alike = other != UINT32_MAX && !build_id_equal(&images[other]->identity.id, id);
		hash_map_set(&begins, begin, (uint32_t)i);
	}
	hash_map_free(&begins);
	return alike;
}

static void set_paths(const struct images *images)
{
	size_t begin, end, i;
	bool in_full;

	for (begin = 0; begin < images->count; begin = end) {
		const struct image *first = images->sorted[begin];

		for (end = begin + 1; end < images->count; end++) {
			if (!same_name(images->sorted[end], first))
				break;
			if (images->sorted[end] < first)
				first = images->sorted[end];
		}
		in_full = begin_alike(images->sorted + begin, end - begin);
		for (i = begin; i < end; i++)
			set_path(images->sorted[i], first, in_full);
	}
}

int images_ready(struct images *images, uint64_t begin)
{
	size_t i;

	images->module_events = calloc(images->count + 1, sizeof(*images->module_events));
	images->sorted = calloc(images->count + 1, sizeof(struct image *));
	if (!images->module_events || !images->sorted)
		return -ENOMEM;
	for (i = 0; i < images->count; i++)
		images->sorted[i] = &images->all[i];
	array_sort(images->sorted, images->count, compare_images);
	set_paths(images);
	for (i = 0; i < images->count; i++)
		if (!images->sorted[i]->unload)
			images->sorted[images->nr_sorted++] = images->sorted[i];
	for (i = 0; i < images->count; i++) {
		const struct image *image = &images->all[i];

		if (!is_load(image, begin))
			continue;
		images->module_events[images->nr_module_events++] = (struct perfdata_module_event){
			.time = image->time,
			.start = image->addr,
			.len = image->len,
			.unload = image->unload,
			.path = image->path,
			.id = image->identity.id,
		};
	}
	array_sort(images->module_events, images->nr_module_events, compare_module_events);
	return 0;
}

uint64_t images_text(const struct images *images)
{
	size_t i;

	for (i = 0; i < images->count; i++)
		if (images->all[i].kernel && images->all[i].addr)
			return images->all[i].addr;
	return 0;
}

/* Of the images at @place, the last one up to its time, else the first after it. */
static const struct image *find_at(const struct images *images, const struct image *place)
{
	struct image **sorted = images->sorted;
	size_t after =
		array_lower_bound(place, sorted, images->nr_sorted, sizeof(*sorted), compare_until);

	if (after && !compare_places(sorted[after - 1], place))
		return sorted[after - 1];
	if (after < images->nr_sorted && !compare_places(sorted[after], place))
		return sorted[after];
	return NULL;
}

/* The better one of two places' results, by the rule of find_at(). */
static const struct image *better(const struct image *a, const struct image *b, uint64_t time)
{
	if (!a || !b)
		return a ? a : b;
	if (a->time > time || b->time > time)
		return a->time <= b->time ? a : b;
	return a->time >= b->time ? a : b;
}

void images_find(const struct images *images, const struct perfdata_mapping *mapping, uint64_t time,
		 struct perfdata_identity *identity)
{
	struct image place = {
		.time = time,
		.addr = mapping->start,
		.kernel = mapping->kind == PERFDATA_KIND_KERNEL,
	};
	const struct image *best;

	module_name(mapping->path, place.name);
	best = find_at(images, &place);
	place.addr = 0; /* images whose address was hidden */
	best = better(best, find_at(images, &place), time);
	if (best)
		*identity = best->identity;
	else
		identity->reason = "there is no record of it";
}
