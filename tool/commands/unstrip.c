// SPDX-License-Identifier: GPL-2.0
/*
 * Unstrip: what eu-unstrip finds out by opening paths, from the identities of
 * what is mapped. A file is opened only for where its note lies in memory, and
 * only when its content is that.
 */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/hex.h"
#include "content/elf_file.h"
#include "content/mapped_files.h"
#include "content/vdso.h"
#include "print.h"
#include "unstrip.h"

#define DEBUG_DIRECTORY "/usr/lib/debug/.build-id"

struct unstrip {
	struct output *out;
	uint32_t pid; /* 0: none yet */

	/* The file that mappings are of. */
	bool open;
	uint64_t start, end;
	uint64_t first_end; /* of the first mapping */
	uint64_t pgoff;	    /* likewise */

	uint64_t vdso, vdso_end; /* 0 when it was shown, or there is none */

	uint64_t record[BUILDID_RECORD_MAX / sizeof(uint64_t)];
};

static const struct buildid_file *file_of(const struct unstrip *unstrip)
{
	return (const void *)unstrip->record;
}

struct unstrip *unstrip_new(struct output *out)
{
	struct unstrip *unstrip = calloc(1, sizeof(*unstrip));

	if (unstrip)
		unstrip->out = out;
	return unstrip;
}

void unstrip_free(struct unstrip *unstrip)
{
	free(unstrip);
}

/* ---------------------------------------------------------------- lines -- */

/* What there is to know of a line beside its range; "-" for what is not. */
struct row {
	char id[2 * BUILDID_ID_MAX + 1 + 2 + 16 + 1];
	const char *file;
	const char *debug;
	char name[PATH_MAX + sizeof(" (deleted)")];
};

static void show(struct output *out, uint64_t start, uint64_t end, const struct row *row)
{
	char range[64];

	snprintf(range, sizeof(range), "0x%" PRIx64 "+0x%" PRIx64, start, end - start);
	out_begin(out);
	out_string(out, NULL, 0, range);
	out_string(out, NULL, 0, row->id);
	out_string(out, NULL, 0, row->file);
	out_string(out, NULL, 0, row->debug);
	out_string(out, NULL, 0, row->name);
	out_end(out);
}

static void put_id(struct row *row, const uint8_t *bytes, size_t size, const uint64_t *address)
{
	hex_format(row->id, bytes, size);
	if (address)
		sprintf(row->id + 2 * size, "@0x%" PRIx64, *address);
}

static void to_row(struct row *row)
{
	*row = (struct row){ .id = "-", .file = "-", .debug = "-" };
}

/* ----------------------------------------------------------------- vdso -- */

static void read_vdso(const struct unstrip *unstrip, struct row *row)
{
	struct elf_layout layout;
	int fd = vdso_copy(unstrip->pid, unstrip->vdso, unstrip->vdso_end);
	struct elf_info info;
	uint64_t address;

	if (fd < 0)
		return;
	elf_file_id(fd, &info);
	if (info.kind == BUILDID_KIND_GNU && elf_file_layout(fd, 0, info.id_offset, &layout)) {
		address = unstrip->vdso + layout.id - layout.start;
		put_id(row, info.id.bytes, info.id.size, &address);
		row->file = ".";
	}
	close(fd);
}

static void show_vdso(struct unstrip *unstrip)
{
	struct row row;

	to_row(&row);
	snprintf(row.name, sizeof(row.name), "[vdso: %" PRIu32 "]", unstrip->pid);
	read_vdso(unstrip, &row);
	show(unstrip->out, unstrip->vdso, unstrip->vdso_end, &row);
	unstrip->vdso = 0;
}

/* ---------------------------------------------------------------- files -- */

static bool is_same(const struct elf_info *info, const uint8_t *bytes, size_t size)
{
	return info->kind == BUILDID_KIND_GNU && info->id.size == size &&
	       !memcmp(info->id.bytes, bytes, size);
}

