// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Records: checks that they are well-formed, finds their variable parts, and names their numbers.
 *
 * A record comes from the kernel or from a log, and a log may come from anybody. So each length is
 * checked before it is used, even if the record was not checked as a whole.
 */

#include <errno.h>
#include <string.h>

#include "internal.h"

/* The text of @length bytes and a NUL at @offset; NULL if it is malformed. */
static const char *text_at(const struct buildid_record *record, size_t offset, size_t length)
{
	const char *text = (const char *)record + offset;

	if (!length)
		return "";
	if (offset > record->size || length >= record->size - offset)
		return NULL;
	return memchr(text, '\0', length + 1) == text + length ? text : NULL;
}

/* The identity of @length bytes at @offset; NULL when there is none. */
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
	return text_at(&image->header, image->data_off + align8(image->id_len), image->name_len);
}

const char *buildid_file_path(const struct buildid_file *file)
{
	return text_at(&file->header, file->data_off + align8(file->id_len), file->path_len);
}

/* The first published fields are all there, and the data comes after them. */
static bool has_data(const struct buildid_record *record, size_t min_size, size_t data_off)
{
	return record->size >= min_size && data_off >= min_size && data_off <= record->size &&
	       data_off % 8 == 0;
}

/* There is an identity if and only if there is a kind. */
static bool has_id(const struct buildid_record *record, unsigned int kind, size_t offset,
		   size_t length)
{
	size_t size;

	if (kind == BUILDID_KIND_NONE)
		return !length;
	return id_at(record, offset, length, &size);
}

static bool is_file(const struct buildid_file *file)
{
	return has_data(&file->header, offsetofend(buildid_file, reserved), file->data_off) &&
	       has_id(&file->header, file->kind, file->data_off, file->id_len) &&
	       buildid_file_path(file);
}

static bool is_image(const struct buildid_image *image)
{
	return has_data(&image->header, offsetofend(buildid_image, reserved), image->data_off) &&
	       has_id(&image->header, image->kind, image->data_off, image->id_len) &&
	       buildid_image_name(image);
}

static bool is_cookie(const struct buildid_cookie *cookie)
{
	return has_data(&cookie->header, offsetofend(buildid_cookie, comm), cookie->data_off) &&
	       has_id(&cookie->header, cookie->kind, cookie->data_off, cookie->id_len) &&
	       memchr(cookie->comm, '\0', sizeof(cookie->comm));
}

static bool is_mmap(const struct buildid_mmap *mmap)
{
	return mmap->header.size >= offsetofend(buildid_mmap, comm) &&
	       memchr(mmap->comm, '\0', sizeof(mmap->comm));
}

static bool is_task(const struct buildid_task *task)
{
	return task->header.size >= offsetofend(buildid_task, comm) &&
	       memchr(task->comm, '\0', sizeof(task->comm));
}

static bool is_well_formed(const struct buildid_record *record)
{
	const void *bytes = record;

	switch (record->type) {
	case BUILDID_RECORD_FILE:
		return is_file(bytes);
	case BUILDID_RECORD_MMAP:
		return is_mmap(bytes);
	case BUILDID_RECORD_KERNEL:
	case BUILDID_RECORD_MODULE:
		return is_image(bytes);
	case BUILDID_RECORD_COOKIE:
		return is_cookie(bytes);
	case BUILDID_RECORD_LOST:
		return record->size >= offsetofend(buildid_lost, missed_probe);
	case BUILDID_RECORD_FORK:
	case BUILDID_RECORD_EXEC:
	case BUILDID_RECORD_EXIT:
	case BUILDID_RECORD_COMM:
		return is_task(bytes);
	default:
		return true;
	}
}

int buildid_record_check(const void *bytes, size_t size)
{
	const struct buildid_record *record = bytes;

	if ((uintptr_t)bytes % 8)
		return -EINVAL;
	if (size < sizeof(*record) || record->size < sizeof(*record) || record->size > size ||
	    record->size % 8)
		return -EBADMSG;
	return is_well_formed(record) ? 0 : -EBADMSG;
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
		[BUILDID_RECORD_EXIT] = "exit",	    [BUILDID_RECORD_COMM] = "comm",
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
		[BUILDID_REASON_INTERRUPTED] = "interrupted",
		[BUILDID_REASON_NOT_READ] = "not-read",
		[BUILDID_REASON_NOT_REGULAR] = "not-regular",
		[BUILDID_REASON_SECRET] = "secretmem",
		[BUILDID_REASON_HUGETLB] = "hugetlb",
		[BUILDID_REASON_CHANGING] = "changing",
		[BUILDID_REASON_UNREADABLE] = "unreadable",
		[BUILDID_REASON_PSEUDO] = "pseudo",
		[BUILDID_REASON_ANONYMOUS] = "anonymous",
		[BUILDID_REASON_DENIED] = "denied",
	};

	if (reason == BUILDID_REASON_NONE)
		return NULL;
	return NAME_OF(names, reason);
}
