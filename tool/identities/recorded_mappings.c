// SPDX-License-Identifier: GPL-2.0
/*
 * Recorded mappings: the address spaces of perfdata/, filled from a log.
 *
 * What was mapped before the recording counts as always mapped: a process that forked before its
 * own snapshot has passed it on.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "boot.h"
#include "common/array.h"
#include "common/hash_map.h"
#include "log.h"
#include "perfdata/address_spaces.h"
#include "recorded_mappings.h"

/* A version of a file, by file_id. */
struct content {
	char *path;
	struct identity identity;
	struct file_version version;
};

struct mapping {
	uint64_t addr, pgoff;
	uint32_t content; /* index */
};

/* The last process with a pid. */
struct process {
	uint64_t start_time;
	uint64_t since; /* before that, another process had the pid; 0 if none did */
};

struct recorded_mappings {
	enum perfdata_clock clock;
	bool now;
	bool by_perf;
	uint64_t lost;
	struct content *contents;
	size_t nr_contents;
	struct hash_map by_file_id;
	struct mapping *mappings;
	size_t nr_mappings;
	struct address_spaces *spaces;
	struct process *processes;
	size_t nr_processes;
	struct hash_map by_pid;
};

void recorded_mappings_free(struct recorded_mappings *mappings)
{
	size_t i;

	if (!mappings)
		return;
	for (i = 0; i < mappings->nr_contents; i++)
		free(mappings->contents[i].path);
	free(mappings->contents);
	free(mappings->mappings);
	free(mappings->processes);
	hash_map_free(&mappings->by_file_id);
	hash_map_free(&mappings->by_pid);
	address_spaces_free(mappings->spaces);
	free(mappings);
}

/* ------------------------------------------------------------------ adding -- */

static uint64_t time_of(const struct recorded_mappings *mappings,
			const struct buildid_record *record)
{
	return mappings->clock == PERFDATA_CLOCK_MONO ? record->time_mono : record->time_perf;
}

#define NONE UINT32_MAX

/* Find or add the content, which may get its identity later; NONE without memory. */
static uint32_t find_or_add(struct recorded_mappings *mappings, uint64_t file_id)
{
	uint32_t index = hash_map_get(&mappings->by_file_id, file_id, NONE);

	if (index != NONE)
		return index;
	if (!array_reserve(mappings->contents, mappings->nr_contents))
		return NONE;
	index = (uint32_t)mappings->nr_contents;
	if (!hash_map_set(&mappings->by_file_id, file_id, index))
		return NONE;
	mappings->contents[mappings->nr_contents++] =
		(struct content){ .identity.reason = BUILDID_REASON_NOT_READ };
	return index;
}

static int add_file(struct recorded_mappings *mappings, const struct buildid_file *file)
{
	uint32_t index = find_or_add(mappings, file->file_id);
	const char *path = buildid_file_path(file);
	struct content *content;
	const uint8_t *bytes;
	size_t size;

	if (index == NONE)
		return -ENOMEM;
	content = &mappings->contents[index];
	bytes = buildid_file_id_bytes(file, &size);
	/* A later record may know less. */
	if (bytes || !content->identity.id.size) {
		content->identity = (struct identity){ .kind = file->kind, .reason = file->reason };
		file_version_set(&content->version, file);
	}
	if (bytes)
		build_id_set(&content->identity.id, bytes, size);
	if (!path || !*path || (content->path && !strcmp(content->path, path)))
		return 0;
	free(content->path);
	content->path = strdup(path);
	return content->path ? 0 : -ENOMEM;
}

static struct process *find_process(const struct recorded_mappings *mappings, uint32_t pid)
{
	uint32_t index = hash_map_get(&mappings->by_pid, pid, NONE);

	return index == NONE ? NULL : &mappings->processes[index];
}

/* @another: set if it is not the process that had @pid before. False without memory. */
static bool note_process(struct recorded_mappings *mappings, uint32_t pid, uint64_t start_time,
			 uint64_t time, bool *another)
{
	struct process *process = find_process(mappings, pid);

	/* Without the module it may not be known: then it is the one that there is. */
	*another = process && process->start_time && start_time &&
		   process->start_time != start_time;
	if (*another)
		*process = (struct process){ start_time, time };
	else if (process && !process->start_time)
		process->start_time = start_time;
	if (process)
		return true;
	if (!array_reserve(mappings->processes, mappings->nr_processes) ||
	    !hash_map_set(&mappings->by_pid, pid, (uint32_t)mappings->nr_processes))
		return false;
	mappings->processes[mappings->nr_processes++] = (struct process){ start_time, 0 };
	return true;
}

