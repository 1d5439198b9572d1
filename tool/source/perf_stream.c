// SPDX-License-Identifier: GPL-2.0
/* Perf stream: MMAP2, COMM, FORK and LOST of perf. */

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/array.h"
#include "common/clock.h"
#include "content/mapped_files.h"
#include "file_ids.h"
#include "file_record.h"
#include "kernel_record.h"
#include "perf_clock.h"
#include "perf_rings.h"
#include "perf_stream.h"
#include "process_facts.h"

/* Names of threads that are kept: one whose place another has taken is read again. */
#define NAMES 4096
/* Files that have a number: then numbering begins again, with others. */
#define FILES_MAX 65536
/* Above those of snapshots, with which a log has them. */
#define FIRST_ID (1ULL << 40)
/* From when a record has its time to when it can be read. */
#define HOLD_NS (10 * 1000000ULL)

struct name {
	uint32_t tid;
	uint8_t comm[16];
};

/* Of a process that was there when an earlier record of it was read. */
struct start {
	uint32_t pid;
	uint64_t time;
};

struct perf_stream {
	struct perf_rings *rings;
	struct perf_clock clock;
	uint32_t flags; /* BUILDID_SUB_* */
	uint32_t *pids;
	size_t nr_pids;
	struct file_ids ids;
	uint64_t first_id;
	uint64_t seq;
	struct name names[NAMES];
	struct start starts[NAMES];
	bool kernel_follows;
	bool mmap_follows; /* behind its FILE */
	bool stopped;
	bool counted;	  /* all that was lost, behind the last record */
	uint64_t dropped; /* records, in those that were told of */
	struct buildid_mmap mmap;
	struct buildid_lost lost;
	uint64_t file[FILE_RECORD_WORDS];
	uint64_t kernel[KERNEL_RECORD_WORDS];
};

/* The layouts of perf_event_open(2), without what sample_id_all adds. */
struct perf_mmap2 {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t addr, len, pgoff;
	union {
		struct {
			uint32_t major, minor;
			uint64_t ino, generation;
		};
		struct {
			uint8_t id_size, reserved[3];
			uint8_t id[20];
		};
	};
	uint32_t prot, flags;
	char path[];
};

struct perf_comm {
	struct perf_event_header header;
	uint32_t pid, tid;
	char comm[];
};

struct perf_fork {
	struct perf_event_header header;
	uint32_t pid, ppid, tid, ptid;
	uint64_t time;
};

struct perf_lost {
	struct perf_event_header header;
	uint64_t id, lost;
};

/* ----------------------------------------------------------------- names -- */

static struct name *name_of(struct perf_stream *stream, uint32_t tid)
{
	return &stream->names[tid % NAMES];
}

static void set_comm(struct perf_stream *stream, const struct perf_comm *comm)
{
	struct name *name = name_of(stream, comm->tid);

	*name = (struct name){ .tid = comm->tid };
	memcpy(name->comm, comm->comm, strnlen(comm->comm, sizeof(name->comm) - 1));
}

/* The new one has its parent's, which need not have been told here. */
static void inherit_comm(struct perf_stream *stream, const struct perf_fork *fork)
{
	const struct name *parent = name_of(stream, fork->ptid);
	struct name *name = name_of(stream, fork->tid);

	if (parent->tid != fork->ptid) {
		if (name->tid == fork->tid)
			name->tid = 0;
		return;
	}
	*name = *parent;
	name->tid = fork->tid;
}

static void get_comm(struct perf_stream *stream, uint32_t pid, uint32_t tid, uint8_t comm[16])
{
	struct name *name = name_of(stream, tid);

	if (name->tid != tid) {
		*name = (struct name){ .tid = tid };
		process_comm(pid, tid, name->comm);
	}
	memcpy(comm, name->comm, sizeof(name->comm));
}

/* -------------------------------------------------------------- mappings -- */

