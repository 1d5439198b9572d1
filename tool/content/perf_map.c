// SPDX-License-Identifier: GPL-2.0
/*
 * Perf map: lines "START SIZE name", in hex. A JIT compiler appends what it has compiled, and
 * reuses memory: of several entries for one address the last one counts.
 *
 * The file is untrusted: its size is bounded, it has to belong to the process's user, and links
 * cannot lead out of the process's root.
 */

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/array.h"
#include "common/clock.h"
#include "common/hex.h"
#include "common/open_regular.h"
#include "common/process_stat.h"
#include "mapped_files.h"
#include "perf_map.h"
#include "process_user.h"

/* Ten times those of a large Java or Node program. */
#define BYTES_MAX (128U << 20)

/* More would be too slow to search and too large to keep. */
#define ENTRIES_MAX (2U << 20)
/* Functions are smaller. */
#define SIZE_MAX_OF_ONE (1U << 30)

#define SECOND 1000000000LL

struct entry {
	struct perf_map_entry shown;
	uint32_t number; /* in the file */
};

/* A range in which the same entry is the last one. */
struct part {
	uint64_t start, end;
	uint32_t entry; /* index */
};

struct perf_map {
	char path[64];
	struct stat status;
	char *text;
	struct entry *entries; /* by start, then by number */
	size_t count;
	struct part *parts; /* by start; at most two for each entry */
	size_t nr_parts;
};

/* The pid of the process, or of a thread's process, in its own namespace; 0 if it has exited. */
static uint32_t own_pid(uint32_t pid)
{
	char path[64], *line = NULL, *last;
	size_t room = 0;
	uint32_t own = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/status", pid);
	file = fopen(path, "re");
	while (file && !own && getline(&line, &room, file) >= 0)
		if (!strncmp(line, "NStgid:", 7) && (last = strrchr(line, '\t')))
			own = (uint32_t)strtoul(last + 1, NULL, 10);
	free(line);
	if (file)
		fclose(file);
	return own;
}

/*
 * The file may be left from a process with the same pid, even in another container with this /tmp.
 */
static bool is_since(const struct stat *status, uint32_t pid)
{
	int64_t booted = (int64_t)(clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_BOOTTIME));
	struct process_stat stat;

	/* Filesystems round times, and clocks are adjusted by milliseconds. */
	return process_stat_read((pid_t)pid, &stat) &&
	       status->st_mtim.tv_sec + 1 >= (booted + (int64_t)stat.start) / SECOND;
}

static bool is_its_own(const struct stat *status, uint32_t pid)
{
	uid_t uid;

	return process_user(pid, &uid) && status->st_uid == uid && is_since(status, pid);
}

/* -1 if there is none; else @map gets its path and status. */
static int open_map(struct perf_map *map, uint32_t pid)
{
	uint32_t own = own_pid(pid);
	int root = own ? process_root(pid) : -1, fd;
	struct reason unused;

	if (root < 0)
		return -1;
	snprintf(map->path, sizeof(map->path), "/tmp/perf-%" PRIu32 ".map", own);
	fd = open_untrusted_in(root, map->path, &unused);
	close(root);
	if (fd < 0)
		return -1;
	if (!fstat(fd, &map->status) && is_its_own(&map->status, pid) &&
	    map->status.st_size <= BYTES_MAX)
		return fd;
	close(fd);
	return -1;
}

/* The file may be growing: read up to its last complete line of now. */
static bool read_text(struct perf_map *map, int fd)
{
	size_t size = (size_t)map->status.st_size, at = 0;
	ssize_t got = 1;

	map->text = malloc(size + 1);
	while (map->text && at < size && got > 0) {
		got = pread(fd, map->text + at, size - at, (off_t)at);
		if (got > 0)
			at += (size_t)got;
	}
	while (map->text && at && map->text[at - 1] != '\n')
		at--;
	if (map->text)
		map->text[at] = '\0';
	return map->text;
}

/* False if it is not a number. */
static bool parse_number(char **at, uint64_t *number)
{
	char *end;

	if (hex_digit(**at) < 0)
		return false;
	*number = strtoull(*at, &end, 16);
	*at = end;
	return **at == ' ' && *++*at;
}

static bool is_sound(const struct perf_map_entry *entry)
{
	return entry->size && entry->size <= SIZE_MAX_OF_ONE &&
	       entry->start + entry->size > entry->start;
}

/* Other lines are skipped, as by perf. False without memory, or with too many entries. */
static bool perf_map_add(struct perf_map *map, char *line)
{
	struct perf_map_entry entry;

	if (!parse_number(&line, &entry.start) || !parse_number(&line, &entry.size) ||
	    !is_sound(&entry))
		return true;
	entry.name = line;
	if (map->count == ENTRIES_MAX || !array_reserve(map->entries, map->count))
		return false;
	map->entries[map->count] = (struct entry){ entry, (uint32_t)map->count };
	map->count++;
	return true;
}

static int perf_map_compare(const void *a, const void *b)
{
	const struct entry *one = a, *other = b;
	int result = COMPARE(one->shown.start, other->shown.start);

	return result ? result : COMPARE(one->number, other->number);
}

