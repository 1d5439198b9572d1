// SPDX-License-Identifier: GPL-2.0
/* Images: a list in the order of their records, searched as a whole: there are few. */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/array.h"
#include "content/kernel_modules.h"
#include "identity.h"
#include "images.h"

/* "/sys/module/name/name@0123abcd.ko" */
#define PATH_ROOM (2 * MODULE_NAME_ROOM + 26)

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
 * perf finds the DSO of a module by its name alone, so only the first content of a name
 * can have it unchanged. It is a path, as perf 6.1 looks into its cache only for those.
 */
static void set_path(const struct images *images, struct image *image)
{
	const uint8_t *id = image->identity.id.bytes;
	const struct image *other;

	for (other = images->all; other < image; other++)
		if (!other->kernel && !strcmp(other->name, image->name))
			break;
	if (other < image && !build_id_equal(&other->identity.id, &image->identity.id))
		snprintf(image->path, sizeof(image->path), "/sys/module/%s/%s@%02x%02x%02x%02x.ko",
			 image->name, image->name, id[0], id[1], id[2], id[3]);
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
	set_path(images, image);
	return 0;
}

void images_free(struct images *images)
{
	free(images->all);
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

int images_ready(struct images *images, uint64_t begin)
{
	size_t i;

	images->module_events = calloc(images->count + 1, sizeof(*images->module_events));
	if (!images->module_events)
		return -ENOMEM;
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

/* Of two images, the last until @time is the right one, else the first after it. */
static bool is_better(const struct image *image, const struct image *than, uint64_t time)
{
	if (!than)
		return true;
	if (than->time > time)
		return image->time < than->time;
	return image->time <= time && image->time >= than->time;
}

void images_find(const struct images *images, const struct perfdata_mapping *mapping, uint64_t time,
		 struct perfdata_identity *identity)
{
	bool kernel = mapping->kind == PERFDATA_KIND_KERNEL;
	const struct image *best = NULL;
	char name[MODULE_NAME_ROOM];
	size_t i;

	module_name(mapping->path, name);
	for (i = 0; i < images->count; i++) {
		const struct image *image = &images->all[i];

		if (image->kernel != kernel || image->unload)
			continue;
		if (!kernel &&
		    (strcmp(image->name, name) || (image->addr && image->addr != mapping->start)))
			continue;
		if (is_better(image, best, time))
			best = image;
	}
	if (best)
		*identity = best->identity;
	else
		identity->reason = "there is no record of it";
}