static bool is_asked_for(const struct perf_stream *stream, const struct perf_mmap2 *mmap)
{
	size_t i;

	/* "[heap]", "[vdso]"; "//toolong" and "//enomem" are files */
	if (mmap->path[0] != '/' || !strcmp(mmap->path, "//anon"))
		return false;
	for (i = 0; i < stream->nr_pids; i++)
		if (stream->pids[i] == mmap->pid)
			return true;
	return !stream->nr_pids || stream->flags & BUILDID_SUB_CHILDREN;
}

static void set_state(struct file_state *state, const struct perf_mmap2 *mmap)
{
	/* That perf says nothing of a build-id does not say that there is none. */
	*state = (struct file_state){ .identity.reason = BUILDID_REASON_NOT_READ };
	if (!(mmap->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID)) {
		state->major = mmap->major;
		state->minor = mmap->minor;
		state->ino = mmap->ino;
	} else if (mmap->id_size <= sizeof(mmap->id) &&
		   build_id_set(&state->identity.id, mmap->id, mmap->id_size)) {
		state->identity.kind = BUILDID_KIND_GNU;
		state->identity.reason = BUILDID_REASON_NONE;
	}
}

/* Whether it had none before. */
static bool number_file(struct perf_stream *stream, struct buildid_file *file)
{
	size_t before;
	uint64_t id;

	if (stream->ids.count == FILES_MAX) {
		file_ids_free(&stream->ids);
		stream->ids = (struct file_ids){};
		stream->first_id += FILES_MAX;
	}
	before = stream->ids.count;
	id = file_ids_of(&stream->ids, file);
	file->file_id = id ? id + stream->first_id : 0;
	return stream->ids.count > before;
}

/* @time by perf's clock. */
static struct buildid_record header_of(struct perf_stream *stream, uint16_t type, size_t size,
				       uint64_t time)
{
	return (struct buildid_record){
		.type = type,
		.size = (uint32_t)size,
		.seq = ++stream->seq,
		.time_mono = time - (uint64_t)stream->clock.ahead,
		.time_perf = time,
	};
}

/* Whether the record is to be sent: each time with BUILDID_SUB_PATH, else once. */
static bool set_file(struct perf_stream *stream, const struct perf_mmap2 *mmap, uint64_t time)
{
	const bool deleted = is_marked_deleted(mmap->path);
	char *stripped = deleted ? strip_deleted(mmap->path) : NULL;
	const char *path = stripped ? stripped : mmap->path;
	struct buildid_file *file;
	struct file_state state;
	bool is_new;

	set_state(&state, mmap);
	/* perf's words for a path that it does not have */
	if (!strncmp(mmap->path, "//", 2))
		path = NULL;
	file = file_record_make(stream->file, &state, path);
	free(stripped);
	file->generation =
		mmap->header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID ? 0 : (uint32_t)mmap->generation;
	file->flags |= deleted ? BUILDID_FILE_DELETED : 0;
	file->flags |= !strncmp(mmap->path, "/memfd:", 7) ? BUILDID_FILE_MEMFD : 0;
	file->pid = mmap->pid;
	file->tid = mmap->tid;
	is_new = number_file(stream, file) || stream->flags & BUILDID_SUB_PATH;
	if (is_new)
		file->header = header_of(stream, BUILDID_RECORD_FILE, file->header.size, time);
	return is_new;
}

static struct start *start_of(struct perf_stream *stream, uint32_t pid)
{
	return &stream->starts[pid % NAMES];
}

/* Another process has its pid now. */
static void forget_start(struct perf_stream *stream, const struct perf_fork *fork)
{
	struct start *start = start_of(stream, fork->pid);

	if (fork->pid == fork->tid && start->pid == fork->pid)
		start->pid = 0;
}

/*
 * Not of a process that has the pid of one that is gone. That one keeps its start time, if it was
 * known, so that it is not taken for another; user and cgroup may have changed since.
 */
static void read_facts(struct perf_stream *stream, struct buildid_mmap *mmap)
{
	const uint64_t slept = clock_ns(CLOCK_BOOTTIME) - clock_ns(CLOCK_MONOTONIC);
	struct start *start = start_of(stream, mmap->pid);

	process_facts_read(mmap);
	if (mmap->start_time && mmap->start_time <= mmap->header.time_mono + slept) {
		*start = (struct start){ mmap->pid, mmap->start_time };
		return;
	}
	mmap->start_time = start->pid == mmap->pid ? start->time : 0;
	mmap->uid = ~0U;
	mmap->cgroup_id = 0;
}

