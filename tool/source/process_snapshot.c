// SPDX-License-Identifier: GPL-2.0
/* Process snapshot: a process at a time, and of it a mapping. */

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/array.h"
#include "common/clock.h"
#include "common/process_stat.h"
#include "content/mapped_files.h"
#include "content/process_maps.h"
#include "content/process_user.h"
#include "file_record.h"
#include "mapped_state.h"
#include "process_facts.h"
#include "process_snapshot.h"

/* As libbuildid has it. */
#define RESTARTS_MAX 16

struct process_snapshot {
	struct process_files *files;
	bool data;
	uint32_t *pids;
	size_t nr_pids, next;
	size_t alive;

	/* The process that is being read. */
	bool is_open;
	bool seen; /* it has mappings */
	unsigned int restarts;
	uint64_t user; /* to blame */
	struct process_maps maps;
	struct buildid_mmap mmap;

	/* Its last file, which many mappings in a row are of. */
	char *path;
	uint32_t major, minor;
	uint64_t ino;
	uint64_t file[FILE_RECORD_WORDS];
	bool mmap_follows;
};

void process_files_free(struct process_files *files)
{
	worker_end(&files->worker);
	file_ids_free(&files->ids);
}

/* ------------------------------------------------------------- processes -- */

static bool add_pid(struct process_snapshot *snapshot, uint32_t pid)
{
	if (!array_reserve(snapshot->pids, snapshot->nr_pids))
		return false;
	snapshot->pids[snapshot->nr_pids++] = pid;
	return true;
}

static int add_all(struct process_snapshot *snapshot)
{
	DIR *directory = opendir("/proc");
	struct dirent *entry;
	bool good = true;

	if (!directory)
		return -errno;
	while (good && (entry = readdir(directory)))
		if (isdigit((unsigned char)*entry->d_name))
			good = add_pid(snapshot, (uint32_t)strtoul(entry->d_name, NULL, 10));
	closedir(directory);
	return good ? 0 : -ENOMEM;
}

static int add_named(struct process_snapshot *snapshot, const struct buildid_options *options)
{
	uint32_t i;

	for (i = 0; i < options->nr_pids; i++)
		if (!add_pid(snapshot, options->pids[i]))
			return -ENOMEM;
	return 0;
}

static uint64_t perf_time(const struct process_files *files, uint64_t mono)
{
	return files->perf_ahead ? mono + (uint64_t)files->perf_ahead : 0;
}

/* 0 of a process that has exited. */
static int snapshot_error(int error)
{
	switch (error) {
	case ENOENT:
	case ESRCH:
		return 0;
	case EACCES:
	case EPERM:
		return -EPERM;
	/* There is no other worker to wait for it: that is said, too. */
	case EBUSY:
		return -ETIMEDOUT;
	default:
		return -error;
	}
}

/*
 * 0 when it has exited. Its mappings have the time of before they are read: what it maps from then
 * on is later, in a stream as well.
 */
static int open_process(struct process_snapshot *snapshot, uint32_t pid)
{
	struct buildid_mmap *mmap = &snapshot->mmap;
	bool in_our_namespace;
	const uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (!process_maps_open(&snapshot->maps, pid))
		return snapshot_error(errno);
	*mmap = (struct buildid_mmap){
		.header = { .type = BUILDID_RECORD_MMAP,
			    .flags = BUILDID_RECORD_SNAPSHOT,
			    .size = sizeof(*mmap),
			    .time_mono = now,
			    .time_perf = perf_time(snapshot->files, now) },
		.pid = pid,
		.tid = pid,
	};
	/* Behind maps, as another one may have had that pid before. */
	if (!process_facts_read(mmap)) {
		process_maps_close(&snapshot->maps);
		return 0;
	}
	process_comm(pid, pid, mmap->comm);
	snapshot->user = process_blamed(pid, &in_our_namespace);
	snapshot->is_open = true;
	snapshot->ino = 0;
	return 0;
}

/* A thread of the kernel and a process that has ended have none. */
static bool has_program(uint32_t pid)
{
	char link[64], target;

	snprintf(link, sizeof(link), "/proc/%" PRIu32 "/exe", pid);
	return readlink(link, &target, sizeof(target)) > 0;
}

/* Whether the address space that was read is gone, so that its end was not one. */
static bool has_vanished(const struct process_snapshot *snapshot)
{
	return !process_maps_is_there(&snapshot->maps) && has_program(snapshot->mmap.pid);
}

/* It has called exec, if it is still there. */
static int end_process(struct process_snapshot *snapshot)
{
	const int error = snapshot->maps.error;
	const bool vanished = !error && has_vanished(snapshot);
	const struct buildid_mmap was = snapshot->mmap;

	process_maps_close(&snapshot->maps);
	snapshot->is_open = false;
	if (error)
		return snapshot_error(error);
	if (!vanished || !process_is_there((pid_t)was.pid, was.start_time))
		return 0;
	if (snapshot->restarts++ == RESTARTS_MAX)
		return -ESTALE;
	return open_process(snapshot, was.pid);
}

/* ----------------------------------------------------------------- files -- */

static bool is_file(const struct process_mapping *mapping)
{
	return mapping->ino || *mapping->path == '/';
}

static bool is_last_file(const struct process_snapshot *snapshot,
			 const struct process_mapping *mapping)
{
	return snapshot->ino && snapshot->ino == mapping->ino &&
	       snapshot->major == mapping->major && snapshot->minor == mapping->minor &&
	       !strcmp(snapshot->path, mapping->path);
}

