// SPDX-License-Identifier: GPL-2.0
/* Module events: a KSYMBOL or an MMAP2 event, as perf would have made it. */

#include <assert.h>
#include <string.h>

#include "module_event.h"

void perfdata_set_id(struct perfdata_mmap2 *mmap, const struct build_id *id)
{
	assert(id->size <= sizeof(mmap->id));
	mmap->event.misc |= PERFDATA_MISC_ID;
	mmap->id_size = (uint8_t)id->size;
	memset(mmap->reserved, 0, sizeof(mmap->reserved));
	memset(mmap->id, 0, sizeof(mmap->id));
	memcpy(mmap->id, id->bytes, id->size);
}

void perfdata_clear_id(struct perfdata_mmap2 *mmap)
{
	perfdata_set_id(mmap, &(const struct build_id){});
	mmap->event.misc &= (uint16_t)~PERFDATA_MISC_ID;
}

/* Like those that perf makes for modules loaded at its start. */
static size_t make_mmap2(const struct perfdata_module_event *module, struct perfdata_mmap2 *new)
{
	new->event.type = PERFDATA_MMAP2;
	new->event.misc = PERFDATA_MISC_KERNEL;
	new->pid = UINT32_MAX;
	new->start = module->start;
	new->len = module->len;
	if (module->id.size)
		perfdata_set_id(new, &module->id);
	return sizeof(*new);
}

/* Nothing else makes perf forget a kernel mapping. */
static size_t make_ksymbol(const struct perfdata_module_event *module, struct perfdata_ksymbol *new)
{
	new->event.type = PERFDATA_KSYMBOL;
	new->event.misc = PERFDATA_MISC_KERNEL;
	new->addr = module->start;
	new->len = module->len < UINT32_MAX ? (uint32_t)module->len : UINT32_MAX;
	new->type = PERFDATA_KSYMBOL_OTHER;
	new->flags = PERFDATA_KSYMBOL_UNREGISTER;
	return sizeof(*new);
}

size_t perfdata_make_module_event(const struct perfdata_module_event *module,
				  const struct perfdata_sample_format *format, unsigned char *event)
{
	size_t name = (strlen(module->path) + 8) & ~(size_t)7;
	size_t sample_id = format->id_size;
	struct perfdata_event *header = (void *)event;
	size_t size, time;

	if (sizeof(struct perfdata_mmap2) + name + sample_id > UINT16_MAX)
		return 0;
	memset(event, 0, sizeof(struct perfdata_mmap2) + name + sample_id);
	size = module->unload ? make_ksymbol(module, (void *)event) :
				make_mmap2(module, (void *)event);
	memcpy(event + size, module->path, strlen(module->path));
	size += name;
	time = size + (format->sample_type & PERFDATA_SAMPLE_TID ? 8 : 0);
	memcpy(event + time, &module->time, sizeof(module->time));
	size += sample_id;
	header->size = (uint16_t)size;
	return size;
}
