// SPDX-License-Identifier: GPL-2.0
/* What the header promises of a record, and of those of a stream. */

#include "fuzz.h"

static size_t pad8(size_t n)
{
	return (n + 7) & ~(size_t)7;
}

static size_t padded_text(size_t len)
{
	return len ? pad8(len + 1) : 0;
}

static bool all_zero(const uint8_t *from, const uint8_t *to)
{
	while (from < to)
		if (*from++)
			return false;
	return true;
}

/* A name with a NUL, and zeros behind it. */
static bool good_comm(const uint8_t *comm)
{
	size_t len = strnlen((const char *)comm, 16);

	return len < 16 && all_zero(comm + len, comm + 16);
}

/*
 * What varies in length: @first bytes, then a text of @second with a NUL, each with zeros up to
 * a multiple of 8, and nothing behind them.
 */
static bool good_data(const struct buildid_record *record, size_t fixed, size_t off, size_t first,
		      size_t second)
{
	const uint8_t *at = (const uint8_t *)record + off, *text = at + pad8(first);

	return off == fixed && record->size == off + pad8(first) + padded_text(second) &&
	       all_zero(at + first, text) && !memchr(text, 0, second) &&
	       all_zero(text + second, text + padded_text(second));
}

static bool good_identity(uint16_t kind, uint16_t len)
{
	switch (kind) {
	case BUILDID_KIND_NONE:
		return !len;
	case BUILDID_KIND_HTLHASH:
		return len == 16;
	case BUILDID_KIND_FSVERITY:
		return len == 32 || len == 64;
	default:
		return kind <= BUILDID_KIND_COOKIE && len && len <= BUILDID_ID_MAX;
	}
}

static const char *bad_file(const struct buildid_file *file)
{
	if (!good_data(&file->header, sizeof(*file), file->data_off, file->id_len, file->path_len))
		return "sizes or padding";
	if (file->reserved[0] | file->reserved[1] | file->reserved[2])
		return "reserved";
	if (!good_identity(file->kind, file->id_len))
		return "kind and id_len";
	if (file->reason > BUILDID_REASON_DENIED ||
	    (file->kind == BUILDID_KIND_GNU) != (file->reason == BUILDID_REASON_NONE))
		return "kind and reason";
	if (!file->pid != !file->tid)
		return "pid and tid";
	if (file->flags >= BUILDID_FILE_FUSE << 1 ||
	    (file->flags & BUILDID_FILE_NO_PATH && file->path_len))
		return "flags";
	return NULL;
}

static const char *bad_mmap(const struct buildid_mmap *map)
{
	if (map->header.size != sizeof(*map))
		return "size";
	if (map->prot > 7 || (map->map_flags != 1 && map->map_flags != 2))
		return "prot or map_flags";
	if (map->state > BUILDID_STATE_UNRESOLVED ||
	    (map->state == BUILDID_STATE_FOLLOWS && !map->file_id) ||
	    (map->state == BUILDID_STATE_UNRESOLVED && map->file_id))
		return "state";
	if (!map->pid || !map->tid || !map->len || (map->addr | map->len) % 4096)
		return "pid, tid, addr or len";
	return good_comm(map->comm) ? NULL : "comm";
}

static const char *bad_image(const struct buildid_image *image)
{
	if (!good_data(&image->header, sizeof(*image), image->data_off, image->id_len,
		       image->name_len))
		return "sizes or padding";
	if (image->reserved || image->flags > BUILDID_IMAGE_UNLOAD)
		return "reserved or flags";
	if (!good_identity(image->kind, image->id_len) ||
	    (image->kind == BUILDID_KIND_GNU) != (image->reason == BUILDID_REASON_NONE))
		return "kind, reason and id_len";
	return image->name_len ? NULL : "name_len";
}

static const char *bad_cookie(const struct buildid_cookie *cookie)
{
	if (!good_data(&cookie->header, sizeof(*cookie), cookie->data_off, cookie->id_len, 0))
		return "sizes or padding";
	if (cookie->reserved || !cookie->len || !good_identity(cookie->kind, cookie->id_len))
		return "reserved, len, kind or id_len";
	return good_comm(cookie->comm) ? NULL : "comm";
}