static void set_mmap(struct perf_stream *stream, const struct perf_mmap2 *mmap, uint64_t time)
{
	const struct buildid_file *file = (const void *)stream->file;

	stream->mmap = (struct buildid_mmap){
		.header = header_of(stream, BUILDID_RECORD_MMAP, sizeof(stream->mmap), time),
		.pid = mmap->pid,
		.tid = mmap->tid,
		.addr = mmap->addr,
		.len = mmap->len,
		.pgoff = mmap->pgoff,
		.file_id = file->file_id,
		.prot = mmap->prot,
		.map_flags = mmap->flags & MAP_SHARED ? MAP_SHARED : MAP_PRIVATE,
		.state = file->file_id ? BUILDID_STATE_KNOWN : BUILDID_STATE_UNRESOLVED,
	};
	read_facts(stream, &stream->mmap);
	get_comm(stream, mmap->pid, mmap->tid, stream->mmap.comm);
}

/* A hole in seq, as with the module. Any of them may have been a mapping. */
static void set_lost(struct perf_stream *stream, uint64_t count, uint64_t time)
{
	stream->dropped += count;
	stream->seq += count;
	stream->lost = (struct buildid_lost){
		.header = header_of(stream, BUILDID_RECORD_LOST, sizeof(stream->lost), time),
		.ring_full = count,
		.ring_full_mmaps = count,
	};
}

/* What becomes of a record of perf, or NULL. */
static const struct buildid_record *take(struct perf_stream *stream, const void *record,
					 uint64_t time)
{
	const struct perf_event_header *header = record;

	switch (header->type) {
	case PERF_RECORD_MMAP2:
		if (!is_asked_for(stream, record))
			return NULL;
		stream->mmap_follows = set_file(stream, record, time);
		set_mmap(stream, record, time);
		return stream->mmap_follows ? (const void *)stream->file : &stream->mmap.header;
	case PERF_RECORD_COMM:
		set_comm(stream, record);
		return NULL;
	case PERF_RECORD_FORK:
		inherit_comm(stream, record);
		forget_start(stream, record);
		return NULL;
	case PERF_RECORD_LOST:
		set_lost(stream, ((const struct perf_lost *)record)->lost, time);
		return &stream->lost.header;
	default:
		return NULL;
	}
}

/* By perf's clock. */
static uint64_t stream_now(const struct perf_stream *stream)
{
	return clock_ns(CLOCK_MONOTONIC) + (uint64_t)stream->clock.ahead;
}

/* What was dropped after the last record: perf tells of it with the next one, and there is none. */
static int take_rest(struct perf_stream *stream, const struct buildid_record **record)
{
	uint64_t count;

	if (!stream->stopped)
		return -EAGAIN;
	if (stream->counted || !perf_rings_dropped(stream->rings, &count))
		return -ENODATA;
	stream->counted = true;
	if (count <= stream->dropped)
		return -ENODATA;
	set_lost(stream, count - stream->dropped, stream_now(stream));
	*record = &stream->lost.header;
	return 0;
}

int perf_stream_next(struct perf_stream *stream, const struct buildid_record **record)
{
	const struct perf_event_header *header;
	uint64_t until = UINT64_MAX, time;

	if (stream->kernel_follows) {
		stream->kernel_follows = false;
		*record = (const void *)stream->kernel;
		return 0;
	}
	if (stream->mmap_follows) {
		stream->mmap_follows = false;
		*record = &stream->mmap.header;
		return 0;
	}
	perf_clock_update(&stream->clock);
	if (!stream->stopped)
		until = stream_now(stream) - HOLD_NS;
	while ((header = perf_rings_next(stream->rings, until, &time))) {
		*record = take(stream, header, time);
		if (*record)
			return 0;
	}
	return take_rest(stream, record);
}

void perf_stream_stop(struct perf_stream *stream)
{
	perf_rings_stop(stream->rings);
	stream->stopped = true;
}

