// SPDX-License-Identifier: GPL-2.0
/*
 * Unstrip: the lines of eu-unstrip -n, which opens paths to find the build-ids; here they come with
 * the mappings. A file is opened only to see where its note is in memory, and only if its build-id
 * is that of the mapping.
 */

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/build_id.h"
#include "content/elf_file.h"
#include "content/locate.h"
#include "content/mapped_files.h"
#include "content/vdso.h"
#include "unstrip.h"

#define DELETED " (deleted)"

struct unstrip {
	struct output *out;
	uint32_t pid; /* 0: none yet */

	/* The file whose mappings are being collected. */
	uint64_t start, end; /* end 0: none */
	uint64_t first_end;  /* of the first mapping */
	uint64_t pgoff;	     /* of the first mapping */
	uint64_t record[BUILDID_RECORD_MAX / sizeof(uint64_t)];

	uint64_t vdso, vdso_end; /* 0 when its line is printed, or there is none */
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

/* One line; "-" for unknown fields. */
struct row {
	uint64_t start, end;
	struct build_id id;
	uint64_t address; /* of @id in memory, or 0 */
	const char *file, *debug;
	char name[PATH_MAX + sizeof(DELETED)];
};

static void unstrip_show(struct output *out, const struct row *row)
{
	char range[64], id[BUILD_ID_TEXT + sizeof("@0x") + 16] = "-";

	snprintf(range, sizeof(range), "0x%" PRIx64 "+0x%" PRIx64, row->start,
		 row->end - row->start);
	if (row->id.size)
		build_id_text(&row->id, id);
	if (row->address)
		sprintf(id + strlen(id), "@0x%" PRIx64, row->address);
	out_begin(out);
	out_string(out, NULL, 0, range);
	out_string(out, NULL, 0, id);
	out_string(out, NULL, 0, row->file);
	out_string(out, NULL, 0, row->debug);
	out_string(out, NULL, 0, row->name);
	out_end(out);
}

/*
 * Where the note of the file at @fd is in memory, with the byte at @pgoff mapped at the
 * row's start. False when the file has another build-id than the row's, if any.
 */
static bool find_note(struct row *row, int fd, uint64_t pgoff, struct elf_layout *layout)
{
	struct elf_info info;

	elf_file_id(fd, &info);
	if (info.kind != BUILDID_KIND_GNU ||
	    (row->id.size && !build_id_equal(&info.id, &row->id)) ||
	    !elf_file_layout(fd, pgoff, info.id_offset, layout))
		return false;
	row->id = info.id;
	row->address = row->start + layout->id - layout->start;
	return true;
}

static void show_vdso(struct unstrip *unstrip)
{
	struct row row = {
		.start = unstrip->vdso,
		.end = unstrip->vdso_end,
		.file = "-",
		.debug = "-",
	};
	int fd = vdso_copy(unstrip->pid, unstrip->vdso, unstrip->vdso_end);
	struct elf_layout layout;

	snprintf(row.name, sizeof(row.name), "[vdso: %" PRIu32 "]", unstrip->pid);
	if (fd >= 0) {
		if (find_note(&row, fd, 0, &layout))
			row.file = ".";
		close(fd);
	}
	unstrip_show(unstrip->out, &row);
	unstrip->vdso = 0;
}

/* Read the file itself, opened through the mapping. */
static void read_mapped(const struct unstrip *unstrip, struct row *row)
{
	const struct mapped_file file = {
		.path = buildid_file_path(file_of(unstrip)),
		.pid = unstrip->pid,
		.start = unstrip->start,
		.end = unstrip->first_end,
	};
	struct elf_layout layout;
	struct reason reason;
	int fd = mapped_file_open(&file, NULL, &reason);

	if (fd < 0)
		return;
	if (find_note(row, fd, unstrip->pgoff, &layout) && layout.debug_info)
		row->debug = ".";
	close(fd);
}

static void show_file(struct unstrip *unstrip)
{
	const struct buildid_file *file = file_of(unstrip);
	bool deleted = file->flags & BUILDID_FILE_DELETED;
	const char *path = buildid_file_path(file);
	struct row row = {
		.start = unstrip->start,
		.end = unstrip->end,
		.file = deleted ? "-" : path,
		.debug = "-",
	};
	struct located_file debug = { .fd = -1 };
	const uint8_t *bytes;
	struct reason reason;
	size_t size;

	if (!unstrip->end)
		return;
	unstrip->end = 0;
	if (unstrip->vdso && unstrip->vdso < unstrip->start)
		show_vdso(unstrip);

	snprintf(row.name, sizeof(row.name), "%s%s", path, deleted ? DELETED : "");
	bytes = buildid_file_id_bytes(file, &size);
	if (file->kind == BUILDID_KIND_GNU && bytes && build_id_set(&row.id, bytes, size)) {
		if (deleted)
			row.file = ".";
		if (locate_debug(NULL, &row.id, false, &debug, &reason))
			row.debug = debug.path;
		read_mapped(unstrip, &row);
	}
	unstrip_show(unstrip->out, &row);
	located_file_free(&debug);
}

/* On arm64 the vdso may be in the gap between two segments of ld.so. */
static bool is_vdso_before(const struct unstrip *unstrip, uint64_t addr)
{
	return unstrip->vdso >= unstrip->end && unstrip->vdso < addr;
}

static bool is_collected(const struct unstrip *unstrip, const struct buildid_file *file)
{
	const struct buildid_file *last = file_of(unstrip);

	return unstrip->end && file->user_ino == last->user_ino &&
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
	if (!is_collected(unstrip, event->file) || is_vdso_before(unstrip, mmap->addr)) {
		show_file(unstrip);
		unstrip->start = mmap->addr;
		unstrip->first_end = mmap->addr + mmap->len;
		unstrip->pgoff = mmap->pgoff;
		memcpy(unstrip->record, event->file, event->file->header.size);
	}
	unstrip->end = mmap->addr + mmap->len;
}

void unstrip_end(struct unstrip *unstrip)
{
	show_file(unstrip);
	if (unstrip->vdso)
		show_vdso(unstrip);
	unstrip->pid = 0;
}