static const char *bad_task(const struct buildid_task *task)
{
	bool fork = task->header.type == BUILDID_RECORD_FORK;

	if (task->header.size != sizeof(*task))
		return "size";
	if (task->flags > BUILDID_TASK_SHARES_MM || (task->flags && !fork) ||
	    (task->parent_start_time && !fork) || (task->parent_pid && !fork))
		return "flags or parent";
	if (task->exit_code && task->header.type != BUILDID_RECORD_EXIT)
		return "exit_code";
	return good_comm(task->comm) ? NULL : "comm";
}

/* NULL, or what is wrong; all of @record is there. */
static const char *bad_record(const struct buildid_record *record)
{
	switch (record->type) {
	case BUILDID_RECORD_FILE:
		return bad_file((const void *)record);
	case BUILDID_RECORD_MMAP:
		return bad_mmap((const void *)record);
	case BUILDID_RECORD_KERNEL:
	case BUILDID_RECORD_MODULE:
		return bad_image((const void *)record);
	case BUILDID_RECORD_COOKIE:
		return bad_cookie((const void *)record);
	case BUILDID_RECORD_LOST:
		return record->size == sizeof(struct buildid_lost) ? NULL : "size";
	case BUILDID_RECORD_FORK:
	case BUILDID_RECORD_EXEC:
	case BUILDID_RECORD_EXIT:
	case BUILDID_RECORD_COMM:
		return bad_task((const void *)record);
	default:
		return "type";
	}
}

static size_t least(uint16_t type)
{
	static const size_t sizes[RECORD_TYPES] = {
		[BUILDID_RECORD_FILE] = sizeof(struct buildid_file),
		[BUILDID_RECORD_MMAP] = sizeof(struct buildid_mmap),
		[BUILDID_RECORD_KERNEL] = sizeof(struct buildid_image),
		[BUILDID_RECORD_MODULE] = sizeof(struct buildid_image),
		[BUILDID_RECORD_COOKIE] = sizeof(struct buildid_cookie),
	};

	return type < RECORD_TYPES ? sizes[type] : 0;
}

static void remember(struct fuzz *f, const struct buildid_file *file)
{
	if (file->file_id)
		f->keys[f->nr_keys++ % KEYS] = *file;
}

/* Of the record at @at, of which @size bytes are there. Returns its size, 0 with a finding. */
size_t check_record(struct fuzz *f, const void *at, size_t size)
{
	const struct buildid_record *record = at;
	const char *what;

	if (size < sizeof(*record) || record->size > size || record->size < sizeof(*record) ||
	    record->size % 8 || record->size > BUILDID_RECORD_MAX ||
	    record->size < least(record->type) || record->flags > BUILDID_RECORD_SNAPSHOT) {
		finding(f, "record of type %u: size %u of %zu, or flags %#x", record->type,
			record->size, size, record->flags);
		return 0;
	}
	what = bad_record(record);
	if (what) {
		finding(f, "record of type %u: %s", record->type, what);
		return 0;
	}
	check_poison(f, record, record->size, "record");
	__atomic_add_fetch(&counts->records[record->type], 1, __ATOMIC_RELAXED);
	if (record->type == BUILDID_RECORD_FILE)
		remember(f, at);
	return record->size;
}

/* Whole records, as they follow those that the stream had before. */
void check_stream(struct fuzz *f, struct stream *stream, const void *at, size_t size)
{
	const uint8_t *from = at, *end = from + size;

	while (from < end && !stop) {
		const struct buildid_record *record = (const void *)from;
		size_t n = check_record(f, from, (size_t)(end - from));
		uint64_t hole = record->seq - stream->seq - 1, lost = 0;

		if (!n)
			return;
		if (record->type == BUILDID_RECORD_LOST)
			lost = ((const struct buildid_lost *)record)->ring_full;
		if (!options.racing && stream->known &&
		    (record->seq <= stream->seq || hole != lost))
			finding(f, "seq %llu after %llu, and %llu lost",
				(unsigned long long)record->seq, (unsigned long long)stream->seq,
				(unsigned long long)lost);
		stream->seq = record->seq;
		stream->known = true;
		__atomic_add_fetch(&counts->lost, lost, __ATOMIC_RELAXED);
		from += n;
	}
}
