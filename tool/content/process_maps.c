// SPDX-License-Identifier: GPL-2.0
/* Process maps: a parser of /proc/PID/maps. */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "process_maps.h"

bool process_maps_open(struct process_maps *maps, uint32_t pid)
{
	*maps = (struct process_maps){};
	if (process_file_open(&maps->file, pid, "maps", O_RDONLY))
		return true;
	/* Which of the two it was makes no difference to what can be done. */
	if (errno == ETIME)
		errno = ETIMEDOUT;
	return false;
}

void process_maps_close(struct process_maps *maps)
{
	free(maps->text);
	process_file_close(&maps->file);
}

bool process_maps_is_there(const struct process_maps *maps)
{
	char byte;

	return process_file_read(&maps->file, &byte, 1, 0) == 1;
}

/* False at the end, or with maps->error. */
static bool read_more(struct process_maps *maps)
{
	const size_t rest = maps->end - maps->begin;
	ssize_t size;
	char *text;

	if (maps->room < rest + PROCESS_FILE_PART) {
		text = realloc(maps->text, rest + PROCESS_FILE_PART);
		if (!text) {
			maps->error = ENOMEM;
			return false;
		}
		maps->text = text;
		maps->room = rest + PROCESS_FILE_PART;
	}
	memmove(maps->text, maps->text + maps->begin, rest);
	maps->begin = 0;
	maps->end = rest;
	size = process_file_read(&maps->file, maps->text + rest, PROCESS_FILE_PART, -1);
	if (size < 0)
		maps->error = errno == ETIME ? ETIMEDOUT : errno;
	maps->end += size > 0 ? (size_t)size : 0;
	return size > 0;
}

/* NULL at the end. What the kernel writes ends with a newline. */
static char *next_line(struct process_maps *maps)
{
	char *line, *newline = NULL;

	do {
		line = maps->text ? maps->text + maps->begin : NULL;
		if (line)
			newline = memchr(line, '\n', maps->end - maps->begin);
	} while (!newline && read_more(maps));
	if (!newline)
		return NULL;
	*newline = '\0';
	maps->begin = (size_t)(newline + 1 - maps->text);
	return line;
}

/* The kernel escapes newlines, but not the backslash. */
#define NEWLINE "\\012"

static bool process_maps_unescape(char *path)
{
	bool escaped = false;
	char *to = path;

	while (*path) {
		if (!strncmp(path, NEWLINE, sizeof(NEWLINE) - 1)) {
			*to++ = '\n';
			path += sizeof(NEWLINE) - 1;
			escaped = true;
		} else {
			*to++ = *path++;
		}
	}
	*to = '\0';
	return escaped;
}

/* How much of @path is a newline, or shown as one. */
static size_t newline_size(const char *path)
{
	if (*path == '\n')
		return 1;
	return strncmp(path, NEWLINE, sizeof(NEWLINE) - 1) != 0 ? 0 : sizeof(NEWLINE) - 1;
}

bool process_maps_show_same(const char *one, const char *other)
{
	while (*one || *other) {
		const size_t of_one = newline_size(one), of_other = newline_size(other);

		if (!of_one != !of_other || (!of_one && *one != *other))
			return false;
		one += of_one ? of_one : 1;
		other += of_other ? of_other : 1;
	}
	return true;
}

static bool process_maps_parse(struct process_mapping *mapping, char *line)
{
	char protection[5];
	int path = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n",
		   &mapping->start, &mapping->end, protection, &mapping->offset, &mapping->major,
		   &mapping->minor, &mapping->ino, &path) < 7 ||
	    !path)
		return false;
	mapping->prot = (protection[0] == 'r' ? PROT_READ : 0) |
			(protection[1] == 'w' ? PROT_WRITE : 0) |
			(protection[2] == 'x' ? PROT_EXEC : 0);
	mapping->executable = mapping->prot & PROT_EXEC;
	mapping->shared = protection[3] == 's';
	mapping->ambiguous = process_maps_unescape(line + path);
	mapping->path = line + path;
	return true;
}

bool process_maps_next(struct process_maps *maps, struct process_mapping *mapping)
{
	char *line;

	while ((line = next_line(maps)))
		if (process_maps_parse(mapping, line))
			return true;
	return false;
}
