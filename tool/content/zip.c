// SPDX-License-Identifier: GPL-2.0
/*
 * Zip: the end of the file points to the central directory, and that to the members. Offsets do not
 * count a prefix, such as the script of a zipapp.
 */

#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "zip.h"

/* Enough for 65,535 members; more require zip64. */
#define DIRECTORY_MAX (16U << 20)
#define COMMENT_MAX   UINT16_MAX

/* Little endian, without padding. */
struct end {
	uint8_t signature[4];
	uint16_t disks[2];
	uint16_t entries_here, entries;
	uint32_t size, offset; /* of the directory */
	uint16_t comment;
} __attribute__((packed));

struct entry {
	uint8_t signature[4];
	uint16_t versions[2];
	uint16_t flags;
	uint16_t method;
	uint32_t changed, crc;
	uint32_t compressed, size;
	uint16_t name, extra, comment; /* bytes after this */
	uint16_t disk, attributes;
	uint32_t more_attributes;
	uint32_t header; /* offset of a struct local */
} __attribute__((packed));

struct local {
	uint8_t signature[4];
	uint16_t version, flags, method;
	uint32_t changed, crc;
	uint32_t compressed, size;
	uint16_t name, extra; /* bytes between this and the member's */
} __attribute__((packed));

static const uint8_t end_signature[] = { 'P', 'K', 5, 6 };
static const uint8_t entry_signature[] = { 'P', 'K', 1, 2 };
static const uint8_t local_signature[] = { 'P', 'K', 3, 4 };

struct directory {
	uint8_t *bytes; /* owned */
	size_t size;
	uint64_t base; /* where the zip begins in the file */
};

static bool read_at(int fd, uint64_t offset, void *bytes, size_t size)
{
	return pread(fd, bytes, size, (off_t)offset) == (ssize_t)size;
}

/* Find the last end record in the last @size bytes; a comment may contain another one. */
static bool find_end(const uint8_t *tail, size_t size, size_t *at, struct end *end)
{
	size_t i;

	for (i = size; i-- > 0;) {
		if (size - i < sizeof(*end) ||
		    memcmp(tail + i, end_signature, sizeof(end_signature)) != 0)
			continue;
		memcpy(end, tail + i, sizeof(*end));
		*at = i;
		if (le16toh(end->comment) <= size - i - sizeof(*end))
			return true;
	}
	return false;
}

static bool read_end(int fd, uint64_t file_size, uint64_t *at, struct end *end)
{
	size_t size = sizeof(*end) + COMMENT_MAX, in_tail;
	uint8_t *tail;
	bool found;

	if (size > file_size)
		size = file_size;
	tail = malloc(size);
	found = tail && read_at(fd, file_size - size, tail, size) &&
		find_end(tail, size, &in_tail, end);
	free(tail);
	if (found)
		*at = file_size - size + in_tail;
	return found;
}

/* The directory ends where the end record begins. */
static bool read_directory(int fd, struct directory *directory)
{
	struct stat status;
	struct end end;
	uint64_t at;

	if (fstat(fd, &status) || !read_end(fd, (uint64_t)status.st_size, &at, &end))
		return false;
	directory->size = le32toh(end.size);
	if (directory->size > DIRECTORY_MAX || directory->size > at ||
	    le32toh(end.offset) > at - directory->size)
		return false;
	at -= directory->size;
	directory->base = at - le32toh(end.offset);
	directory->bytes = malloc(directory->size);
	if (directory->bytes && read_at(fd, at, directory->bytes, directory->size))
		return true;
	free(directory->bytes);
	return false;
}

/* False at the end, and at an invalid entry. */
static bool next_entry(const struct directory *directory, size_t *at, struct entry *entry)
{
	size_t left = directory->size - *at, size;

	if (left < sizeof(*entry))
		return false;
	memcpy(entry, directory->bytes + *at, sizeof(*entry));
	if (memcmp(entry->signature, entry_signature, sizeof(entry_signature)) != 0)
		return false;
	size = sizeof(*entry) + le16toh(entry->name) + le16toh(entry->extra) +
	       le16toh(entry->comment);
	if (size > left)
		return false;
	*at += size;
	return true;
}

/* @header is 0 at first. */
static bool find_entry(const struct directory *directory, uint64_t offset, uint64_t *header,
		       char **name)
{
	const uint8_t *found = NULL;
	size_t at = 0, from = 0, length = 0;
	struct entry entry;

	for (; next_entry(directory, &at, &entry); from = at) {
		uint64_t here = directory->base + le32toh(entry.header);

		if (entry.method || here > offset || here < *header)
			continue;
		found = directory->bytes + from + sizeof(entry);
		length = le16toh(entry.name);
		*header = here;
	}
	*name = found ? strndup((const char *)found, length) : NULL;
	return *name;
}

static bool find_start(int fd, uint64_t header, uint64_t *start)
{
	struct local local;

	if (!read_at(fd, header, &local, sizeof(local)) ||
	    memcmp(local.signature, local_signature, sizeof(local_signature)) != 0)
		return false;
	*start = header + sizeof(local) + le16toh(local.name) + le16toh(local.extra);
	return true;
}

bool zip_find(int fd, uint64_t offset, struct zip_member *member)
{
	struct directory directory;
	uint64_t header = 0;
	bool found;

	if (!read_directory(fd, &directory))
		return false;
	found = find_entry(&directory, offset, &header, &member->name);
	free(directory.bytes);
	if (!found)
		return false;
	if (find_start(fd, header, &member->start) && member->start <= offset)
		return true;
	free(member->name);
	return false;
}

void zip_each(int fd, bool (*take)(void *data, const struct zip_member *member), void *data)
{
	struct zip_member member;
	struct directory directory;
	size_t at = 0, from = 0;
	struct entry entry;
	bool more = true;

	if (!read_directory(fd, &directory))
		return;
	for (; more && next_entry(&directory, &at, &entry); from = at) {
		if (entry.method ||
		    !find_start(fd, directory.base + le32toh(entry.header), &member.start))
			continue;
		member.name = strndup((const char *)directory.bytes + from + sizeof(entry),
				      le16toh(entry.name));
		more = member.name && take(data, &member);
		free(member.name);
	}
	free(directory.bytes);
}