bool perf_stream_losses_known(const struct perf_stream *stream)
{
	return stream->counted;
}

/* ------------------------------------------------------------------ open -- */

/* An event is of a thread, and of those that it makes. */
static int add_threads(uint32_t **tids, size_t *count, uint32_t pid)
{
	struct dirent *entry;
	DIR *directory;
	char path[64];
	int err = 0;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task", pid);
	directory = opendir(path);
	if (!directory)
		return -ESRCH;
	while (!err && (entry = readdir(directory))) {
		if (!isdigit((unsigned char)*entry->d_name))
			continue;
		if (!array_reserve(*tids, *count))
			err = -ENOMEM;
		else
			(*tids)[(*count)++] = (uint32_t)strtoul(entry->d_name, NULL, 10);
	}
	closedir(directory);
	return err;
}

/* Names of before, as no record tells them. What is renamed meanwhile has a record. */
static void learn_names(struct perf_stream *stream, uint32_t pid)
{
	uint32_t *tids = NULL;
	size_t count = 0, i;
	uint8_t comm[16];

	add_threads(&tids, &count, pid);
	for (i = 0; i < count; i++)
		get_comm(stream, pid, tids[i], comm);
	free(tids);
}

static void learn_all_names(struct perf_stream *stream)
{
	DIR *directory = opendir("/proc");
	struct dirent *entry;

	while (directory && (entry = readdir(directory)))
		if (isdigit((unsigned char)*entry->d_name))
			learn_names(stream, (uint32_t)strtoul(entry->d_name, NULL, 10));
	if (directory)
		closedir(directory);
}

/* It is the same as long as the machine runs. */
static void add_kernel(struct perf_stream *stream)
{
	struct buildid_image *image = kernel_record_make(stream->kernel);

	if (!image)
		return;
	image->header.seq = ++stream->seq;
	image->header.time_perf = stream_now(stream);
	image->header.time_mono = image->header.time_perf - (uint64_t)stream->clock.ahead;
	stream->kernel_follows = true;
}

static int open_rings(struct perf_stream *stream, const struct buildid_options *options)
{
	uint32_t *tids = NULL;
	size_t count = 0, i;
	int err = 0;

	for (i = 0; i < stream->nr_pids && !err; i++)
		err = add_threads(&tids, &count, stream->pids[i]);
	if (!err)
		err = perf_rings_open(&stream->rings, tids, count,
				      options->flags & BUILDID_SUB_DATA, options->ring_size);
	free(tids);
	if (!err && !stream->nr_pids)
		learn_all_names(stream);
	for (i = 0; i < stream->nr_pids && !err; i++)
		learn_names(stream, stream->pids[i]);
	return err;
}

int perf_stream_open(struct perf_stream **stream, const struct buildid_options *options)
{
	struct perf_stream *new = calloc(1, sizeof(*new));
	int err = -ENOMEM;
	size_t i;

	*stream = NULL;
	if (!new)
		return err;
	new->flags = options->flags;
	new->first_id = FIRST_ID;
	new->pids = calloc(options->nr_pids + 1, sizeof(*new->pids));
	if (new->pids)
		err = perf_clock_open(&new->clock);
	if (!err) {
		for (i = 0; i < options->nr_pids; i++)
			new->pids[i] = options->pids[i];
		new->nr_pids = options->nr_pids;
		err = open_rings(new, options);
	}
	if (!err && options->flags & BUILDID_SUB_KERNEL)
		add_kernel(new);
	if (err) {
		perf_stream_close(new);
		return err;
	}
	*stream = new;
	return 0;
}

void perf_stream_close(struct perf_stream *stream)
{
	if (!stream)
		return;
	perf_rings_close(stream->rings);
	perf_clock_close(&stream->clock);
	file_ids_free(&stream->ids);
	free(stream->pids);
	free(stream);
}

int64_t perf_stream_ahead(const struct perf_stream *stream)
{
	return stream->clock.ahead;
}

int perf_stream_fd(const struct perf_stream *stream)
{
	return perf_rings_fd(stream->rings);
}
