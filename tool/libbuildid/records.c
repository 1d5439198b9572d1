// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Records: what makes one well-formed, and the words for their numbers.
 *
 * Records come from a kernel, but also from logs, and logs from anybody.
 */

#include <errno.h>
#include <string.h>

#include "internal.h"

static size_t aligned(size_t size)
{
	return (size + 7) & ~(size_t)7;
}

/* The path of @length bytes at @offset in a record of @size bytes. */
static const char *path_at(const void *record, size_t size, size_t offset, size_t length)
{
	const char *path = (const char *)record + offset;

	if (!length)
		return "";
	if (offset > size || length >= size - offset)
		return NULL;
	return memchr(path, '\0', length + 1) == path + length ? path : NULL;
}

/* The identity of @length bytes at @offset in a record; NULL when there is none. */
static const uint8_t *id_at(const struct buildid_record *record, size_t offset, size_t length,
			    size_t *size)
{
	*size = 0;
	if (!length || length > BUILDID_ID_MAX || record->size < offset + length)
		return NULL;

	*size = length;
	return (const uint8_t *)record + offset;
}

const uint8_t *buildid_file_id_bytes(const struct buildid_file *file, size_t *size)
{
	return id_at(&file->header, file->data_off, file->id_len, size);
}

const uint8_t *buildid_image_id_bytes(const struct buildid_image *image, size_t *size)
{
	return id_at(&image->header, image->data_off, image->id_len, size);
}

const uint8_t *buildid_cookie_id_bytes(const struct buildid_cookie *cookie, size_t *size)
{
	return id_at(&cookie->header, cookie->data_off, cookie->id_len, size);
}

const char *buildid_image_name(const struct buildid_image *image)
{
	return path_at(image, image->header.size, image->data_off + aligned(image->id_len),
		       image->name_len);
}

const char *buildid_file_path(const struct buildid_file *file)
{
	return path_at(file, file->header.size, file->data_off + aligned(file->id_len),
		       file->path_len);
}

const char *buildid_mmap_path(const struct buildid_mmap *mmap)
{
	return path_at(mmap, mmap->header.size, mmap->data_off, mmap->path_len);
}

/* What was published at first is there; what came later may be, before the data. */
static bool has_data(const struct buildid_record *record, size_t least, size_t data_off)
{
	return record->size >= least && data_off >= least && data_off <= record->size &&
	       data_off % 8 == 0;
}

static int check_file(const struct buildid_file *file)
{
	size_t id_size;

	if (!has_data(&file->header, STRUCT_LEAST(buildid_file, reserved), file->data_off))
		return -EBADMSG;
	if ((file->kind == BUILDID_KIND_NONE) != !file->id_len)
		return -EBADMSG;
	if (file->id_len && !buildid_file_id_bytes(file, &id_size))
		return -EBADMSG;
	return buildid_file_path(file) ? 0 : -EBADMSG;
}

static int check_image(const struct buildid_image *image)
{
	size_t id_size;

	if (!has_data(&image->header, STRUCT_LEAST(buildid_image, reserved), image->data_off))
		return -EBADMSG;
	if ((image->kind == BUILDID_KIND_NONE) != !image->id_len)
		return -EBADMSG;
	if (image->id_len && !buildid_image_id_bytes(image, &id_size))
		return -EBADMSG;
	return buildid_image_name(image) ? 0 : -EBADMSG;
}

static int check_cookie(const struct buildid_cookie *cookie)
{
	size_t id_size;

	if (!has_data(&cookie->header, STRUCT_LEAST(buildid_cookie, comm), cookie->data_off))
		return -EBADMSG;
	if (!memchr(cookie->comm, '\0', sizeof(cookie->comm)))
		return -EBADMSG;
	if ((cookie->kind == BUILDID_KIND_NONE) != !cookie->id_len)
		return -EBADMSG;
	if (cookie->id_len && !buildid_cookie_id_bytes(cookie, &id_size))
		return -EBADMSG;
	return 0;
}

