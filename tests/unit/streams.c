// SPDX-License-Identifier: GPL-2.0
/* Streams: records as the module writes them, with values that tests can expect. */

#include <string.h>
#include <sys/mman.h>

#include "streams.h"

static uint32_t padded(size_t size)
{
	return (uint32_t)(size + 7) & ~7U;
}

uint16_t make_extra;

unsigned char *data_of(union any_record *record)
{
	switch (record->header.type) {
	case BUILDID_RECORD_FILE:
		return record->bytes + record->file.data_off;
	case BUILDID_RECORD_COOKIE:
		return record->bytes + record->cookie.data_off;
	default:
		return record->bytes + record->image.data_off;
	}
}

static void make_header(union any_record *record, uint16_t type, uint32_t size)
{
	memset(record, 0, sizeof(*record));
	record->header.type = type;
	record->header.size = size + make_extra;
	record->header.seq = 1;
	record->header.time_mono = 1000;
	record->header.time_perf = 2000;
}

static uint32_t path_room(const char *path)
{
	return *path ? padded(strlen(path) + 1) : 0;
}

static void make_id(uint8_t *id, uint16_t length)
{
	unsigned int i;

	for (i = 0; i < length; i++)
		id[i] = (uint8_t)(0x10 + i);
}

void make_file(union any_record *record, uint64_t file_id, uint16_t id_len, uint16_t reason,
	       const char *path)
{
	struct buildid_file *file = &record->file;
	uint32_t room = padded(id_len);

	make_header(record, BUILDID_RECORD_FILE, (uint32_t)sizeof(*file) + room + path_room(path));
	file->file_id = file_id;
	file->ino = file->user_ino = 4711;
	file->dev_major = file->user_dev_major = 8;
	file->dev_minor = file->user_dev_minor = 1;
	file->generation = 99;
	file->mtime = 1700000000000000000;
	file->file_size = 123456;
	file->kind = id_len ? BUILDID_KIND_GNU : BUILDID_KIND_NONE;
	file->reason = reason;
	file->id_len = id_len;
	file->path_len = (uint16_t)strlen(path);
	file->data_off = (uint16_t)sizeof(*file) + make_extra;
	make_id(data_of(record), id_len);
	memcpy(data_of(record) + room, path, strlen(path));
}

void make_mmap(union any_record *record, uint64_t file_id, uint32_t state, uint32_t pid)
{
	struct buildid_mmap *mmap = &record->mmap;

	make_header(record, BUILDID_RECORD_MMAP, sizeof(*mmap));
	mmap->pid = pid;
	mmap->tid = pid + 1;
	mmap->addr = 0x7f0000001000;
	mmap->len = 0x2000;
	mmap->pgoff = 0x1000;
	mmap->file_id = file_id;
	mmap->prot = PROT_READ | PROT_EXEC;
	mmap->map_flags = MAP_PRIVATE;
	mmap->state = state;
	mmap->start_time = 1000000 + pid;
	mmap->cgroup_id = 77;
	mmap->uid = 1000;
	memcpy(mmap->comm, "worker", 7);
}

void make_image(union any_record *record, uint16_t type, uint16_t id_len, const char *name)
{
	struct buildid_image *image = &record->image;
	uint32_t room = padded(id_len);

	make_header(record, type, (uint32_t)sizeof(*image) + room + path_room(name));
	image->addr = 0xffffffff81000000;
	image->len = 0x1000000;
	image->kind = id_len ? BUILDID_KIND_GNU : BUILDID_KIND_NONE;
	image->reason = id_len ? BUILDID_REASON_NONE : BUILDID_REASON_NO_NOTE;
	image->id_len = id_len;
	image->name_len = (uint16_t)strlen(name);
	image->data_off = (uint16_t)sizeof(*image) + make_extra;
	make_id(data_of(record), id_len);
	memcpy(data_of(record) + room, name, strlen(name));
}

void make_cookie(union any_record *record, uint32_t pid, uint16_t id_len)
{
	struct buildid_cookie *cookie = &record->cookie;

	make_header(record, BUILDID_RECORD_COOKIE, (uint32_t)sizeof(*cookie) + padded(id_len));
	cookie->pid = pid;
	cookie->tid = pid + 1;
	cookie->addr = 0x7f0000001000;
	cookie->len = 0x2000;
	cookie->kind = id_len ? BUILDID_KIND_COOKIE : BUILDID_KIND_NONE;
	cookie->id_len = id_len;
	cookie->start_time = 1000000 + pid;
	cookie->data_off = (uint16_t)sizeof(*cookie) + make_extra;
	memcpy(cookie->comm, "worker", 7);
	make_id(data_of(record), id_len);
}

void make_process(union any_record *record, uint16_t type, uint32_t pid, uint32_t parent)
{
	struct buildid_task *task = &record->task;

	make_header(record, type, sizeof(*task));
	task->pid = task->tid = pid;
	task->start_time = 1000000 + pid;
	task->parent_pid = parent;
	task->parent_start_time = parent ? 1000000 + parent : 0;
	memcpy(task->comm, "worker", 7);
}

void make_lost(union any_record *record, uint64_t ring_full)
{
	make_header(record, BUILDID_RECORD_LOST, sizeof(record->lost));
	record->lost.ring_full = ring_full;
	record->lost.ring_full_mmaps = ring_full;
}