/* What is mapped, by whatever leads to it, with its @info; -1. */
static int open_mapped(const struct unstrip *unstrip, const uint8_t *bytes, size_t size,
		       struct elf_info *info)
{
	const struct mapped_file file = {
		.path = buildid_file_path(file_of(unstrip)),
		.pid = unstrip->pid,
		.start = unstrip->start,
		.end = unstrip->first_end,
	};
	struct reason reason;
	int fd = mapped_file_open(&file, NULL, &reason);

	if (fd < 0)
		return -1;
	elf_file_id(fd, info);
	if (is_same(info, bytes, size))
		return fd;
	close(fd);
	return -1;
}

static const char *find_debug(const uint8_t *bytes, size_t size, char path[PATH_MAX])
{
	char hex[2 * BUILDID_ID_MAX + 1];
	struct elf_info info;
	bool found;
	int fd;

	hex_format(hex, bytes, size);
	snprintf(path, PATH_MAX, DEBUG_DIRECTORY "/%.2s/%s.debug", hex, hex + 2);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return "-";
	elf_file_id(fd, &info);
	found = is_same(&info, bytes, size);
	close(fd);
	return found ? path : "-";
}

static void describe(const struct unstrip *unstrip, struct row *row, char debug[PATH_MAX])
{
	const struct buildid_file *file = file_of(unstrip);
	struct elf_layout layout;
	const uint8_t *bytes;
	struct elf_info info;
	uint64_t address;
	size_t size;
	int fd;

	bytes = buildid_file_id_bytes(file, &size);
	if (!bytes || file->kind != BUILDID_KIND_GNU)
		return;
	put_id(row, bytes, size, NULL);
	if (file->flags & BUILDID_FILE_DELETED)
		row->file = ".";
	row->debug = find_debug(bytes, size, debug);
	fd = open_mapped(unstrip, bytes, size, &info);
	if (fd < 0)
		return;
	if (elf_file_layout(fd, unstrip->pgoff, info.id_offset, &layout)) {
		address = unstrip->start + layout.id - layout.start;
		put_id(row, bytes, size, &address);
		if (layout.debug_info)
			row->debug = ".";
	}
	close(fd);
}

static void show_file(struct unstrip *unstrip)
{
	const char *path = buildid_file_path(file_of(unstrip));
	bool deleted = file_of(unstrip)->flags & BUILDID_FILE_DELETED;
	char debug[PATH_MAX];
	struct row row;

	if (!unstrip->open)
		return;
	unstrip->open = false;
	if (unstrip->vdso && unstrip->vdso < unstrip->start)
		show_vdso(unstrip);

	to_row(&row);
	snprintf(row.name, sizeof(row.name), "%s%s", path, deleted ? " (deleted)" : "");
	if (!deleted)
		row.file = path;
	describe(unstrip, &row, debug);
	show(unstrip->out, unstrip->start, unstrip->end, &row);
}

static bool is_more_of_it(const struct unstrip *unstrip, const struct buildid_file *file)
{
	const struct buildid_file *last = file_of(unstrip);

	return unstrip->open && file->user_ino == last->user_ino &&
	       file->user_dev_major == last->user_dev_major &&
	       file->user_dev_minor == last->user_dev_minor;
}

void unstrip_mapping(struct unstrip *unstrip, const struct buildid_event *event)
{
	const struct buildid_mmap *mmap = (const void *)event->record;

	if (mmap->pid != unstrip->pid) {
		unstrip->pid = mmap->pid;
		if (!vdso_find(unstrip->pid, &unstrip->vdso, &unstrip->vdso_end))
			unstrip->vdso = 0;
	}
	if (!event->file)
		return;
	if (is_more_of_it(unstrip, event->file)) {
		unstrip->end = mmap->addr + mmap->len;
		return;
	}

	show_file(unstrip);
	unstrip->open = true;
	unstrip->start = mmap->addr;
	unstrip->end = unstrip->first_end = mmap->addr + mmap->len;
	unstrip->pgoff = mmap->pgoff;
	memcpy(unstrip->record, event->file, event->file->header.size);
}

void unstrip_end(struct unstrip *unstrip)
{
	show_file(unstrip);
	if (unstrip->vdso)
		show_vdso(unstrip);
	unstrip->pid = 0;
}
