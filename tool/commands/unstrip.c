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
#include <sys/mman.h>
#include <unistd.h>

#include "common/hex.h"
#include "content/elf_notes.h"
#include "print.h"
#include "unstrip.h"

#define DEBUG_DIRECTORY "/usr/lib/debug/.build-id"

/* No vdso has more pages. */
#define VDSO_MAX (1U << 20)

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

/* From "START-END PROT OFFSET DEVICE INODE [vdso]"; the name of a file has a '/'. */
static void find_vdso(struct unstrip *unstrip)
{
	char path[32];
	char *line = NULL;
	size_t room = 0;
	FILE *maps;

	unstrip->vdso = 0;
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/maps", unstrip->pid);
	maps = fopen(path, "re");
	if (!maps)
		return;
	while (!unstrip->vdso && getline(&line, &room, maps) > 0)
		if (strstr(line, " [vdso]\n") && !strchr(line, '/'))
			sscanf(line, "%" SCNx64 "-%" SCNx64, &unstrip->vdso, &unstrip->vdso_end);
	free(line);
	fclose(maps);
}

/* A copy of what is in the memory of the process, as a file; -1. */
static int copy_vdso(const struct unstrip *unstrip)
{
	size_t size = unstrip->vdso_end - unstrip->vdso;
	void *bytes = size <= VDSO_MAX ? malloc(size) : NULL;
	int memory, copy = -1;
	char path[32];

	if (!bytes)
		return -1;
	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/mem", unstrip->pid);
	memory = open(path, O_RDONLY | O_CLOEXEC);
	if (memory >= 0) {
		copy = memfd_create("vdso", MFD_CLOEXEC);
		if (copy >= 0 &&
		    (pread(memory, bytes, size, (off_t)unstrip->vdso) != (ssize_t)size ||
		     write(copy, bytes, size) != (ssize_t)size)) {
			close(copy);
			copy = -1;
		}
		close(memory);
	}
	free(bytes);
	return copy;
}

static void read_vdso(const struct unstrip *unstrip, struct row *row)
{
	struct elf_layout layout;
	int fd = copy_vdso(unstrip);
	struct elf_id id;
	uint64_t address;

	if (fd < 0)
		return;
	elf_notes_read(fd, &id);
	if (id.kind == BUILDID_KIND_GNU && elf_notes_layout(fd, 0, id.offset, &layout)) {
		address = unstrip->vdso + layout.id - layout.start;
		put_id(row, id.bytes, id.size, &address);
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

static bool is_same(const struct elf_id *id, const uint8_t *bytes, size_t size)
{
	return id->kind == BUILDID_KIND_GNU && id->size == size && !memcmp(id->bytes, bytes, size);
}

/* What is mapped, by whatever leads to it, with its @id; -1. */
static int open_mapped(const struct unstrip *unstrip, const uint8_t *bytes, size_t size,
		       struct elf_id *id)
{
	char paths[2][PATH_MAX + 32];
	size_t i;
	int fd;

	snprintf(paths[0], sizeof(paths[0]), "/proc/%" PRIu32 "/map_files/%" PRIx64 "-%" PRIx64,
		 unstrip->pid, unstrip->start, unstrip->first_end);
	snprintf(paths[1], sizeof(paths[1]), "/proc/%" PRIu32 "/root%s", unstrip->pid,
		 buildid_file_path(file_of(unstrip)));
	for (i = 0; i < 2; i++) {
		fd = open(paths[i], O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
		if (fd < 0)
			continue;
		elf_notes_read(fd, id);
		if (is_same(id, bytes, size))
			return fd;
		close(fd);
	}
	return -1;
}

static const char *find_debug(const uint8_t *bytes, size_t size, char path[PATH_MAX])
{
	char hex[2 * BUILDID_ID_MAX + 1];
	struct elf_id id;
	bool found;
	int fd;

	hex_format(hex, bytes, size);
	snprintf(path, PATH_MAX, DEBUG_DIRECTORY "/%.2s/%s.debug", hex, hex + 2);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return "-";
	elf_notes_read(fd, &id);
	found = is_same(&id, bytes, size);
	close(fd);
	return found ? path : "-";
}

static void describe(const struct unstrip *unstrip, struct row *row, char debug[PATH_MAX])
{
	const struct buildid_file *file = file_of(unstrip);
	struct elf_layout layout;
	const uint8_t *bytes;
	struct elf_id id;
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
	fd = open_mapped(unstrip, bytes, size, &id);
	if (fd < 0)
		return;
	if (elf_notes_layout(fd, unstrip->pgoff, id.offset, &layout)) {
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
		find_vdso(unstrip);
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
