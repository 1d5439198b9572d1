// SPDX-License-Identifier: GPL-2.0
/* perf.data: which contents it is about, and which of them were hit. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "address_spaces.h"
#include "common/array.h"
#include "file.h"

#define KERNEL_NAME   "[kernel.kallsyms]"
#define FIRST_BUCKETS 256

struct dso {
	struct perfdata_dso dso; /* first: what others get */
	size_t next;		 /* in its bucket, plus one */
	size_t order;
	char *path;
};

struct perfdata_dsos {
	struct dso *all;
	size_t count, room;
	size_t *buckets;
	size_t nr_buckets;
	struct perfdata_dso *sorted;
	struct address_spaces *spaces;
};

void perfdata_dsos_free(struct perfdata_dsos *dsos)
{
	size_t i;

	if (!dsos)
		return;
	for (i = 0; i < dsos->count; i++)
		free(dsos->all[i].path);
	address_spaces_free(dsos->spaces);
	free(dsos->all);
	free(dsos->buckets);
	free(dsos->sorted);
	free(dsos);
}

static int no_memory(struct perfdata *data)
{
	return perfdata_fail(data, "%s", strerror(ENOMEM));
}

/* -------------------------------------------------------------------- table -- */

static uint64_t hash(uint64_t state, const void *bytes, size_t size)
{
	const unsigned char *byte = bytes;

	while (size--)
		state = (state ^ *byte++) * 0x100000001b3ULL;
	return state;
}

static size_t bucket_of(const struct perfdata_dsos *dsos, const struct perfdata_dso *dso)
{
	uint64_t state = hash(0xcbf29ce484222325ULL, dso->path, strlen(dso->path));

	state = hash(state, dso->id, dso->id_size);
	return (size_t)(state ^ state >> 32) & (dsos->nr_buckets - 1);
}

static bool are_same(const struct perfdata_dso *a, const struct perfdata_dso *b)
{
	return a->kind == b->kind && a->id_size == b->id_size &&
	       !memcmp(a->id, b->id, a->id_size) && !strcmp(a->path, b->path);
}

static void insert(struct perfdata_dsos *dsos, size_t number)
{
	size_t *bucket = &dsos->buckets[bucket_of(dsos, &dsos->all[number].dso)];

	dsos->all[number].next = *bucket;
	*bucket = number + 1;
}

static bool grow(struct perfdata_dsos *dsos)
{
	size_t room = dsos->room ? dsos->room * 2 : FIRST_BUCKETS;
	struct dso *all = reallocarray(dsos->all, room, sizeof(*all));
	size_t *buckets;
	size_t i;

	if (!all)
		return false;
	dsos->all = all;
	buckets = calloc(room, sizeof(*buckets));
	if (!buckets)
		return false;
	free(dsos->buckets);
	dsos->buckets = buckets;
	dsos->nr_buckets = room;
	dsos->room = room;
	for (i = 0; i < dsos->count; i++)
		insert(dsos, i);
	return true;
}

/* The number of it, made if need be; ADDRESS_SPACES_NOTHING without memory. */
static size_t dso_number(struct perfdata_dsos *dsos, const struct perfdata_dso *request)
{
	struct dso *dso;
	size_t i;

	if (dsos->count == dsos->room && !grow(dsos))
		return ADDRESS_SPACES_NOTHING;
	for (i = dsos->buckets[bucket_of(dsos, request)]; i; i = dsos->all[i - 1].next)
		if (are_same(&dsos->all[i - 1].dso, request))
			return i - 1;

	dso = &dsos->all[dsos->count];
	*dso = (struct dso){ .dso = *request, .order = dsos->count };
	dso->path = strdup(request->path);
	if (!dso->path)
		return ADDRESS_SPACES_NOTHING;
	dso->dso.path = dso->path;
	insert(dsos, dsos->count);
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
		.path = mapping->kind == PERFDATA_KIND_KERNEL ? KERNEL_NAME : mapping->path,
		.kind = mapping->kind,
		.id_size = mapping->id_size,
	};
	struct perfdata_dsos *dsos = data->dsos;
	size_t number;

	memcpy(dso.id, mapping->id, sizeof(dso.id));
	number = dso_number(dsos, &dso);
	if (number == ADDRESS_SPACES_NOTHING)
		return no_memory(data);
	add_pid(&dsos->all[number].dso, mapping->pid);
	return address_spaces_map(dsos->spaces, mapping->pid, mapping->time, mapping->start,
				  mapping->len, number) ?
		       0 :
		       no_memory(data);
}

