// SPDX-License-Identifier: GPL-2.0
/* Mapped files: a table of what /proc/PID/maps shows, by last component. */

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define HASH_NONFATAL_OOM 1
#include <uthash.h>

#include "common/open_regular.h"
#include "mapped_files.h"
#include "process_maps.h"

#define DELETED " (deleted)"

struct name {
	const char *name; /* in the path of the first file */
	struct mapped_file *files;
	UT_hash_handle hh;
};

struct mapped_files {
	struct name *names;
};

char *strip_deleted(const char *path)
{
	size_t length = strlen(path), tail = sizeof(DELETED) - 1;

	if (length > tail && !strcmp(path + length - tail, DELETED))
		length -= tail;
	return strndup(path, length);
}

static struct name *find_name(const struct mapped_files *files, const char *path)
{
	const char *slash = strrchr(path, '/');
	struct name *name;

	path = slash ? slash + 1 : path;
	HASH_FIND_STR(files->names, path, name);
	return name;
}

/* For the last component of @path, which lives as long as the table. */
static struct name *get_name(struct mapped_files *files, const char *path)
{
	struct name *name = find_name(files, path);

	if (!name)
		name = calloc(1, sizeof(*name));
	if (!name || name->name)
		return name;
	name->name = strrchr(path, '/') + 1;
	HASH_ADD_KEYPTR(hh, files->names, name->name, strlen(name->name), name);
	if (name->hh.tbl)
		return name;
	free(name);
	return NULL;
}

static void free_file(struct mapped_file *file)
{
	free((char *)(uintptr_t)file->path);
	free(file);
}

/* False only without memory. */
static bool add(struct mapped_files *files, uint32_t pid, const struct process_mapping *mapping)
{
	struct mapped_file *new = malloc(sizeof(*new));
	struct name *name;

	if (!new)
		return false;
	*new = (struct mapped_file){
		.path = strip_deleted(mapping->path),
		.pid = pid,
		.major = mapping->major,
		.minor = mapping->minor,
		.ino = mapping->ino,
		.start = mapping->start,
		.end = mapping->end,
	};
	name = new->path ? get_name(files, new->path) : NULL;
	if (!name) {
		free_file(new);
		return false;
	}
	new->next = name->files;
	name->files = new;
	return true;
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

	/* It has exited, or belongs to somebody else. */
	if (!process_maps_open(&maps, pid))
		return true;
	while (good && process_maps_next(&maps, &mapping))
		if (is_executable_file(&mapping))
			good = add(files, pid, &mapping);
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
	struct mapped_file *file, *next;
	struct name *name, *other;

	if (!files)
		return;
	HASH_ITER(hh, files->names, name, other)
	{
		HASH_DEL(files->names, name);
		for (file = name->files; file; file = next) {
			next = file->next;
			free_file(file);
		}
		free(name);
	}
	free(files);
}

const struct mapped_file *mapped_files_find(const struct mapped_files *files, const char *path)
{
	struct name *name = find_name(files, path);

	return name ? name->files : NULL;
}

/* ------------------------------------------------------------- opening -- */

static int open_in_root(uint32_t pid, const char *path, struct reason *reason)
{
	char root_path[64];
	int root, fd;

	snprintf(root_path, sizeof(root_path), "/proc/%" PRIu32 "/root", pid);
	root = open(root_path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0) {
		reason_set(reason, "%s", strerror(errno));
		return -1;
	}
	fd = open_untrusted_in(root, path, reason);
	close(root);
	return fd;
}

/* @from is set when it was opened. */
static int open_mapping(uint32_t pid, uint64_t start, uint64_t end, char **from,
			struct reason *reason)
{
	char path[96];
	int fd;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/map_files/%" PRIx64 "-%" PRIx64, pid, start,
		 end);
	fd = open_untrusted(AT_FDCWD, path, reason);
	if (fd >= 0 && from)
		*from = strdup(path);
	return fd;
}

int mapped_file_open(const struct mapped_file *file, char **from, struct reason *reason)
{
	int fd = open_mapping(file->pid, file->start, file->end, from, reason);

	if (fd >= 0)
		return fd;
	if (from && asprintf(from, "/proc/%" PRIu32 "/root%s", file->pid, file->path) < 0)
		*from = NULL;
	return open_in_root(file->pid, file->path, reason);
}

int mapped_file_open_at(uint32_t pid, uint64_t addr, const char *path, struct reason *reason)
{
	struct process_mapping mapping;
	struct process_maps maps;
	int fd = -1;

	if (process_maps_open(&maps, pid)) {
		while (fd < 0 && process_maps_next(&maps, &mapping))
			if (is_executable_file(&mapping) && addr >= mapping.start &&
			    addr < mapping.end)
				fd = open_mapping(pid, mapping.start, mapping.end, NULL, reason);
		process_maps_close(&maps);
	}
	return fd < 0 ? open_in_root(pid, path, reason) : fd;
}