static int add_mmap(struct recorded_mappings *mappings, const struct buildid_mmap *mmap)
{
	bool old = mmap->header.flags & BUILDID_RECORD_SNAPSHOT;
	uint64_t time = time_of(mappings, &mmap->header);
	uint32_t content = find_or_add(mappings, mmap->file_id);
	bool another;

	if (content == NONE || !array_reserve(mappings->mappings, mappings->nr_mappings))
		return -ENOMEM;
	if (!note_process(mappings, mmap->pid, mmap->start_time, time, &another))
		return -ENOMEM;
	/* FORK and EXEC say when a process begins; without them this does. */
	if (another && !address_spaces_begin(mappings->spaces, mmap->pid, time, mmap->pid))
		return -ENOMEM;
	old = old && !another;
	mappings->mappings[mappings->nr_mappings] =
		(struct mapping){ mmap->addr, mmap->pgoff, content };
	return address_spaces_map(mappings->spaces, mmap->pid, old ? 0 : time, mmap->addr,
				  mmap->len, mappings->nr_mappings++) ?
		       0 :
		       -ENOMEM;
}

static int add_task(struct recorded_mappings *mappings, const struct buildid_task *task)
{
	uint32_t parent = task->parent_pid ? task->parent_pid : task->pid; /* none: starts empty */
	uint64_t time = time_of(mappings, &task->header);
	bool unused;

	return note_process(mappings, task->pid, task->start_time, time, &unused) &&
			       address_spaces_begin(mappings->spaces, task->pid, time, parent) ?
		       0 :
		       -ENOMEM;
}

static int add_lost(struct recorded_mappings *mappings, const struct buildid_lost *lost)
{
	mappings->lost += lost->ring_full + lost->missed_probe;
	return 0;
}

static int recorded_mappings_add(struct recorded_mappings *mappings,
				 const struct buildid_record *record)
{
	switch (record->type) {
	case BUILDID_RECORD_FILE:
		return add_file(mappings, (const void *)record);
	case BUILDID_RECORD_MMAP:
		return add_mmap(mappings, (const void *)record);
	case BUILDID_RECORD_FORK:
	case BUILDID_RECORD_EXEC:
		return add_task(mappings, (const void *)record);
	case BUILDID_RECORD_LOST:
		return add_lost(mappings, (const void *)record);
	default:
		return 0;
	}
}

static bool add_all(struct recorded_mappings *mappings, struct log_reader *log,
		    struct reason *reason)
{
	const struct buildid_record *record;
	int more;

	while ((more = log_next(log, &record)) > 0)
		if (recorded_mappings_add(mappings, record))
			return reason_set(reason, "%s", strerror(ENOMEM));
	if (more < 0)
		reason_set(reason, "%s", log_error(log));
	if (!address_spaces_ready(mappings->spaces))
		return reason_set(reason, "%s", strerror(ENOMEM));
	/* The contents of a truncated log are valid. */
	return !more || mappings->nr_mappings;
}

struct recorded_mappings *recorded_mappings_read(const char *path, enum perfdata_clock clock,
						 struct reason *reason)
{
	struct recorded_mappings *new = calloc(1, sizeof(*new));
	struct log_reader *log = log_open(path);
	bool good = false;

	*reason = (struct reason){};
	if (new)
		new->spaces = address_spaces_new();
	if (!log || !new || !new->spaces) {
		reason_set(reason, "%s", strerror(ENOMEM));
	} else {
		new->clock = clock;
		new->now = boot_is_now(log_header(log)->boot_id);
		new->by_perf = log_source(log) == LOG_SOURCE_PERF;
		good = add_all(new, log, reason);
	}
	if (log)
		log_close(log);
	if (good)
		return new;
	recorded_mappings_free(new);
	return NULL;
}

/* ----------------------------------------------------------------- finding -- */

uint64_t recorded_mappings_lost(const struct recorded_mappings *mappings)
{
	return mappings->lost;
}

bool recorded_mappings_now(const struct recorded_mappings *mappings)
{
	return mappings->now;
}

bool recorded_mappings_by_perf(const struct recorded_mappings *mappings)
{
	return mappings->by_perf;
}

bool recorded_mappings_last(const struct recorded_mappings *mappings, uint32_t pid, uint64_t time,
			    uint64_t *start_time)
{
	const struct process *process = find_process(mappings, pid);

	if (!process || time < process->since)
		return false;
	*start_time = process->start_time;
	return true;
}

enum recorded_result recorded_mappings_find(const struct recorded_mappings *mappings, uint32_t pid,
					    uint64_t addr, uint64_t time,
					    struct recorded_file *file)
{
	size_t index = address_spaces_find(mappings->spaces, pid, time, addr, NULL);
	const struct mapping *mapping;
	const struct content *content;

	if (index == ADDRESS_SPACES_NOTHING)
		return find_process(mappings, pid) ? RECORDED_NO_MAPPING : RECORDED_NO_PROCESS;
	mapping = &mappings->mappings[index];
	content = &mappings->contents[mapping->content];
	*file = (struct recorded_file){
		.path = content->path ? content->path : "",
		.identity = content->identity,
		.version = content->version,
		.offset = addr - mapping->addr + mapping->pgoff,
	};
	return RECORDED_FOUND;
}
