// SPDX-License-Identifier: GPL-2.0
/* Mapped files: a table of what /proc/PID/maps shows, by last component. */

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/array.h"
#include "common/hash_map.h"
#include "common/open_regular.h"
#include "mapped_files.h"
#include "process_file.h"
#include "process_maps.h"

#define DELETED " (deleted)"

#define NONE UINT32_MAX

#define MAP_FILES_PATH 96

struct mapped_files {
	struct mapped_file *all;
	size_t count;
	struct hash_map last; /* by name: the last one added, which is chained to the others */
};

bool is_marked_deleted(const char *path)
{
	size_t length = strlen(path), tail = sizeof(DELETED) - 1;

	return length > tail && !strcmp(path + length - tail, DELETED);
}

char *strip_deleted(const char *path)
{
	return strndup(path, strlen(path) - (is_marked_deleted(path) ? sizeof(DELETED) - 1 : 0));
}

char *opened_path(int fd)
{
	char link[32], target[PATH_MAX];
	ssize_t size;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	size = readlink(link, target, sizeof(target) - 1);
	if (size < 0)
		return NULL;
	target[size] = 0;
	return *target == '/' ? strip_deleted(target) : NULL;
}

/* False only without memory. */
static bool mapped_files_add(struct mapped_files *files, uint32_t pid,
			     const struct process_mapping *mapping)
{
	char *path = strip_deleted(mapping->path);
	uint64_t key = path ? hash_text(basename(path)) : 0;

	if (!path || !array_reserve(files->all, files->count)) {
		free(path);
		return false;
	}
	files->all[files->count] = (struct mapped_file){
		.next = hash_map_get(&files->last, key, NONE),
		.path = path,
		.pid = pid,
		.major = mapping->major,
		.minor = mapping->minor,
		.ino = mapping->ino,
		.start = mapping->start,
		.end = mapping->end,
	};
	return hash_map_set(&files->last, key, (uint32_t)files->count++);
}

static bool is_executable_file(const struct process_mapping *mapping)
{
	return mapping->executable && *mapping->path == '/';
}

static bool add_process(struct mapped_files *files, uint32_t pid)
{
	struct process_mapping mapping;
	struct process_maps maps;
	bool good = true;

	/* It has exited, or belongs to another user. */
	if (!process_maps_open(&maps, pid))
		return true;
	while (good && process_maps_next(&maps, &mapping))
		if (is_executable_file(&mapping))
			good = mapped_files_add(files, pid, &mapping);
	process_maps_close(&maps);
	return good;
}

struct mapped_files *mapped_files_new(void)
{
	struct mapped_files *files = calloc(1, sizeof(*files));
	DIR *proc = files ? opendir("/proc") : NULL;
	struct dirent *entry;
	bool good = true;

	while (proc && good && (entry = readdir(proc)))
		if (isdigit((unsigned char)entry->d_name[0]))
			good = add_process(files, (uint32_t)strtoul(entry->d_name, NULL, 10));
	if (proc)
		closedir(proc);
	if (good)
		return files;
	mapped_files_free(files);
	return NULL;
}

void mapped_files_free(struct mapped_files *files)
{
	size_t i;

	if (!files)
		return;
	for (i = 0; i < files->count; i++)
		free((char *)(uintptr_t)files->all[i].path);
	free(files->all);
	hash_map_free(&files->last);
	free(files);
}

const struct mapped_file *mapped_files_next(const struct mapped_files *files, const char *path,
					    const struct mapped_file *file)
{
	const char *name = basename(path);
	uint32_t next = file ? file->next : hash_map_get(&files->last, hash_text(name), NONE);

	/* Another name may have the same hash. */
	while (next != NONE && strcmp(basename(files->all[next].path), name))
		next = files->all[next].next;
	return next == NONE ? NULL : &files->all[next];
}

const struct mapped_file *mapped_files_all(const struct mapped_files *files, size_t *count)
{
	*count = files->count;
	return files->all;
}

/* ------------------------------------------------------------- opening -- */

int process_root(uint32_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/root", pid);
	return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static int open_in_root(uint32_t pid, const char *path, struct reason *reason)
{
	int root = process_root(pid);
	int fd;

	if (root < 0) {
		reason_set(reason, "%s", strerror(errno));
		return -1;
	}
	fd = open_untrusted_in(root, path, reason);
	close(root);
	return fd;
}

static void map_files_path(char path[MAP_FILES_PATH], uint32_t pid, uint64_t start, uint64_t end)
{
	snprintf(path, MAP_FILES_PATH, "/proc/%" PRIu32 "/map_files/%" PRIx64 "-%" PRIx64, pid,
		 start, end);
}

int mapped_file_open(const struct mapped_file *file, char **from, struct reason *reason)
{
	char path[MAP_FILES_PATH];
	int fd;

	map_files_path(path, file->pid, file->start, file->end);
	fd = open_untrusted(AT_FDCWD, path, reason);
	if (fd >= 0) {
		if (from)
			*from = strdup(path);
		return fd;
	}
	if (from && asprintf(from, "/proc/%" PRIu32 "/root%s", file->pid, file->path) < 0)
		*from = NULL;
	return open_in_root(file->pid, file->path, reason);
}

int mapped_handle_at(uint32_t pid, uint64_t addr)
{
	struct process_mapping mapping;
	struct process_maps maps;
	struct process_file file;
	char range[64];
	int handle = -1;

	if (!process_maps_open(&maps, pid))
		return -1;
	while (handle < 0 && process_maps_next(&maps, &mapping)) {
		if (*mapping.path != '/' || addr < mapping.start || addr >= mapping.end)
			continue;
		snprintf(range, sizeof(range), "map_files/%" PRIx64 "-%" PRIx64, mapping.start,
			 mapping.end);
		if (process_file_open(&file, pid, range, O_PATH))
			handle = file.fd;
	}
	process_maps_close(&maps);
	return handle;
}

int mapped_file_open_at(uint32_t pid, uint64_t addr, const char *path, struct reason *reason)
{
	int handle = mapped_handle_at(pid, addr);
	int fd = handle < 0 ? -1 : open_untrusted_handle(handle, reason);

	return fd < 0 ? open_in_root(pid, path, reason) : fd;
}
