// SPDX-License-Identifier: GPL-2.0
/* The build-id table: read, updated, written. */

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "build_ids.h"
#include "common/array.h"

/* perf takes an entry only if (size - 36) % 8 is 0. */
#define ENTRY_ALIGN 8

struct entry {
	bool set;  /* from what is known now */
	bool only; /* mappings do not have it */
	enum perfdata_kind kind;
	struct perfdata_build_id *bytes; /* the entry as written */
};

struct perfdata_build_ids {
	struct entry *entries;
	size_t count;
	struct hash_map map; /* from a name to its first entry */
	uint64_t before;     /* what was read, as a hash */
	bool clash;	     /* a name has several contents */
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
		/* Move it to an aligned place. */
		memmove(bytes, bytes + at, event.size);
		err = each(data, entry, context);
	}
	free(bytes);
	return err;
}

/* The first entry with that name. */
static struct entry *entry_of(const struct perfdata_build_ids *table, const char *name)
{
	const uint64_t hash = hash_text(name);
	const struct hash_slot *slot = NULL;

	while ((slot = hash_map_next(&table->map, hash, slot)))
		if (!strcmp(table->entries[slot->value].bytes->name, name))
			return &table->entries[slot->value];
	return NULL;
}

/* A new entry as @bytes at the end; NULL with an error. */
static struct entry *build_ids_append(struct perfdata *data, struct perfdata_build_ids *table,
				      const struct perfdata_build_id *bytes)
{
	struct entry entry = { .kind = perfdata_kind(bytes->name, bytes->event.misc) };

	entry.bytes = malloc(bytes->event.size);
	if (!entry.bytes || !array_reserve(table->entries, table->count) ||
	    (!entry_of(table, bytes->name) &&
	     !hash_map_add(&table->map, hash_text(bytes->name), (uint32_t)table->count))) {
		free(entry.bytes);
		perfdata_no_memory(data);
		return NULL;
	}
	memcpy(entry.bytes, bytes, bytes->event.size);
	table->entries[table->count] = entry;
	return &table->entries[table->count++];
}

static int add_entry(struct perfdata *data, const struct perfdata_build_id *bytes, void *context)
{
	if (!perfdata_build_id_name(bytes))
		return perfdata_fail(data, "damaged: the build-id table has an entry without name");
	return build_ids_append(data, context, bytes) ? 0 : -1;
}

static uint64_t hash_of(const struct perfdata_build_ids *table)
{
	uint64_t hash = hash_start();
	size_t i;

	for (i = 0; i < table->count; i++)
		hash = hash_bytes(hash, table->entries[i].bytes,
				  table->entries[i].bytes->event.size);
	return hash;
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
	table->before = hash_of(table);
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
	hash_map_free(&table->map);
	free(table->entries);
	free(table);
}

/* ------------------------------------------------------------------ change -- */

static void get_id(const struct entry *entry, struct build_id *id)
{
	*id = (struct build_id){};
	build_id_set(id, entry->bytes->id, perfdata_build_id_size(entry->bytes));
}

void perfdata_build_ids_find(const struct perfdata_build_ids *table, const char *path,
			     struct build_id *id)
{
	const struct entry *entry = entry_of(table, path);

	if (entry)
		get_id(entry, id);
}

static void set_id(struct perfdata_build_ids *table, struct entry *entry, const struct build_id *id)
{
	struct perfdata_build_id *bytes = entry->bytes;
	struct build_id before;

	assert(id->size <= PERFDATA_ID_MAX);
	get_id(entry, &before);
	if (build_id_equal(&before, id))
		return;
	memset(bytes->id, 0, sizeof(bytes->id));
	memcpy(bytes->id, id->bytes, id->size);
	bytes->id_size = (uint8_t)id->size;
	bytes->event.misc |= PERFDATA_MISC_ID_SIZE;
	table->clash |= entry->set;
}

/* As perf writes it: with the size of the id, and pid -1 for the host. */
static struct entry *add_new(struct perfdata *data, struct perfdata_build_ids *table,
			     const char *name, size_t size, enum perfdata_kind kind)
{
	struct perfdata_build_id *bytes = calloc(1, size);
	bool user = kind == PERFDATA_KIND_USER || kind == PERFDATA_KIND_VDSO;
	struct entry *entry = NULL;

	if (!bytes) {
		perfdata_no_memory(data);
		return NULL;
	}
	bytes->event.size = (uint16_t)size;
	bytes->event.misc = user ? PERFDATA_MISC_USER : PERFDATA_MISC_KERNEL;
	bytes->event.misc |= PERFDATA_MISC_ID_SIZE;
	bytes->pid = UINT32_MAX;
	memcpy(bytes->name, name, strlen(name));
	entry = build_ids_append(data, table, bytes);
	free(bytes);
	return entry;
}

