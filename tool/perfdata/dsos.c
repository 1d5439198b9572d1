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
#include "sample.h"
#include "unhit.h"

struct dso {
	struct perfdata_dso dso;
	char *path;    /* the same path, owned */
	size_t sorted; /* its index in the list */
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

static struct perfdata_dso dso_of_mapping(const struct perfdata_mapping *mapping)
{
	return (struct perfdata_dso){
		.path = mapping->kind == PERFDATA_KIND_KERNEL ? PERFDATA_KERNEL_NAME :
								mapping->path,
		.kind = mapping->kind,
		.id = mapping->id,
	};
}

static int add_mapping(struct perfdata *data, const struct perfdata_mapping *mapping)
{
	const struct perfdata_dso dso = dso_of_mapping(mapping);
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

/* The address space for a cpumode; false if it is neither the kernel's nor the process's. */
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

static void hit_chain(struct perfdata_dsos *dsos, const struct perfdata_sample *sample)
{
	const uint64_t *words = sample->chain;
	uint32_t pid;
	bool counts = pid_of_mode(sample->cpumode, sample->pid, &pid);
	size_t i;

	for (i = 0; i < sample->nr_chain; i++) {
		uint64_t address;

		if (counts)
			i += unhit_pass(dsos->unhit, words + i, sample->nr_chain - i,
					PERFDATA_CONTEXT_MAX);
		if (i == sample->nr_chain)
			break;
		address = words[i];
		if (address >= PERFDATA_CONTEXT_MAX)
			counts = pid_of_mode(perfdata_context_mode(address), sample->pid, &pid);
		else if (counts)
			hit(dsos, pid, sample->time, address);
	}
}

static void read_sample(struct perfdata *data, const struct perfdata_event *event)
{
	struct perfdata_sample sample;
	uint32_t pid;

	if (!perfdata_sample(data, event, &sample))
		return;
	if (pid_of_mode(sample.cpumode, sample.pid, &pid))
		hit(data->dsos, pid, sample.time, sample.ip);
	hit_chain(data->dsos, &sample);
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
			if (dsos->all[i].dso.kind == kinds[kind]) {
				dsos->all[i].sorted = count;
				dsos->sorted[count++] = dsos->all[i].dso;
			}
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

/* The table may have given it an id since. */
static size_t find_without_id(const struct perfdata_dsos *dsos, const struct perfdata_dso *request)
{
	const struct hash_slot *slot = NULL;

	while ((slot = hash_map_next(&dsos->without_id, hash_of(request), slot)))
		if (dsos->all[slot->value].dso.kind == request->kind &&
		    !strcmp(dsos->all[slot->value].path, request->path))
			return slot->value;
	return ADDRESS_SPACES_NOTHING;
}

size_t perfdata_dso_of(const struct perfdata *data, const struct perfdata_mapping *mapping)
{
	const struct perfdata_dso request = dso_of_mapping(mapping);
	const struct perfdata_dsos *dsos = data->dsos;
	size_t found = request.id.size ? find_dso(dsos, &request) : find_without_id(dsos, &request);

	return found == ADDRESS_SPACES_NOTHING ? PERFDATA_NO_DSO : dsos->all[found].sorted;
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
