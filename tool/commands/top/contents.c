// SPDX-License-Identifier: GPL-2.0

#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/hash_map.h"
#include "commands/print.h"
#include "contents.h"

#define NONE UINT32_MAX
#define FULL (UINT32_MAX - 1)

/* As libbuildid knows of files that are to follow. */
#define FOLLOWING_MAX 4096

/* A process, and the indexes of what it has mapped. */
struct process {
	uint32_t pid;
	char comm[16];
	uint32_t *held;
	size_t count;
};

struct processes {
	struct process *all;
	size_t count;
	struct hash_map by_pid; /* NONE for one that has ended */
};

/* A mapping whose file follows. */
struct following {
	struct buildid_mmap mmap;
	bool used;
};

struct contents_internal {
	struct hash_map by_hash;
	struct processes now;
	struct processes next; /* as the snapshot finds them */
	bool in_snapshot;
	struct following following[FOLLOWING_MAX];
	size_t next_following;
};

/* ------------------------------------------------------------- processes -- */

static struct process *process_of(const struct processes *processes, uint32_t pid)
{
	uint32_t index = hash_map_get(&processes->by_pid, pid, NONE);

	return index == NONE ? NULL : &processes->all[index];
}

static struct process *add_process(struct processes *processes, uint32_t pid)
{
	struct process *process = process_of(processes, pid);

	if (process)
		return process;
	if (!array_reserve(processes->all, processes->count) ||
	    !hash_map_set(&processes->by_pid, pid, (uint32_t)processes->count))
		return NULL;
	process = &processes->all[processes->count++];
	*process = (struct process){ .pid = pid };
	return process;
}

static void drop_held(struct process *process)
{
	free(process->held);
	process->held = NULL;
	process->count = 0;
}

static void end_process(struct processes *processes, uint32_t pid)
{
	struct process *process = process_of(processes, pid);

	if (!process)
		return;
	drop_held(process);
	hash_map_set(&processes->by_pid, pid, NONE);
}

static bool process_holds(const struct process *process, uint32_t content)
{
	size_t i;

	for (i = 0; i < process->count; i++)
		if (process->held[i] == content)
			return true;
	return false;
}

static bool hold_content(struct processes *processes, const struct buildid_mmap *mmap,
			 uint32_t content)
{
	struct process *process = add_process(processes, mmap->pid);

	if (!process)
		return false;
	if (mmap->tid == mmap->pid || !*process->comm)
		memcpy(process->comm, mmap->comm, sizeof(process->comm));
	if (process_holds(process, content))
		return true;
	if (!array_reserve(process->held, process->count))
		return false;
	process->held[process->count++] = content;
	return true;
}

/* A child has what its parent has. */
static bool fork_process(struct processes *processes, const struct buildid_task *task)
{
	const struct process *parent;
	struct process *child;
	size_t i;

	if (!process_of(processes, task->parent_pid))
		return true;
	child = add_process(processes, task->pid);
	if (!child)
		return false;
	parent = process_of(processes, task->parent_pid);
	memcpy(child->comm, task->comm, sizeof(child->comm));
	drop_held(child);
	for (i = 0; i < parent->count; i++) {
		if (!array_reserve(child->held, child->count))
			return false;
		child->held[child->count++] = parent->held[i];
	}
	return true;
}

static void free_processes(struct processes *processes)
{
	size_t i;

	for (i = 0; i < processes->count; i++)
		free(processes->all[i].held);
	free(processes->all);
	hash_map_free(&processes->by_pid);
	*processes = (struct processes){};
}

/* -------------------------------------------------------------- contents -- */

static bool is_content(const struct content *content, const struct identity *identity,
		       const char *path)
{
	return content->identity.kind == identity->kind &&
	       build_id_equal(&content->identity.id, &identity->id) && !strcmp(content->path, path);
}

static uint32_t add_content(struct contents *contents, const struct identity *identity,
			    const char *path, uint64_t key)
{
	struct content *content;

	if (!array_reserve(contents->all, contents->count))
		return NONE;
	content = &contents->all[contents->count];
	*content = (struct content){ .identity = *identity, .path = strdup(path) };
	if (!content->path ||
	    !hash_map_add(&contents->internal->by_hash, key, (uint32_t)contents->count)) {
		free(content->path);
		return NONE;
	}
	return (uint32_t)contents->count++;
}