/* Entries that have begun and may not have ended, the last one in the file on top. */
struct heap {
	const struct entry *entries;
	uint32_t *indices;
	size_t count;
};

static bool is_above(const struct heap *heap, size_t one, size_t other)
{
	return heap->entries[heap->indices[one]].number >
	       heap->entries[heap->indices[other]].number;
}

static void swap(struct heap *heap, size_t one, size_t other)
{
	uint32_t index = heap->indices[one];

	heap->indices[one] = heap->indices[other];
	heap->indices[other] = index;
}

static void perf_map_push(struct heap *heap, uint32_t index)
{
	size_t at = heap->count++;

	heap->indices[at] = index;
	for (; at && is_above(heap, at, (at - 1) / 2); at = (at - 1) / 2)
		swap(heap, at, (at - 1) / 2);
}

static void pop(struct heap *heap)
{
	size_t at = 0, below = 1;

	heap->indices[0] = heap->indices[--heap->count];
	for (; below < heap->count; at = below, below = 2 * at + 1) {
		if (below + 1 < heap->count && is_above(heap, below + 1, below))
			below++;
		if (!is_above(heap, below, at))
			break;
		swap(heap, at, below);
	}
}

static uint64_t end_of(const struct entry *entry)
{
	return entry->shown.start + entry->shown.size;
}

static bool add_part(struct perf_map *map, uint64_t start, uint64_t end, uint32_t entry)
{
	struct part *last = map->nr_parts ? &map->parts[map->nr_parts - 1] : NULL;

	if (last && last->entry == entry && last->end == start) {
		last->end = end;
		return true;
	}
	if (!array_reserve(map->parts, map->nr_parts))
		return false;
	map->parts[map->nr_parts++] = (struct part){ start, end, entry };
	return true;
}

/* Entries may overlap: find the last one for each range once. */
static bool find_parts(struct perf_map *map, struct heap *heap)
{
	const struct entry *entries = map->entries, *top;
	uint64_t at = 0, end;
	uint32_t next = 0;

	while (heap->count || next < map->count) {
		if (!heap->count)
			at = entries[next].shown.start;
		while (next < map->count && entries[next].shown.start == at)
			perf_map_push(heap, next++);
		top = &entries[heap->indices[0]];
		end = end_of(top);
		if (end <= at) {
			pop(heap);
			continue;
		}
		if (next < map->count && entries[next].shown.start < end)
			end = entries[next].shown.start;
		if (!add_part(map, at, end, heap->indices[0]))
			return false;
		at = end;
	}
	return true;
}

static bool perf_map_parse(struct perf_map *map)
{
	char *rest = map->text, *line;
	struct heap heap;
	bool good;

	while ((line = strsep(&rest, "\n")))
		if (!perf_map_add(map, line))
			return false;
	array_sort(map->entries, map->count, perf_map_compare);
	heap = (struct heap){ map->entries, malloc(map->count * sizeof(*heap.indices) + 1), 0 };
	good = heap.indices && find_parts(map, &heap);
	free(heap.indices);
	return good;
}

/* The file is not kept open, which would keep its mount busy. */
struct perf_map *perf_map_read(uint32_t pid)
{
	struct perf_map *new = calloc(1, sizeof(*new));
	int fd = new ? open_map(new, pid) : -1;
	bool good = fd >= 0 && read_text(new, fd) && perf_map_parse(new);

	if (fd >= 0)
		close(fd);
	if (good)
		return new;
	perf_map_free(new);
	return NULL;
}

size_t perf_map_bytes(const struct perf_map *map)
{
	return (size_t)map->status.st_size + map->count * sizeof(*map->entries) +
	       map->nr_parts * sizeof(*map->parts);
}

const char *perf_map_path(const struct perf_map *map)
{
	return map->path;
}

bool perf_map_is_current(const struct perf_map *map, uint32_t pid)
{
	const struct stat *then = &map->status, *now;
	struct perf_map other;
	int fd = open_map(&other, pid);

	if (fd < 0)
		return false;
	close(fd);
	now = &other.status;
	return now->st_ino == then->st_ino && now->st_size == then->st_size &&
	       now->st_mtim.tv_sec == then->st_mtim.tv_sec &&
	       now->st_mtim.tv_nsec == then->st_mtim.tv_nsec;
}

static int compare_start(const void *a, const void *b)
{
	const struct part *one = a, *other = b;

	return one->start <= other->start ? -1 : 1;
}

const struct perf_map_entry *perf_map_find(const struct perf_map *map, uint64_t addr)
{
	const struct part key = { .start = addr };
	size_t count =
		array_lower_bound(&key, map->parts, map->nr_parts, sizeof(key), compare_start);
	const struct part *part = count ? &map->parts[count - 1] : NULL;

	return part && addr < part->end ? &map->entries[part->entry].shown : NULL;
}

void perf_map_free(struct perf_map *map)
{
	if (!map)
		return;
	free(map->text);
	free(map->entries);
	free(map->parts);
	free(map);
}
