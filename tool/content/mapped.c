// SPDX-License-Identifier: GPL-2.0
/* Mapped: what /proc/PID/maps shows, by name. */

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/open_regular.h"
#include "mapped.h"

#define BUCKETS 4096
#define DELETED " (deleted)"

struct mapped {
	struct mapped_file *buckets[BUCKETS];
};

char *mapped_strip(const char *path)
{
	size_t length = strlen(path), tail = sizeof(DELETED) - 1;

	if (length > tail && !strcmp(path + length - tail, DELETED))
		length -= tail;
	return strndup(path, length);
}

static const char *last_component(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static size_t bucket_of(const char *path)
{
	size_t hash = 5381;

	for (path = last_component(path); *path; path++)
		hash = hash * 33 + (unsigned char)*path;
	return hash % BUCKETS;
}

static bool add(struct mapped *mapped, const struct mapped_file *file)
{
	struct mapped_file **bucket = &mapped->buckets[bucket_of(file->path)];
	struct mapped_file *new = malloc(sizeof(*new));

	if (!new)
		return false;
	*new = *file;
	new->next = *bucket;
	*bucket = new;
	return true;
}

/* As the kernel escapes it: a newline only. */
static void unescape(char *path)
{
	char *to = path;

	while (*path) {
		if (!strncmp(path, "\\012", 4)) {
			*to++ = '\n';
			path += 4;
		} else {
			*to++ = *path++;
		}
	}
	*to = '\0';
}

/* An executable mapping of a file; the path is in @line then. */
static bool parse(struct mapped_file *file, char *line)
{
	char protection[5];
	int at = 0;

	line[strcspn(line, "\n")] = '\0';
	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*x %x:%x %" SCNu64 " %n", &file->start,
		   &file->end, protection, &file->major, &file->minor, &file->ino, &at) < 6)
		return false;
	if (!at || line[at] != '/' || protection[2] != 'x')
		return false;
	unescape(line + at);
	file->path = line + at;
	return true;
}

/* False only without memory. */
static bool add_line(struct mapped *mapped, uint32_t pid, char *line)
{
	struct mapped_file file = { .pid = pid };

	if (!parse(&file, line))
		return true;
	file.path = mapped_strip(file.path);
	if (file.path && add(mapped, &file))
		return true;
	free((char *)(uintptr_t)file.path);
	return false;
}

static FILE *open_maps(uint32_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/maps", pid);
	return fopen(path, "re");
}

static bool add_process(struct mapped *mapped, uint32_t pid)
{
	char *line = NULL;
	size_t room = 0;
	bool good = true;
	FILE *maps = open_maps(pid);

	/* Gone, or somebody else's: what it has mapped is not to be had. */
	if (!maps)
		return true;
	while (good && getline(&line, &room, maps) > 0)
		good = add_line(mapped, pid, line);
	free(line);
	fclose(maps);
	return good;
}

struct mapped *mapped_new(void)
{
	struct mapped *mapped = calloc(1, sizeof(*mapped));
	DIR *proc = mapped ? opendir("/proc") : NULL;
	struct dirent *entry;
	bool good = true;

	while (proc && good && (entry = readdir(proc)))
		if (isdigit((unsigned char)entry->d_name[0]))
			good = add_process(mapped, (uint32_t)strtoul(entry->d_name, NULL, 10));
	if (proc)
		closedir(proc);
	if (good)
		return mapped;
	mapped_free(mapped);
	return NULL;
}

void mapped_free(struct mapped *mapped)
{
	struct mapped_file *file, *next;
	size_t i;

	for (i = 0; mapped && i < BUCKETS; i++) {
		for (file = mapped->buckets[i]; file; file = next) {
			next = file->next;
			free((char *)(uintptr_t)file->path);
			free(file);
		}
	}
	free(mapped);
}

const struct mapped_file *mapped_find(const struct mapped *mapped, const char *path)
{
	return mapped->buckets[bucket_of(path)];
}

/* ------------------------------------------------------------- opening -- */

static int open_below_root(const struct mapped_file *file, struct reason *reason)
{
	char path[64];
	int root, fd;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/root", file->pid);
	root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0) {
		reason_set(reason, "%s", strerror(errno));
		return -1;
	}
	fd = open_untrusted_in(root, file->path, reason);
	close(root);
	return fd;
}

/* @path, unless NULL, is set to what was opened. */
static int open_mapping(const struct mapped_file *file, char **path_, struct reason *reason)
{
	char path[96];
	int fd;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/map_files/%" PRIx64 "-%" PRIx64, file->pid,
		 file->start, file->end);
	fd = open_untrusted(AT_FDCWD, path, reason);
	if (path_)
		*path_ = fd < 0 ? NULL : strdup(path);
	return fd;
}

int mapped_open_address(uint32_t pid, uint64_t addr, const char *path, struct reason *reason)
{
	struct mapped_file file = { .pid = pid };
	FILE *maps = open_maps(pid);
	char *line = NULL;
	size_t room = 0;
	int fd = -1;

	while (maps && fd < 0 && getline(&line, &room, maps) > 0)
		if (parse(&file, line) && addr >= file.start && addr < file.end)
			fd = open_mapping(&file, NULL, reason);
	free(line);
	if (maps)
		fclose(maps);
	if (fd >= 0)
		return fd;
	file.path = path;
	return open_below_root(&file, reason);
}

int mapped_open(const struct mapped_file *file, char **from, struct reason *reason)
{
	char *path;
	int fd = open_mapping(file, &path, reason);

	if (fd < 0) {
		fd = open_below_root(file, reason);
		if (asprintf(&path, "/proc/%" PRIu32 "/root%s", file->pid, file->path) < 0)
			path = NULL;
	}
	if (from)
		*from = path;
	else
		free(path);
	return fd;
}