static uint32_t find_content(struct contents *contents, const struct buildid_file *file)
{
	const struct identity identity = print_identity_of(file);
	const char *path = buildid_file_path(file);
	uint64_t key = hash_bytes(hash_text(path), identity.id.bytes, identity.id.size);
	struct hash_slot *slot = NULL;

	while ((slot = hash_map_next(&contents->internal->by_hash, key, slot)))
		if (is_content(&contents->all[slot->value], &identity, path))
			return slot->value;
	if (contents->count == CONTENTS_MAX)
		return FULL;
	return add_content(contents, &identity, path, key);
}

static void free_content(const struct content *content)
{
	free(content->path);
	free(content->file);
	free(content->label);
}

static bool set_file(struct content *content, const struct buildid_file *file)
{
	struct buildid_file *copy;

	content->is_deleted = file->flags & BUILDID_FILE_DELETED;
	copy = realloc(content->file, file->header.size);
	if (!copy)
		return false;
	memcpy(copy, file, file->header.size);
	content->file = copy;
	return true;
}

static bool take_mapping(struct contents *contents, const struct buildid_mmap *mmap,
			 const struct buildid_file *file)
{
	struct contents_internal *internal = contents->internal;
	bool snapshot = mmap->header.flags & BUILDID_RECORD_SNAPSHOT;
	uint32_t index = find_content(contents, file);
	struct content *content;

	if (index == NONE)
		return false;
	if (index == FULL) {
		contents->not_added++;
		return true;
	}
	content = &contents->all[index];
	if (!content->since) {
		content->since = mmap->header.time_mono;
		content->is_new = !snapshot && contents->is_complete;
	}
	content->last = *mmap;
	content->mappings += !snapshot;
	if (!set_file(content, file))
		return false;
	if (!snapshot && !hold_content(&internal->now, mmap, index))
		return false;
	return !internal->in_snapshot || hold_content(&internal->next, mmap, index);
}

/* -------------------------------------------------------- files to come -- */

/* The oldest goes, as libbuildid forgets it, too. */
static void await_file(struct contents *contents, const struct buildid_mmap *mmap)
{
	struct contents_internal *internal = contents->internal;
	struct following *following = &internal->following[internal->next_following];

	internal->next_following = (internal->next_following + 1) % FOLLOWING_MAX;
	contents->unidentified += following->used;
	*following = (struct following){ .mmap = *mmap, .used = true };
}

static bool take_file(struct contents *contents, const struct buildid_file *file)
{
	bool all = true;
	size_t i;

	for (i = 0; i < FOLLOWING_MAX; i++) {
		struct following *following = &contents->internal->following[i];

		if (!following->used || following->mmap.file_id != file->file_id)
			continue;
		following->used = false;
		all &= take_mapping(contents, &following->mmap, file);
	}
	return all;
}

static bool take_mmap(struct contents *contents, const struct buildid_event *event)
{
	const struct buildid_mmap *mmap = (const void *)event->record;

	if (event->flags & BUILDID_EVENT_DUPLICATE && !contents->internal->in_snapshot)
		return true;
	if (event->file)
		return take_mapping(contents, mmap, event->file);
	if (event->flags & BUILDID_EVENT_FILE_FOLLOWS)
		await_file(contents, mmap);
	else
		contents->unidentified++;
	return true;
}

/* ---------------------------------------------------------------- events -- */

static bool take_task(struct processes *processes, const struct buildid_record *record)
{
	const struct buildid_task *task = (const void *)record;
	struct process *process = process_of(processes, task->pid);

	switch (record->type) {
	case BUILDID_RECORD_FORK:
		return fork_process(processes, task);
	case BUILDID_RECORD_EXIT:
		end_process(processes, task->pid);
		return true;
	case BUILDID_RECORD_EXEC:
		if (process)
			drop_held(process);
		return true;
	default:
		if (process && task->tid == task->pid)
			memcpy(process->comm, task->comm, sizeof(process->comm));
		return true;
	}
}

