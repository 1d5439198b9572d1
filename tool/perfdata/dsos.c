// SPDX-License-Identifier: GPL-2.0
/*
 * perf.data: its DSOs, and which of them were hit. For hits it is read twice: first the mappings,
 * which may come after samples with a later time, then the samples, whose addresses are looked up,
 * until all DSOs were hit.
 */

#include <errno.h>
#include <string.h>

#include "address_spaces.h"
#include "build_ids.h"
#include "common/array.h"
#include "common/hash_map.h"
#include "doubts.h"
#include "unhit.h"

struct dso {
	struct perfdata_dso dso;
	char *path; /* the same path, owned */
};

struct perfdata_dsos {
	struct dso *all;
	size_t count;
	struct hash_map map;
	struct hash_map without_id; /* those without an id so far */
	struct perfdata_dso *sorted;
	struct address_spaces *spaces; /* NULL: hits are not requested */
	struct unhit *unhit;
};

void perfdata_dsos_free(struct perfdata_dsos *dsos)
{
	size_t i;

	if (!dsos)
		return;
	for (i = 0; i < dsos->count; i++)
		free(dsos->all[i].path);
	unhit_free(dsos->unhit);
	address_spaces_free(dsos->spaces);
	free(dsos->all);
	hash_map_free(&dsos->map);
	hash_map_free(&dsos->without_id);
	free(dsos->sorted);
	free(dsos);
}

/* ---------------------------------------------------------------------- add -- */

static uint64_t hash_of(const struct perfdata_dso *dso)
{
	uint64_t hash = hash_bytes(hash_text(dso->path), &dso->kind, sizeof(dso->kind));

	return hash_bytes(hash, dso->id.bytes, dso->id.size);
}

static bool are_same(const struct perfdata_dso *a, const struct perfdata_dso *b)
{
	return a->kind == b->kind && build_id_equal(&a->id, &b->id) && !strcmp(a->path, b->path);
}

static size_t find_dso(const struct perfdata_dsos *dsos, const struct perfdata_dso *request)
{
	const struct hash_map *map = request->id.size ? &dsos->map : &dsos->without_id;
	const struct hash_slot *slot = NULL;

	while ((slot = hash_map_next(map, hash_of(request), slot)))
		if (are_same(&dsos->all[slot->value].dso, request))
			return slot->value;
	return ADDRESS_SPACES_NOTHING;
}

/* Find or add it; returns its index, ADDRESS_SPACES_NOTHING without memory. */
static size_t dso_index(struct perfdata_dsos *dsos, const struct perfdata_dso *request)
{
	const uint64_t hash = hash_of(request);
	size_t found = find_dso(dsos, request);
	struct dso new = { .dso = *request };

	if (found != ADDRESS_SPACES_NOTHING)
		return found;
	new.path = strdup(request->path);
	if (!new.path || !array_reserve(dsos->all, dsos->count) ||
	    !(request->id.size ? hash_map_add(&dsos->map, hash, (uint32_t)dsos->count) :
				 hash_map_set(&dsos->without_id, hash, (uint32_t)dsos->count))) {
		free(new.path);
		return ADDRESS_SPACES_NOTHING;
	}
	new.dso.path = new.path;
	dsos->all[dsos->count] = new;
	return dsos->count++;
}

static void add_pid(struct perfdata_dso *dso, uint32_t pid)
{
	size_t i;

	for (i = 0; i < dso->nr_pids; i++)
		if (dso->pids[i] == pid)
			return;
	if (i < ARRAY_SIZE(dso->pids))
		dso->pids[dso->nr_pids++] = pid;
}

/* ----------------------------------------------------------------- mappings -- */

