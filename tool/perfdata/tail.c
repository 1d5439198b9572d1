// SPDX-License-Identifier: GPL-2.0
/* What follows the events in a perf.data: features, and the table of build-ids. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tail.h"

#define KERNEL_NAME "[kernel.kallsyms]"

/* perf asks it of an entry that (size - 36) % 8 is 0. */
#define ENTRY_ALIGN 8

struct entry {
	struct entry *next;
	bool added; /* not there before */
	enum perfdata_kind kind;
	struct perfdata_build_id *bytes; /* as it is written */
};

struct perfdata_table {
	struct entry *first, **last;
};

void perfdata_table_free(struct perfdata_table *table)
{
	struct entry *entry, *next;

	if (!table)
		return;
	for (entry = table->first; entry; entry = next) {
		next = entry->next;
		free(entry->bytes);
		free(entry);
	}
	free(table);
}

static struct entry *append(struct perfdata_table *table, size_t size)
{
	struct entry *entry = calloc(1, sizeof(*entry));

	if (!entry)
		return NULL;
	entry->bytes = calloc(1, size);
	if (!entry->bytes) {
		free(entry);
		return NULL;
	}
	*table->last = entry;
	table->last = &entry->next;
	return entry;
}

static int take_entry(struct perfdata *data, struct perfdata_table *table,
		      const unsigned char *bytes, size_t size)
{
	struct entry *entry = append(table, size);
	const char *name;

	if (!entry)
		return perfdata_fail(data, "%s", strerror(ENOMEM));
	memcpy(entry->bytes, bytes, size);
	name = perfdata_build_id_name(entry->bytes);
	if (!name)
		return perfdata_fail(data,
				     "damaged: the table of build-ids has an entry without a name");
	entry->kind = perfdata_kind(name, entry->bytes->event.misc);
	return 0;
}

static int take_entries(struct perfdata *data, struct perfdata_table *table)
{
	struct perfdata_event event;
	unsigned char *bytes;
	size_t size, at;
	int err;

	err = perfdata_feature(data, PERFDATA_FEATURE_BUILD_ID, &bytes, &size);
	for (at = 0; !err && at < size; at += event.size) {
		if (size - at < sizeof(struct perfdata_build_id)) {
			err = perfdata_fail(data, "damaged: the end of the table of build-ids");
			break;
		}
		memcpy(&event, bytes + at, sizeof(event));
		if (event.size <= sizeof(struct perfdata_build_id) || event.size > size - at)
			err = perfdata_fail(data, "damaged: the table of build-ids");
		else
			err = take_entry(data, table, bytes + at, event.size);
	}
	free(bytes);
	return err;
}

struct perfdata_table *perfdata_table_read(struct perfdata *data)
{
	struct perfdata_table *table = calloc(1, sizeof(*table));

	if (!table) {
		perfdata_fail(data, "%s", strerror(ENOMEM));
		return NULL;
	}
	table->last = &table->first;
	if (!take_entries(data, table))
		return table;
	perfdata_table_free(table);
	return NULL;
}

static struct entry *entry_of(const struct perfdata_table *table, const char *name)
{
	struct entry *entry;

	for (entry = table->first; entry; entry = entry->next)
		if (!strcmp(entry->bytes->name, name))
			return entry;
	return NULL;
}

void perfdata_table_find(const struct perfdata_table *table, const char *path,
			 struct perfdata_identity *identity)
{
	const struct entry *entry = entry_of(table, path);

	if (!entry)
		return;
	identity->size = perfdata_build_id_size(entry->bytes);
	memcpy(identity->id, entry->bytes->id, identity->size);
}

static void set_id(struct entry *entry, const struct perfdata_identity *identity)
{
	struct perfdata_build_id *bytes = entry->bytes;

	memset(bytes->id, 0, sizeof(bytes->id));
	memcpy(bytes->id, identity->id, identity->size);
	bytes->id_size = (uint8_t)identity->size;
	bytes->event.misc |= PERFDATA_MISC_ID_SIZE;
	entry->added = true;
}

