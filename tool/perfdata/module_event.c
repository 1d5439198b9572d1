// SPDX-License-Identifier: GPL-2.0
/* Events of a perf.data that nobody recorded: a module comes or goes. */

#include <string.h>

#include "module_event.h"

void perfdata_set_id(struct perfdata_mmap2 *mmap, const struct build_id *id)
{
	mmap->event.misc |= PERFDATA_MISC_ID;
	mmap->id_size = (uint8_t)id->size;
	memset(mmap->reserved, 0, sizeof(mmap->reserved));
	memset(mmap->id, 0, sizeof(mmap->id));
	memcpy(mmap->id, id->bytes, id->size);
}

/* A mapping, as perf makes them for modules that are there when it begins. */
static size_t make_load(const struct perfdata_module_event *load, struct perfdata_mmap2 *new)
{
	new->event.type = PERFDATA_MMAP2;
	new->event.misc = PERFDATA_MISC_KERNEL;
	new->pid = UINT32_MAX;
	new->start = load->start;
	new->len = load->len;
	if (load->id.size)
		perfdata_set_id(new, &load->id);
	return sizeof(*new);
}

/* For perf there is no other way for a mapping of the kernel to go. */
static size_t make_unload(const struct perfdata_module_event *load, struct perfdata_ksymbol *new)
{
	new->event.type = PERFDATA_KSYMBOL;
	new->event.misc = PERFDATA_MISC_KERNEL;
	new->addr = load->start;
	new->len = load->len < UINT32_MAX ? (uint32_t)load->len : UINT32_MAX;
	new->type = PERFDATA_KSYMBOL_OTHER;
	new->flags = PERFDATA_KSYMBOL_UNREGISTER;
	return sizeof(*new);
}

size_t perfdata_make_module_event(const struct perfdata_module_event *load,
				  const struct perfdata_sample_format *format, unsigned char *event)
{
	size_t name = (strlen(load->path) + 8) & ~(size_t)7;
	size_t trailer = perfdata_sample_id_size(format);
	struct perfdata_event *header = (void *)event;
	size_t size, time;

	if (sizeof(struct perfdata_mmap2) + name + trailer > UINT16_MAX)
		return 0;
	memset(event, 0, sizeof(struct perfdata_mmap2) + name + trailer);
	size = load->unload ? make_unload(load, (void *)event) : make_load(load, (void *)event);
	memcpy(event + size, load->path, strlen(load->path));
	size += name;
	time = size + (format->sample_type & PERFDATA_SAMPLE_TID ? 8 : 0);
	memcpy(event + time, &load->time, sizeof(load->time));
	size += trailer;
	header->size = (uint16_t)size;
	return size;
}
