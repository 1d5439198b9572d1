// SPDX-License-Identifier: GPL-2.0
/* Doubts: each id with the first image that had it, and whether another one has it as well. */

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/module_name.h"
#include "doubts.h"

struct perfdata_image_id {
	struct build_id id;
	char name[MODULE_NAME_ROOM]; /* "" for the kernel */
	bool several;
};

void perfdata_doubts_free(struct perfdata_doubts *doubts)
{
	free(doubts->all);
	hash_map_free(&doubts->map);
	*doubts = (struct perfdata_doubts){};
}

static uint64_t hash_of(const struct build_id *id)
{
	return hash_bytes(hash_start(), id->bytes, id->size);
}

static struct perfdata_image_id *doubts_find(const struct perfdata_doubts *doubts,
					     const struct build_id *id)
{
	const struct hash_slot *slot = NULL;

	while ((slot = hash_map_next(&doubts->map, hash_of(id), slot)))
		if (build_id_equal(&doubts->all[slot->value].id, id))
			return &doubts->all[slot->value];
	return NULL;
}

/* The image that perf found for the kernel is in the table by its path. */
static bool is_vmlinux(const char *path)
{
	static const char prefix[] = "vmlinux";
	const char *base = basename(path);

	return !strncmp(base, prefix, strlen(prefix)) && !strstr(base, ".ko");
}

bool perfdata_doubts_add(struct perfdata_doubts *doubts, enum perfdata_kind kind, const char *path,
			 const struct build_id *id)
{
	struct perfdata_image_id new = { .id = *id };
	struct perfdata_image_id *found;

	if (!id->size || (kind != PERFDATA_KIND_MODULE && kind != PERFDATA_KIND_KERNEL))
		return true;
	if (kind == PERFDATA_KIND_MODULE && !is_vmlinux(path))
		module_name(path, new.name);
	found = doubts_find(doubts, id);
	if (found) {
		found->several |= strcmp(found->name, new.name) != 0;
		return true;
	}
	if (!array_reserve(doubts->all, doubts->count) ||
	    !hash_map_add(&doubts->map, hash_of(id), (uint32_t)doubts->count))
		return false;
	doubts->all[doubts->count++] = new;
	return true;
}

bool perfdata_doubts_has(const struct perfdata_doubts *doubts, enum perfdata_kind kind,
			 const struct build_id *id)
{
	const struct perfdata_image_id *found = NULL;

	if (kind == PERFDATA_KIND_MODULE && id->size)
		found = doubts_find(doubts, id);
	return found && found->several;
}