static int add_task(struct perfdata *data, const struct perfdata_event *event)
{
	const struct perfdata_task *task = (const void *)event;
	struct address_spaces *spaces = data->dsos->spaces;
	uint64_t time = perfdata_time(data, event);

	if (event->type == PERFDATA_COMM && event->misc & PERFDATA_MISC_EXEC && event->size >= 16)
		return address_spaces_exec(spaces, task->pid, time) ? 0 : no_memory(data);
	if (event->type == PERFDATA_FORK && event->size >= sizeof(*task))
		return address_spaces_fork(spaces, task->pid, time ? time : task->time,
					   task->ppid) ?
			       0 :
			       no_memory(data);
	return 0;
}

/* What the table says of a path holds for a mapping that says nothing. */
static int add_table_entry(struct perfdata *data, const struct perfdata_build_id *entry)
{
	const char *name = perfdata_build_id_name(entry);
	struct perfdata_dsos *dsos = data->dsos;
	struct perfdata_dso dso = { .path = name };
	bool found = false;
	size_t i;

	if (!name)
		return 0;
	dso.kind = perfdata_kind(name, entry->event.misc);
	if (dso.kind == PERFDATA_KIND_KERNEL)
		dso.path = KERNEL_NAME;
	dso.id_size = perfdata_build_id_size(entry);
	memcpy(dso.id, entry->id, dso.id_size);
	for (i = 0; i < dsos->count; i++) {
		struct perfdata_dso *other = &dsos->all[i].dso;

		if (other->id_size || other->kind != dso.kind || strcmp(other->path, dso.path))
			continue;
		other->id_size = dso.id_size;
		memcpy(other->id, dso.id, sizeof(dso.id));
		found = true;
	}
	if (found)
		return 0;
	return dso_number(dsos, &dso) == ADDRESS_SPACES_NOTHING ? no_memory(data) : 0;
}

static int add_table(struct perfdata *data)
{
	const struct perfdata_build_id *entry = (const void *)data->aligned;
	unsigned char *bytes;
	size_t size, at = 0;
	int err = 0;

	if (perfdata_feature(data, PERFDATA_FEATURE_BUILD_ID, &bytes, &size))
		return -1;
	while (!err && size - at >= sizeof(*entry)) {
		struct perfdata_event event;

		memcpy(&event, bytes + at, sizeof(event));
		if (event.size < sizeof(*entry) || event.size > size - at)
			break;
		memcpy(data->aligned, bytes + at, event.size);
		err = add_table_entry(data, entry);
		at += event.size;
	}
	free(bytes);
	return err;
}

static int add_all(struct perfdata *data)
{
	struct perfdata_mapping mapping;
	struct perfdata_item item;
	int answer;

	perfdata_rewind(data);
	while ((answer = perfdata_next(data, &item)) > 0) {
		int err;

		if (perfdata_mapping(data, item.event, &mapping))
			err = add_mapping(data, &mapping);
		else if (item.event->type == PERFDATA_BUILD_ID &&
			 item.event->size >= sizeof(struct perfdata_build_id))
			err = add_table_entry(data, (const void *)item.event);
		else
			err = add_task(data, item.event);
		if (err)
			return err;
	}
	return answer ? answer : add_table(data);
}

/* ------------------------------------------------------------------ samples -- */

struct cursor {
	const uint64_t *words;
	size_t count;
};

static uint64_t take_word(struct cursor *cursor)
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
		values = take_word(cursor);
	skip_words(cursor, times);
	/* Behind more values than there are words is nothing, either. */
	skip_words(cursor, values > cursor->count ? cursor->count : values * each);
}

static void hit(struct perfdata *data, uint16_t cpumode, uint32_t pid, uint64_t time,
		uint64_t address)
{
	struct perfdata_dsos *dsos = data->dsos;
	size_t number;

	if (cpumode == PERFDATA_MISC_KERNEL)
		pid = ADDRESS_SPACES_KERNEL;
	else if (cpumode != PERFDATA_MISC_USER)
		return;
	number = address_spaces_find(dsos->spaces, pid, time, address);
	if (number != ADDRESS_SPACES_NOTHING)
		dsos->all[number].dso.hit = true;
}