static int add_mapping(struct perfdata *data, const struct perfdata_mapping *mapping)
{
	struct perfdata_dso dso = {
		.path = mapping->kind == PERFDATA_KIND_KERNEL ? PERFDATA_KERNEL_NAME :
								mapping->path,
		.kind = mapping->kind,
		.id = mapping->id,
	};
	struct perfdata_dsos *dsos = data->dsos;
	size_t index;

	index = dso_index(dsos, &dso);
	if (index == ADDRESS_SPACES_NOTHING)
		return perfdata_no_memory(data);
	add_pid(&dsos->all[index].dso, mapping->pid);
	return !dsos->spaces || address_spaces_map(dsos->spaces, mapping->pid, mapping->time,
						   mapping->start, mapping->len, index) ?
		       0 :
		       perfdata_no_memory(data);
}

static int add_task(struct perfdata *data, const struct perfdata_event *event)
{
	const struct perfdata_task *task = (const void *)event;
	uint64_t time = perfdata_time(data, event);
	uint32_t parent;

	if (event->type == PERFDATA_COMM && event->misc & PERFDATA_MISC_EXEC && event->size >= 16)
		parent = task->pid;
	else if (event->type == PERFDATA_FORK && event->size >= sizeof(*task) &&
		 task->pid != task->ppid)
		parent = task->ppid;
	else
		return 0;
	if (!time && event->type == PERFDATA_FORK)
		time = task->time;
	return address_spaces_begin(data->dsos->spaces, task->pid, time, parent) ?
		       0 :
		       perfdata_no_memory(data);
}

/* The build-id table applies to mappings without a build-id. */
static int add_build_id(struct perfdata *data, const struct perfdata_build_id *entry, void *context)
{
	const char *name = perfdata_build_id_name(entry);
	struct perfdata_dsos *dsos = data->dsos;
	struct perfdata_dso dso = { .path = name };
	size_t without;

	(void)context;
	if (!name)
		return 0;
	dso.kind = perfdata_kind(name, entry->event.misc);
	if (dso.kind == PERFDATA_KIND_KERNEL)
		dso.path = PERFDATA_KERNEL_NAME;
	without = find_dso(dsos, &dso);
	build_id_set(&dso.id, entry->id, perfdata_build_id_size(entry));
	if (without == ADDRESS_SPACES_NOTHING)
		return dso_index(dsos, &dso) == ADDRESS_SPACES_NOTHING ? perfdata_no_memory(data) :
									 0;
	if (!dso.id.size)
		return 0;
	dsos->all[without].dso.id = dso.id;
	/* From now on it is found by its id; the next one without an id is separate. */
	return hash_map_set(&dsos->map, hash_of(&dso), (uint32_t)without) ?
		       0 :
		       perfdata_no_memory(data);
}

static int add_event(struct perfdata *data, const struct perfdata_event *event)
{
	struct perfdata_mapping mapping;

	if (perfdata_mapping(data, event, &mapping))
		return add_mapping(data, &mapping);
	if (event->type == PERFDATA_BUILD_ID && event->size >= sizeof(struct perfdata_build_id))
		return add_build_id(data, (const void *)event, NULL);
	return data->dsos->spaces ? add_task(data, event) : 0;
}

static int add_all(struct perfdata *data)
{
	struct perfdata_item item;
	int answer;

	perfdata_rewind(data);
	while ((answer = perfdata_next_but_samples(data, &item)) > 0)
		if (add_event(data, item.event))
			return -1;
	if (answer)
		return answer;
	/* Use the valid part of a damaged table. */
	return perfdata_build_ids_each(data, add_build_id, NULL) < 0 ? -1 : 0;
}

/* ------------------------------------------------------------------ samples -- */

struct cursor {
	const uint64_t *words;
	size_t count;
};

static uint64_t next_word(struct cursor *cursor)
{
	if (!cursor->count)
		return 0;
	cursor->count--;
	return *cursor->words++;
}

static void skip_words(struct cursor *cursor, uint64_t count)
{
	if (count > cursor->count)
		count = cursor->count;
	cursor->words += count;
	cursor->count -= (size_t)count;
}