static void read_state(struct process_snapshot *snapshot, const struct process_mapping *mapping,
		       struct mapped_state *state)
{
	const struct mapped_state unknown = {
		.file.identity.reason = *mapping->path == '/' ? BUILDID_REASON_NOT_READ :
								BUILDID_REASON_NOT_REGULAR,
		.deleted = is_marked_deleted(mapping->path),
	};

	if (*mapping->path != '/' || mapped_state_read(&snapshot->files->worker, snapshot->mmap.pid,
						       snapshot->user, mapping, state))
		*state = unknown;
}

static void set_as_seen(struct buildid_file *file, const struct process_mapping *mapping)
{
	file->user_dev_major = mapping->major;
	file->user_dev_minor = mapping->minor;
	file->user_ino = mapping->ino;
	if (file->ino)
		return;
	file->dev_major = mapping->major;
	file->dev_minor = mapping->minor;
	file->ino = mapping->ino;
}

static void describe_file(struct process_snapshot *snapshot, const struct process_mapping *mapping)
{
	struct mapped_state state;
	struct buildid_file *file;
	const char *path;
	char *stripped;

	read_state(snapshot, mapping, &state);
	path = mapping->ambiguous ? state.path : mapping->path;
	stripped = state.deleted ? strip_deleted(path) : NULL;
	if (stripped && !strcmp(stripped, "/dev/zero"))
		state.file.identity = (struct identity){ .reason = BUILDID_REASON_ANONYMOUS };
	file = file_record_make(snapshot->file, &state.file, stripped ? stripped : path);
	free(stripped);
	set_as_seen(file, mapping);
	file->header.time_perf = perf_time(snapshot->files, file->header.time_mono);
	file->flags |= state.deleted ? BUILDID_FILE_DELETED : 0;
	file->flags |= !strncmp(mapping->path, "/memfd:", 7) ? BUILDID_FILE_MEMFD : 0;
	file->pid = file->tid = snapshot->mmap.pid;
	file_ids_bound(&snapshot->files->ids);
	file->file_id = file_ids_of(&snapshot->files->ids, file);
}

/* Whether it is another one than before. */
static bool set_file(struct process_snapshot *snapshot, const struct process_mapping *mapping)
{
	if (is_last_file(snapshot, mapping))
		return false;
	describe_file(snapshot, mapping);
	free(snapshot->path);
	snapshot->path = strdup(mapping->path);
	snapshot->ino = snapshot->path ? mapping->ino : 0;
	snapshot->major = mapping->major;
	snapshot->minor = mapping->minor;
	return true;
}

/* ----------------------------------------------------------------- steps -- */

/* Whether its FILE record is to be sent before it. */
static bool take_mapping(struct process_snapshot *snapshot, const struct process_mapping *mapping)
{
	const bool is_new = set_file(snapshot, mapping);
	const struct buildid_file *file = (const void *)snapshot->file;
	struct buildid_mmap *mmap = &snapshot->mmap;

	mmap->addr = mapping->start;
	mmap->len = mapping->end - mapping->start;
	mmap->pgoff = mapping->offset;
	mmap->prot = mapping->prot;
	mmap->map_flags = mapping->shared ? MAP_SHARED : MAP_PRIVATE;
	mmap->file_id = file->file_id;
	mmap->state = file->file_id ? BUILDID_STATE_KNOWN : BUILDID_STATE_UNRESOLVED;
	return is_new;
}

/* The next mapping of a file, or none at the end of the process. */
static bool next_mapping(struct process_snapshot *snapshot, struct process_mapping *mapping)
{
	while (process_maps_next(&snapshot->maps, mapping)) {
		snapshot->alive += !snapshot->seen;
		snapshot->seen = true;
		if (is_file(mapping) && (mapping->executable || snapshot->data))
			return true;
	}
	return false;
}

static int next_process(struct process_snapshot *snapshot)
{
	if (snapshot->next == snapshot->nr_pids)
		return -ENODATA;
	snapshot->restarts = 0;
	snapshot->seen = false;
	return open_process(snapshot, snapshot->pids[snapshot->next++]);
}

int process_snapshot_next(struct process_snapshot *snapshot, const struct buildid_record **record)
{
	struct process_mapping mapping;
	int err;

	*record = NULL;
	while (!snapshot->mmap_follows) {
		if (snapshot->is_open && next_mapping(snapshot, &mapping)) {
			snapshot->mmap_follows = true;
			if (take_mapping(snapshot, &mapping)) {
				*record = (const void *)snapshot->file;
				return 0;
			}
			continue;
		}
		err = snapshot->is_open ? end_process(snapshot) : next_process(snapshot);
		if (err)
			return err;
	}
	snapshot->mmap_follows = false;
	*record = &snapshot->mmap.header;
	return 0;
}

size_t process_snapshot_processes(const struct process_snapshot *snapshot)
{
	return snapshot->alive;
}

int process_snapshot_new(struct process_snapshot **snapshot, struct process_files *files,
			 const struct buildid_options *options)
{
	struct process_snapshot *new = calloc(1, sizeof(*new));
	int err;

	*snapshot = NULL;
	if (!new)
		return -ENOMEM;
	new->files = files;
	new->data = options && options->flags &BUILDID_SUB_DATA;
	err = options && options->nr_pids ? add_named(new, options) : add_all(new);
	if (err) {
		process_snapshot_free(new);
		return err;
	}
	*snapshot = new;
	return 0;
}

void process_snapshot_free(struct process_snapshot *snapshot)
{
	if (!snapshot)
		return;
	if (snapshot->is_open)
		process_maps_close(&snapshot->maps);
	free(snapshot->path);
	free(snapshot->pids);
	free(snapshot);
}