int perfdata_table_add(struct perfdata *data, struct perfdata_table *table,
		       const struct perfdata_mapping *mapping,
		       const struct perfdata_identity *identity)
{
	const char *name = mapping->kind == PERFDATA_KIND_KERNEL ? KERNEL_NAME : mapping->path;
	struct entry *entry = entry_of(table, name);
	size_t room = (strlen(name) + ENTRY_ALIGN) & ~(size_t)(ENTRY_ALIGN - 1);
	size_t size = sizeof(*entry->bytes) + room;

	if (!entry) {
		entry = append(table, size);
		if (!entry)
			return perfdata_fail(data, "%s", strerror(ENOMEM));
		entry->kind = mapping->kind;
		entry->bytes->event.size = (uint16_t)size;
		entry->bytes->event.misc = mapping->kind == PERFDATA_KIND_VDSO ?
						   PERFDATA_MISC_USER :
						   PERFDATA_MISC_KERNEL;
		entry->bytes->pid = mapping->pid;
		memcpy(entry->bytes->name, name, strlen(name));
	}
	set_id(entry, identity);
	return 0;
}

/* ------------------------------------------------------------------- tail -- */

static bool is_stored(const struct entry *entry, const struct perfdata_paths *paths)
{
	const char *name = entry->bytes->name;
	const struct perfdata_path *path = NULL;
	size_t i;

	if (entry->added)
		return true;
	if (entry->kind != PERFDATA_KIND_KERNEL)
		path = perfdata_paths_find(paths, name, entry->kind);
	/* In mappings the kernel has the name of a symbol behind its own. */
	for (i = 0; i < paths->count && entry->kind == PERFDATA_KIND_KERNEL; i++)
		if (paths->all[i].kind == PERFDATA_KIND_KERNEL)
			path = &paths->all[i];
	return !path || !perfdata_path_is_done(path);
}

static int write_table(struct perfdata_writer *output, const struct perfdata_table *table,
		       const struct perfdata_paths *paths)
{
	const struct entry *entry;

	for (entry = table->first; entry; entry = entry->next)
		if (is_stored(entry, paths) &&
		    perfdata_writer_put(output, entry->bytes, entry->bytes->event.size))
			return -1;
	return 0;
}

static bool is_empty(const struct perfdata_table *table, const struct perfdata_paths *paths)
{
	const struct entry *entry;

	for (entry = table->first; entry; entry = entry->next)
		if (is_stored(entry, paths))
			return false;
	return true;
}

static void set_feature(struct perfdata_header *header, unsigned int number, bool on)
{
	const uint64_t bit = 1ULL << number % 64;

	if (on)
		header->features[number / 64] |= bit;
	else
		header->features[number / 64] &= ~bit;
}

static bool has_feature(const struct perfdata_header *header, unsigned int number)
{
	return header->features[number / 64] >> number % 64 & 1;
}

/* Each feature's bytes; where they are goes to @sections. */
static int write_features(struct perfdata *data, struct perfdata_writer *output,
			  const struct perfdata_header *header, struct perfdata_section *sections,
			  const struct perfdata_table *table, const struct perfdata_paths *paths)
{
	size_t count = 0;
	unsigned int i;
	int err = 0;

	for (i = 0; !err && i < PERFDATA_FEATURES; i++) {
		struct perfdata_section *section = &sections[count];

		if (!has_feature(header, i))
			continue;
		section->offset = perfdata_writer_offset(output);
		if (i == PERFDATA_FEATURE_BUILD_ID)
			err = write_table(output, table, paths);
		else
			err = perfdata_writer_copy(output, data->features[i].offset,
						   data->features[i].size);
		section->size = perfdata_writer_offset(output) - section->offset;
		count++;
	}
	return err;
}

static size_t count_features(const struct perfdata_header *header)
{
	size_t count = 0, i;

	for (i = 0; i < PERFDATA_FEATURES / 64; i++)
		count += (size_t)__builtin_popcountll(header->features[i]);
	return count;
}

int perfdata_tail_write(struct perfdata *data, struct perfdata_writer *output,
			const struct perfdata_table *table, const struct perfdata_paths *paths)
{
	struct perfdata_section sections[PERFDATA_FEATURES] = {};
	struct perfdata_header header = data->header;
	uint64_t at;
	size_t size;

	set_feature(&header, PERFDATA_FEATURE_COMPRESSED, false);
	set_feature(&header, PERFDATA_FEATURE_BUILD_ID, !is_empty(table, paths));
	size = count_features(&header) * sizeof(*sections);

	/* The first stream is the one with a header; others may have come since. */
	if (perfdata_writer_stream(output, 0))
		return -1;
	at = perfdata_writer_offset(output);
	header.data.size = at - header.data.offset;
	if (perfdata_writer_put(output, sections, size) ||
	    write_features(data, output, &header, sections, table, paths) ||
	    perfdata_writer_patch(output, 0, sections, size, at))
		return -1;
	return perfdata_writer_patch(output, 0, &header, sizeof(header), 0);
}