static void skip_read(struct cursor *cursor, uint64_t format)
{
	uint64_t times = !!(format & PERFDATA_READ_ENABLED) + !!(format & PERFDATA_READ_RUNNING);
	uint64_t each = 1 + !!(format & PERFDATA_READ_ID) + !!(format & PERFDATA_READ_LOST);
	uint64_t values = 1;

	if (format & PERFDATA_READ_GROUP)
		values = next_word(cursor);
	skip_words(cursor, times);
	/* No product that overflows. */
	skip_words(cursor, values > cursor->count ? cursor->count : values * each);
}

/* Whose address space is meant; 0 when it is neither the kernel's nor the process's. */
static bool pid_of_mode(uint16_t cpumode, uint32_t process, uint32_t *pid)
{
	*pid = cpumode == PERFDATA_MISC_KERNEL ? ADDRESS_SPACES_KERNEL : process;
	return cpumode == PERFDATA_MISC_KERNEL || cpumode == PERFDATA_MISC_USER;
}

static void hit(struct perfdata_dsos *dsos, uint32_t pid, uint64_t time, uint64_t address)
{
	size_t index = unhit_hit(dsos->unhit, pid, time, address);

	if (index != ADDRESS_SPACES_NOTHING)
		dsos->all[index].dso.hit = true;
}

/* Not a mode of its own: the addresses behind it are of none that counts. */
static uint16_t mode_of_context(uint64_t context)
{
	switch (context) {
	case PERFDATA_CONTEXT_KERNEL:
		return PERFDATA_MISC_KERNEL;
	case PERFDATA_CONTEXT_USER:
		return PERFDATA_MISC_USER;
	default:
		return 0;
	}
}

static void hit_chain(struct perfdata_dsos *dsos, struct cursor *cursor, uint16_t cpumode,
		      uint32_t process, uint64_t time)
{
	uint64_t count = next_word(cursor);
	uint32_t pid;
	bool counts = pid_of_mode(cpumode, process, &pid);
	const uint64_t *words = cursor->words;
	size_t i;

	if (count > cursor->count)
		count = cursor->count;
	for (i = 0; i < count; i++) {
		uint64_t address;

		if (counts)
			i += unhit_pass(dsos->unhit, words + i, (size_t)count - i,
					PERFDATA_CONTEXT_MAX);
		if (i == count)
			break;
		address = words[i];
		if (address >= PERFDATA_CONTEXT_MAX)
			counts = pid_of_mode(mode_of_context(address), process, &pid);
		else if (counts)
			hit(dsos, pid, time, address);
	}
	skip_words(cursor, count);
}

static void read_sample(struct perfdata *data, const struct perfdata_event *event)
{
	const struct perfdata_sample_format *format = perfdata_sample_format(data, event);
	struct cursor cursor = {
		.words = (const uint64_t *)(event + 1),
		.count = (event->size - sizeof(*event)) / 8,
	};
	const uint64_t one_word = PERFDATA_SAMPLE_ADDR | PERFDATA_SAMPLE_ID |
				  PERFDATA_SAMPLE_STREAM_ID | PERFDATA_SAMPLE_CPU |
				  PERFDATA_SAMPLE_PERIOD;
	uint16_t cpumode = event->misc & PERFDATA_MISC_CPUMODE;
	uint64_t type, ip, time = 0;
	uint32_t process, pid;

	if (!format)
		return;
	type = format->sample_type;
	if (!(type & PERFDATA_SAMPLE_IP) || !(type & PERFDATA_SAMPLE_TID))
		return;
	skip_words(&cursor, !!(type & PERFDATA_SAMPLE_IDENTIFIER));
	ip = next_word(&cursor);
	process = (uint32_t)next_word(&cursor);
	/* Without times all are 0, and the last mapping counts. */
	if (type & PERFDATA_SAMPLE_TIME)
		time = next_word(&cursor);
	if (pid_of_mode(cpumode, process, &pid))
		hit(data->dsos, pid, time, ip);
	skip_words(&cursor, (uint64_t)__builtin_popcountll(type & one_word));
	if (type & PERFDATA_SAMPLE_READ)
		skip_read(&cursor, format->read_format);
	if (type & PERFDATA_SAMPLE_CALLCHAIN)
		hit_chain(data->dsos, &cursor, cpumode, process, time);
}

