/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Images: the kernel and its modules over time, from KERNEL and MODULE records. Modules may be
 * reloaded with other content, or at another address.
 */
#ifndef TOOL_IMAGES_H
#define TOOL_IMAGES_H

#include "libbuildid/libbuildid.h"
#include "perfdata/rewrite.h"

struct image;

struct images {
	struct image *all;
	size_t count;
	struct image **sorted; /* without unload records */
	size_t nr_sorted;
	struct perfdata_module_event *module_events; /* since perf began, by time */
	size_t nr_module_events;
};

/* 0 or -ENOMEM. */
int images_add(struct images *images, const struct buildid_image *image, uint64_t time);
/* All are added, and perf began at @begin. 0 or -ENOMEM. */
int images_ready(struct images *images, uint64_t begin);
void images_free(struct images *images);
/* The address of _text, 0 if it is unknown. */
uint64_t images_text(const struct images *images);
/* Fill @identity for @mapping, as of @time. */
void images_find(const struct images *images, const struct perfdata_mapping *mapping, uint64_t time,
		 struct perfdata_identity *identity);

#endif