int perfdata_build_ids_set(struct perfdata *data, struct perfdata_build_ids *table,
			   const char *path, enum perfdata_kind kind, const struct build_id *id,
			   bool only)
{
	const char *name = kind == PERFDATA_KIND_KERNEL ? PERFDATA_KERNEL_NAME : path;
	struct entry *entry = entry_of(table, name);
	size_t room = (strlen(name) + ENTRY_ALIGN) & ~(size_t)(ENTRY_ALIGN - 1);
	size_t size = sizeof(*entry->bytes) + room;

	if (!entry && size > UINT16_MAX)
		return 0;
	if (!entry)
		entry = add_new(data, table, name, size, kind);
	if (!entry)
		return -1;
	set_id(table, entry, id);
	entry->set = true;
	entry->only |= only;
	return 0;
}

static const struct perfdata_path *path_of(const struct entry *entry,
					   const struct perfdata_paths *paths,
					   const struct perfdata_path *kernel)
{
	/* In a mapping the kernel's name is followed by that of a symbol. */
	if (entry->kind == PERFDATA_KIND_KERNEL)
		return kernel;
	return perfdata_paths_find(paths, entry->bytes->name, entry->kind);
}

bool perfdata_build_ids_doubt(const struct perfdata_build_ids *table, struct perfdata_paths *paths)
{
	const struct entry *entry;
	struct perfdata_path *path;
	struct build_id id;
	size_t i;

	for (i = 0; i < table->count; i++) {
		entry = &table->entries[i];
		get_id(entry, &id);
		if (!perfdata_doubts_add(&paths->doubts, entry->kind, entry->bytes->name, &id))
			return false;
	}
	for (i = 0; i < table->count; i++) {
		entry = &table->entries[i];
		get_id(entry, &id);
		if (!perfdata_doubts_has(&paths->doubts, entry->kind, &id))
			continue;
		path = perfdata_paths_find(paths, entry->bytes->name, entry->kind);
		if (path && path->missing)
			path->reason = perfdata_foreign;
	}
	return true;
}

static bool is_needed(const struct perfdata_build_ids *table, const struct entry *entry,
		      const struct perfdata_path *path)
{
	if (entry->only)
		return true;
	return entry->set ? !table->clash : !path || !perfdata_path_is_done(path);
}

static void drop_entries(struct perfdata_build_ids *table, const struct perfdata_paths *paths)
{
	const struct perfdata_path *kernel = NULL;
	struct build_id id;
	size_t i, count = 0;

	for (i = 0; i < paths->count; i++)
		if (paths->all[i].kind == PERFDATA_KIND_KERNEL)
			kernel = &paths->all[i];
	for (i = 0; i < table->count; i++) {
		const struct entry entry = table->entries[i];

		get_id(&entry, &id);
		if ((entry.set || !perfdata_doubts_has(&paths->doubts, entry.kind, &id)) &&
		    is_needed(table, &entry, path_of(&entry, paths, kernel)))
			table->entries[count++] = entry;
		else
			free(entry.bytes);
	}
	table->count = count;
	/* Its indices have changed. */
	hash_map_free(&table->map);
}

int perfdata_build_ids_update(struct perfdata *data, struct perfdata_build_ids *table,
			      const struct perfdata_paths *paths)
{
	size_t i;

	for (i = 0; i < paths->nr_contents; i++) {
		const struct perfdata_content *content = &paths->contents[i];
		const struct perfdata_path *path = &paths->all[content->path];

		/* perf would apply it to the unknown mappings, too. */
		if (!content->foreign && perfdata_path_is_annotated(path) &&
		    perfdata_build_ids_set(data, table, content->name ? content->name : path->path,
					   path->kind, &content->id, false))
			return -1;
	}
	drop_entries(table, paths);
	return 0;
}

bool perfdata_build_ids_changed(const struct perfdata_build_ids *table)
{
	return hash_of(table) != table->before;
}

size_t perfdata_build_ids_count(const struct perfdata_build_ids *table)
{
	return table->count;
}

/* ------------------------------------------------------------------- write -- */

int perfdata_build_ids_write(const struct perfdata_build_ids *table, struct perfdata_writer *output)
{
	size_t i;

	for (i = 0; i < table->count; i++)
		if (perfdata_writer_put(output, table->entries[i].bytes,
					table->entries[i].bytes->event.size))
			return -1;
	return 0;
}