/* Of a DSO that only the table has nothing is mapped. */
static int read_samples(struct perfdata *data)
{
	struct perfdata_dsos *dsos = data->dsos;
	struct perfdata_item item;
	int answer = 0;

	if (address_spaces_ready(dsos->spaces))
		dsos->unhit = unhit_new(dsos->spaces, dsos->count);
	if (!dsos->unhit)
		return perfdata_no_memory(data);
	perfdata_rewind(data);
	while (unhit_any(dsos->unhit) && (answer = perfdata_next(data, &item)) > 0)
		if (item.event->type == PERFDATA_SAMPLE)
			read_sample(data, item.event);
	return answer < 0 ? -1 : 0;
}

/* --------------------------------------------------------------------- list -- */

static int dsos_sort(struct perfdata *data)
{
	static const enum perfdata_kind kinds[] = {
		PERFDATA_KIND_KERNEL, PERFDATA_KIND_MODULE, PERFDATA_KIND_USER,
		PERFDATA_KIND_VDSO,   PERFDATA_KIND_OTHER,
	};
	struct perfdata_dsos *dsos = data->dsos;
	size_t kind, i, count = 0;

	dsos->sorted = calloc(dsos->count + 1, sizeof(*dsos->sorted));
	if (!dsos->sorted)
		return perfdata_no_memory(data);
	for (kind = 0; kind < ARRAY_SIZE(kinds); kind++)
		for (i = 0; i < dsos->count; i++)
			if (dsos->all[i].dso.kind == kinds[kind])
				dsos->sorted[count++] = dsos->all[i].dso;
	return 0;
}

static int doubt(struct perfdata *data)
{
	struct perfdata_dsos *dsos = data->dsos;
	struct perfdata_doubts doubts = {};
	struct perfdata_dso *dso;
	bool good = true;
	size_t i;

	for (i = 0; i < dsos->count && good; i++) {
		dso = &dsos->sorted[i];
		good = perfdata_doubts_add(&doubts, dso->kind, dso->path, &dso->id);
	}
	for (i = 0; i < dsos->count; i++) {
		dso = &dsos->sorted[i];
		dso->doubtful = perfdata_doubts_has(&doubts, dso->kind, &dso->id);
	}
	perfdata_doubts_free(&doubts);
	return good ? 0 : perfdata_no_memory(data);
}

static int read_dsos(struct perfdata *data, bool hits)
{
	data->dsos = calloc(1, sizeof(*data->dsos));
	if (!data->dsos)
		return perfdata_no_memory(data);
	if (hits) {
		data->dsos->spaces = address_spaces_new();
		if (!data->dsos->spaces)
			return perfdata_no_memory(data);
	}
	if (add_all(data) || (hits && read_samples(data)) || dsos_sort(data))
		return -1;
	return doubt(data);
}

int perfdata_dsos(struct perfdata *data, bool hits, const struct perfdata_dso **all)
{
	if (*data->error)
		return -1;
	if (hits && data->dsos && !data->dsos->spaces) {
		perfdata_dsos_free(data->dsos);
		data->dsos = NULL;
	}
	if (!data->dsos && read_dsos(data, hits))
		return -1;
	*all = data->dsos->sorted;
	return (int)data->dsos->count;
}

bool perfdata_needs_all(const struct perfdata *data)
{
	const uint64_t types = PERFDATA_SAMPLE_BRANCH_STACK | PERFDATA_SAMPLE_STACK_USER |
			       PERFDATA_SAMPLE_AUX;
	size_t i;

	for (i = 0; i < data->nr_formats; i++)
		if (data->formats[i].sample_type & types)
			return true;
	return data->aux || data->aux_events;
}
