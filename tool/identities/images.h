/* SPDX-License-Identifier: GPL-2.0 */
/* Images: the kernel and its modules over time, as records tell of them. */
#ifndef TOOL_IMAGES_H
#define TOOL_IMAGES_H

#include "libbuildid/libbuildid.h"
#include "perfdata/rewrite.h"

struct image;

struct images {
	struct image *all;
	size_t count;
	struct perfdata_module_event *module_events; /* those after the beginning, by time */
	size_t nr_module_events;
};

int images_add(struct images *images, const struct buildid_image *image, uint64_t time);
int images_ready(struct images *images, uint64_t begin);
void images_free(struct images *images);
/* Where _text is; 0 when that is not known. */
uint64_t images_text(const struct images *images);
void images_find(const struct images *images, const struct perfdata_mapping *mapping, uint64_t time,
		 struct perfdata_identity *identity);

#endif