static void hit_chain(struct perfdata *data, struct cursor *cursor, uint16_t cpumode, uint32_t pid,
		      uint64_t time)
{
	uint64_t count = take_word(cursor);

	while (count-- && cursor->count) {
		uint64_t address = take_word(cursor);

		if (address == PERFDATA_CONTEXT_KERNEL)
			cpumode = PERFDATA_MISC_KERNEL;
		else if (address == PERFDATA_CONTEXT_USER)
			cpumode = PERFDATA_MISC_USER;
		else if (address >= PERFDATA_CONTEXT_MAX)
			cpumode = 0;
		else
			hit(data, cpumode, pid, time, address);
	}
}

static void take_sample(struct perfdata *data, const struct perfdata_event *event)
{
	const struct perfdata_layout *layout = perfdata_layout(data, event);
	struct cursor cursor = {
		.words = (const uint64_t *)(event + 1),
		.count = (event->size - sizeof(*event)) / 8,
	};
	const uint64_t plain = PERFDATA_SAMPLE_ADDR | PERFDATA_SAMPLE_ID |
			       PERFDATA_SAMPLE_STREAM_ID | PERFDATA_SAMPLE_CPU |
			       PERFDATA_SAMPLE_PERIOD;
	uint16_t cpumode = event->misc & PERFDATA_MISC_CPUMODE;
	uint64_t type, ip, time = 0;
	uint32_t pid;

	if (!layout)
		return;
	type = layout->sample_type;
	if (!(type & PERFDATA_SAMPLE_IP) || !(type & PERFDATA_SAMPLE_TID))
		return;
	skip_words(&cursor, !!(type & PERFDATA_SAMPLE_IDENTIFIER));
	ip = take_word(&cursor);
	pid = (uint32_t)take_word(&cursor);
	/* Where there are no times the last mapping counts, as its time is 0. */
	if (type & PERFDATA_SAMPLE_TIME)
		time = take_word(&cursor);
	hit(data, cpumode, pid, time, ip);
	skip_words(&cursor, (uint64_t)__builtin_popcountll(type & plain));
	if (type & PERFDATA_SAMPLE_READ)
		skip_read(&cursor, layout->read_format);
	if (type & PERFDATA_SAMPLE_CALLCHAIN)
		hit_chain(data, &cursor, cpumode, pid, time);
}

static int take_samples(struct perfdata *data)
{
	struct perfdata_item item;
	int answer;

	perfdata_rewind(data);
	while ((answer = perfdata_next(data, &item)) > 0)
		if (item.event->type == PERFDATA_SAMPLE)
			take_sample(data, item.event);
	return answer;
}

/* --------------------------------------------------------------------- list -- */

static int rank(enum perfdata_kind kind)
{
	static const int ranks[] = {
		[PERFDATA_KIND_KERNEL] = 0, [PERFDATA_KIND_MODULE] = 1, [PERFDATA_KIND_USER] = 2,
		[PERFDATA_KIND_VDSO] = 3,   [PERFDATA_KIND_OTHER] = 4,
	};

	return ranks[kind];
}

static int compare(const void *a, const void *b)
{
	const struct dso *first = a, *second = b;
	int result = rank(first->dso.kind) - rank(second->dso.kind);

	if (result)
		return result;
	return (first->order > second->order) - (first->order < second->order);
}

static int sort(struct perfdata *data)
{
	struct perfdata_dsos *dsos = data->dsos;
	size_t i;

	dsos->sorted = calloc(dsos->count + 1, sizeof(*dsos->sorted));
	if (!dsos->sorted)
		return no_memory(data);
	if (dsos->count)
		qsort(dsos->all, dsos->count, sizeof(*dsos->all), compare);
	for (i = 0; i < dsos->count; i++)
		dsos->sorted[i] = dsos->all[i].dso;
	return 0;
}

int perfdata_dsos(struct perfdata *data, const struct perfdata_dso **all)
{
	if (*data->error)
		return -1;
	if (!data->dsos) {
		data->dsos = calloc(1, sizeof(*data->dsos));
		if (!data->dsos)
			return no_memory(data);
		data->dsos->spaces = address_spaces_new();
		if (!data->dsos->spaces)
			return no_memory(data);
		if (add_all(data) || take_samples(data) || sort(data))
			return -1;
	}
	*all = data->dsos->sorted;
	return (int)data->dsos->count;
}
