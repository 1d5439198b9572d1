// SPDX-License-Identifier: GPL-2.0
/* The build-id table: read, changed, and what of it is still to be said. */

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "build_ids.h"
#include "common/array.h"

/* perf takes an entry only if (size - 36) % 8 is 0. */
#define ENTRY_ALIGN 8

struct entry {
	bool set; /* not as it was read */
	enum perfdata_kind kind;
	struct perfdata_build_id *bytes; /* as it is written */
};

struct perfdata_build_ids {
	struct entry *entries;
	size_t count;
};

/* -------------------------------------------------------------------- read -- */

const char *perfdata_build_id_name(const struct perfdata_build_id *entry)
{
	if (entry->event.size <= sizeof(*entry) ||
	    !memchr(entry->name, '\0', entry->event.size - sizeof(*entry)))
		return NULL;
	return entry->name;
}

size_t perfdata_build_id_size(const struct perfdata_build_id *entry)
{
	/* Before Linux 5.12 there was no size, as all of them were SHA-1. */
	if (!(entry->event.misc & PERFDATA_MISC_ID_SIZE))
		return sizeof(entry->id);
	return entry->id_size <= sizeof(entry->id) ? entry->id_size : 0;
}

int perfdata_build_ids_each(struct perfdata *data,
			    int (*each)(struct perfdata *data,
					const struct perfdata_build_id *entry, void *context),
			    void *context)
{
	struct perfdata_event event;
	unsigned char *bytes;
	size_t size, at;
	int err;

	err = perfdata_feature(data, PERFDATA_FEATURE_BUILD_ID, &bytes, &size);
	for (at = 0; !err && at < size; at += event.size) {
		const struct perfdata_build_id *entry = (const void *)bytes;

		err = 1;
		if (size - at < sizeof(*entry))
			break;
		memcpy(&event, bytes + at, sizeof(event));
		if (event.size < sizeof(*entry) || event.size > size - at)
			break;
		/* To where it is aligned. */
		memmove(bytes, bytes + at, event.size);
		err = each(data, entry, context);
	}
	free(bytes);
	return err;
}

/* A new entry of @size bytes at the end; NULL with an error. */
static struct entry *append(struct perfdata *data, struct perfdata_build_ids *table, size_t size)
{
	struct entry entry = { .bytes = calloc(1, size) };

	if (!entry.bytes || !array_reserve(table->entries, table->count)) {
		free(entry.bytes);
		perfdata_no_memory(data);
		return NULL;
	}
	table->entries[table->count] = entry;
	return &table->entries[table->count++];
}

static int add_entry(struct perfdata *data, const struct perfdata_build_id *bytes, void *context)
{
	const char *name = perfdata_build_id_name(bytes);
	struct entry *entry;

	if (!name)
		return perfdata_fail(data, "damaged: the build-id table has an entry without name");
	entry = append(data, context, bytes->event.size);
	if (!entry)
		return -1;
	memcpy(entry->bytes, bytes, bytes->event.size);
	entry->kind = perfdata_kind(name, bytes->event.misc);
	return 0;
}

struct perfdata_build_ids *perfdata_build_ids_read(struct perfdata *data)
{
	struct perfdata_build_ids *table = calloc(1, sizeof(*table));
	int err;

	if (!table) {
		perfdata_no_memory(data);
		return NULL;
	}
	err = perfdata_build_ids_each(data, add_entry, table);
	if (!err)
		return table;
	if (err > 0)
		perfdata_fail(data, "damaged: the build-id table");
	perfdata_build_ids_free(table);
	return NULL;
}

void perfdata_build_ids_free(struct perfdata_build_ids *table)
{
	size_t i;

	if (!table)
		return;
	for (i = 0; i < table->count; i++)
		free(table->entries[i].bytes);
	free(table->entries);
	free(table);
}

/* ------------------------------------------------------------------ change -- */

static struct entry *entry_of(const struct perfdata_build_ids *table, const char *name)
{
	size_t i;

	for (i = 0; i < table->count; i++)
		if (!strcmp(table->entries[i].bytes->name, name))
			return &table->entries[i];
	return NULL;
}

void perfdata_build_ids_find(const struct perfdata_build_ids *table, const char *path,
			     struct build_id *id)
{
	const struct entry *entry = entry_of(table, path);

	if (entry)
		build_id_set(id, entry->bytes->id, perfdata_build_id_size(entry->bytes));
}

static void set_id(struct entry *entry, const struct build_id *id)
{
	struct perfdata_build_id *bytes = entry->bytes;

	assert(id->size <= PERFDATA_ID_MAX);
	memset(bytes->id, 0, sizeof(bytes->id));
	memcpy(bytes->id, id->bytes, id->size);
	bytes->id_size = (uint8_t)id->size;
	bytes->event.misc |= PERFDATA_MISC_ID_SIZE;
	entry->set = true;
}

int perfdata_build_ids_set(struct perfdata *data, struct perfdata_build_ids *table,
			   const struct perfdata_mapping *mapping, const struct build_id *id)
{
	const char *name = mapping->kind == PERFDATA_KIND_KERNEL ? PERFDATA_KERNEL_NAME :
								   mapping->path;
	struct entry *entry = entry_of(table, name);
	size_t room = (strlen(name) + ENTRY_ALIGN) & ~(size_t)(ENTRY_ALIGN - 1);
	size_t size = sizeof(*entry->bytes) + room;

	if (!entry) {
		entry = append(data, table, size);
		if (!entry)
			return -1;
		entry->kind = mapping->kind;
		entry->bytes->event.size = (uint16_t)size;
		entry->bytes->event.misc = mapping->kind == PERFDATA_KIND_VDSO ?
						   PERFDATA_MISC_USER :
						   PERFDATA_MISC_KERNEL;
		entry->bytes->pid = mapping->pid;
		memcpy(entry->bytes->name, name, strlen(name));
	}
	set_id(entry, id);
	return 0;
}

/* ------------------------------------------------------------------- write -- */

static bool is_needed(const struct entry *entry, const struct perfdata_paths *paths)
{
	const struct perfdata_path *path = NULL;
	size_t i;

	if (entry->set)
		return true;
	if (entry->kind != PERFDATA_KIND_KERNEL)
		path = perfdata_paths_find(paths, entry->bytes->name, entry->kind);
	/* In a mapping the kernel's name is followed by that of a symbol. */
	for (i = 0; i < paths->count && entry->kind == PERFDATA_KIND_KERNEL; i++)
		if (paths->all[i].kind == PERFDATA_KIND_KERNEL)
			path = &paths->all[i];
	return !path || !perfdata_path_is_done(path);
}

size_t perfdata_build_ids_prune(struct perfdata_build_ids *table,
				const struct perfdata_paths *paths)
{
	size_t i, count = 0;

	for (i = 0; i < table->count; i++) {
		if (is_needed(&table->entries[i], paths))
			table->entries[count++] = table->entries[i];
		else
			free(table->entries[i].bytes);
	}
	table->count = count;
	return count;
}

int perfdata_build_ids_write(const struct perfdata_build_ids *table, struct perfdata_writer *output)
{
	size_t i;

	for (i = 0; i < table->count; i++)
		if (perfdata_writer_put(output, table->entries[i].bytes,
					table->entries[i].bytes->event.size))
			return -1;
	return 0;
}