static int check_mmap(const struct buildid_mmap *mmap)
{
	if (!has_data(&mmap->header, STRUCT_LEAST(buildid_mmap, comm), mmap->data_off))
		return -EBADMSG;
	if (!memchr(mmap->comm, '\0', sizeof(mmap->comm)))
		return -EBADMSG;
	return buildid_mmap_path(mmap) ? 0 : -EBADMSG;
}

static int check_task(const struct buildid_task *task)
{
	if (task->header.size < STRUCT_LEAST(buildid_task, comm))
		return -EBADMSG;
	return memchr(task->comm, '\0', sizeof(task->comm)) ? 0 : -EBADMSG;
}

int buildid_record_check(const void *bytes, size_t size)
{
	const struct buildid_record *record = bytes;

	if ((uintptr_t)bytes % 8)
		return -EINVAL;
	if (size < sizeof(*record) || record->size < sizeof(*record) || record->size > size ||
	    record->size % 8)
		return -EBADMSG;

	switch (record->type) {
	case BUILDID_RECORD_FILE:
		return check_file(bytes);
	case BUILDID_RECORD_MMAP:
		return check_mmap(bytes);
	case BUILDID_RECORD_KERNEL:
	case BUILDID_RECORD_MODULE:
		return check_image(bytes);
	case BUILDID_RECORD_COOKIE:
		return check_cookie(bytes);
	case BUILDID_RECORD_LOST:
		return record->size < STRUCT_LEAST(buildid_lost, missed_probe) ? -EBADMSG : 0;
	case BUILDID_RECORD_FORK:
	case BUILDID_RECORD_EXEC:
	case BUILDID_RECORD_EXIT:
		return check_task(bytes);
	default:
		return 0;
	}
}

static const char *name_of(const char *const *names, size_t count, unsigned int number)
{
	return number < count && names[number] ? names[number] : "unknown";
}

#define NAME_OF(names, number) name_of(names, ARRAY_SIZE(names), number)

const char *buildid_type_name(unsigned int type)
{
	static const char *const names[] = {
		[BUILDID_RECORD_FILE] = "file",	    [BUILDID_RECORD_MMAP] = "mmap",
		[BUILDID_RECORD_KERNEL] = "kernel", [BUILDID_RECORD_MODULE] = "module",
		[BUILDID_RECORD_COOKIE] = "cookie", [BUILDID_RECORD_LOST] = "lost",
		[BUILDID_RECORD_FORK] = "fork",	    [BUILDID_RECORD_EXEC] = "exec",
		[BUILDID_RECORD_EXIT] = "exit",
	};

	return NAME_OF(names, type);
}

const char *buildid_kind_name(unsigned int kind)
{
	static const char *const names[] = {
		[BUILDID_KIND_NONE] = "none",
		[BUILDID_KIND_GNU] = "gnu",
		[BUILDID_KIND_GO] = "go",
		[BUILDID_KIND_HTLHASH] = "htlhash",
		[BUILDID_KIND_FSVERITY] = "fsverity",
		[BUILDID_KIND_COOKIE] = "cookie",
	};

	return NAME_OF(names, kind);
}

const char *buildid_reason_name(unsigned int reason)
{
	static const char *const names[] = {
		[BUILDID_REASON_NOT_ELF] = "not-elf",
		[BUILDID_REASON_NO_NOTE] = "no-note",
		[BUILDID_REASON_TRUNCATED] = "truncated",
		[BUILDID_REASON_MALFORMED] = "malformed",
		[BUILDID_REASON_LIMIT] = "limit",
		[BUILDID_REASON_IO] = "io-error",
		[BUILDID_REASON_PENDING] = "pending",
		[BUILDID_REASON_DEFERRED] = "deferred",
		[BUILDID_REASON_NOT_REGULAR] = "not-regular",
		[BUILDID_REASON_SECRET] = "secretmem",
		[BUILDID_REASON_HUGETLB] = "hugetlb",
		[BUILDID_REASON_CHANGING] = "changing",
		[BUILDID_REASON_UNREADABLE] = "unreadable",
	};

	if (reason == BUILDID_REASON_NONE)
		return NULL;
	return NAME_OF(names, reason);
}