bool contents_take(struct contents *contents, const struct buildid_event *event)
{
	struct contents_internal *internal = contents->internal;

	switch (event->record->type) {
	case BUILDID_RECORD_MMAP:
		return take_mmap(contents, event);
	case BUILDID_RECORD_FILE:
		return take_file(contents, event->file);
	case BUILDID_RECORD_FORK:
	case BUILDID_RECORD_EXEC:
	case BUILDID_RECORD_EXIT:
	case BUILDID_RECORD_COMM:
		return take_task(&internal->now, event->record) &&
		       (!internal->in_snapshot || take_task(&internal->next, event->record));
	default:
		return true;
	}
}

/* By counting again: what a process holds changes far more often than it is looked at. */
static void count_processes(struct contents *contents)
{
	const struct processes *now = &contents->internal->now;
	size_t i, held;

	for (i = 0; i < contents->count; i++)
		contents->all[i].processes = 0;
	for (i = 0; i < now->count; i++)
		for (held = 0; held < now->all[i].count; held++)
			contents->all[now->all[i].held[held]].processes++;
}

static uint64_t content_key(const struct content *content)
{
	return hash_bytes(hash_text(content->path), content->identity.id.bytes,
			  content->identity.id.size);
}

/* A map that lacks one without memory shows it twice, and no more. */
static void index_contents(struct contents *contents)
{
	size_t i;

	hash_map_free(&contents->internal->by_hash);
	contents->internal->by_hash = (struct hash_map){};
	for (i = 0; i < contents->count; i++)
		hash_map_add(&contents->internal->by_hash, content_key(&contents->all[i]),
			     (uint32_t)i);
}

/* Those that no process has, at the end of a snapshot, when only @now refers to any. */
static void forget_unheld(struct contents *contents)
{
	struct processes *now = &contents->internal->now;
	uint32_t *moved = calloc(contents->count, sizeof(*moved));
	size_t count = 0, i, held;

	if (!moved)
		return;
	count_processes(contents);
	for (i = 0; i < contents->count; i++) {
		moved[i] = (uint32_t)count;
		if (contents->all[i].processes)
			contents->all[count++] = contents->all[i];
		else
			free_content(&contents->all[i]);
	}
	for (i = 0; i < now->count; i++)
		for (held = 0; held < now->all[i].count; held++)
			now->all[i].held[held] = moved[now->all[i].held[held]];
	free(moved);
	contents->count = count;
	contents->moves++;
	index_contents(contents);
}

void contents_snapshot_begin(struct contents *contents)
{
	free_processes(&contents->internal->next);
	contents->internal->in_snapshot = true;
}

void contents_snapshot_end(struct contents *contents)
{
	struct contents_internal *internal = contents->internal;

	free_processes(&internal->now);
	internal->now = internal->next;
	internal->next = (struct processes){};
	internal->in_snapshot = false;
	contents->is_complete = true;
	if (contents->count > CONTENTS_MAX / 2)
		forget_unheld(contents);
}

void contents_tick(struct contents *contents, double seconds)
{
	size_t i;

	count_processes(contents);
	for (i = 0; i < contents->count; i++) {
		struct content *content = &contents->all[i];

		content->rate = (double)(content->mappings - content->mappings_before) / seconds;
		content->mappings_before = content->mappings;
	}
}

size_t contents_processes(const struct contents *contents)
{
	const struct processes *now = &contents->internal->now;
	size_t i, count = 0;

	for (i = 0; i < now->count; i++)
		count += now->all[i].count > 0;
	return count;
}

void contents_for_each_process(const struct contents *contents, size_t content,
			       void (*show)(void *data, uint32_t pid, const char *comm), void *data)
{
	const struct processes *now = &contents->internal->now;
	size_t i;

	for (i = 0; i < now->count; i++)
		if (process_holds(&now->all[i], (uint32_t)content))
			show(data, now->all[i].pid, now->all[i].comm);
}

bool contents_init(struct contents *contents)
{
	*contents = (struct contents){ .internal = calloc(1, sizeof(*contents->internal)) };
	return contents->internal;
}

void contents_free(struct contents *contents)
{
	size_t i;

	for (i = 0; i < contents->count; i++)
		free_content(&contents->all[i]);
	free(contents->all);
	if (contents->internal) {
		free_processes(&contents->internal->now);
		free_processes(&contents->internal->next);
		hash_map_free(&contents->internal->by_hash);
	}
	free(contents->internal);
}
