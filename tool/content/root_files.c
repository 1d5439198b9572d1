// SPDX-License-Identifier: GPL-2.0
/* Root files: openat2(2) with RESOLVE_IN_ROOT. */

#include <fcntl.h>
#include <linux/openat2.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/open_regular.h"
#include "root_files.h"

/* Longer than any text of a distribution. */
#define TEXT_MAX (64U << 20)

/* The present content with a NUL after it; NULL if it cannot be read completely. */
static char *read_all(int fd, size_t room, size_t *size)
{
	char *text = malloc(room + 1);
	ssize_t got = 1;

	*size = 0;
	while (text && *size < room && got > 0) {
		got = read(fd, text + *size, room - *size);
		*size += got > 0 ? (size_t)got : 0;
	}
	if (!text || got < 0) {
		free(text);
		return NULL;
	}
	text[*size] = '\0';
	return text;
}

/* A hole would take memory, but no space on disk. */
static char *only_text(char *text, size_t size)
{
	if (!text || !memchr(text, '\0', size))
		return text;
	free(text);
	return NULL;
}

char *root_text_read(int root, const char *path, size_t *size)
{
	struct reason reason;
	int fd = open_untrusted_in(root, path, &reason);
	struct stat stat_;
	char *text = NULL;
	size_t got = 0;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &stat_) && stat_.st_size >= 0 && stat_.st_size < TEXT_MAX)
		text = read_all(fd, (size_t)stat_.st_size, &got);
	close(fd);
	if (size)
		*size = got;
	return only_text(text, got);
}

static int open_there(int root, const char *path, uint64_t flags)
{
	struct open_how how = { .flags = flags | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT };

	return (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
}

DIR *root_directory_open(int root, const char *path)
{
	int fd = open_there(root, path, O_RDONLY | O_DIRECTORY);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);

	if (!directory && fd >= 0)
		close(fd);
	return directory;
}

bool root_stat(int root, const char *path, struct statx *stat_)
{
	int fd = open_there(root, path, O_PATH);
	bool there;

	if (fd < 0)
		return false;
	there = !statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, stat_);
	close(fd);
	return there;
}

char *next_line(char **at)
{
	char *line = *at, *end;

	if (!*line)
		return NULL;
	end = strchrnul(line, '\n');
	*at = *end ? end + 1 : end;
	*end = '\0';
	return line;
}
