// SPDX-License-Identifier: GPL-2.0
/* Files with a JIT's code: recognized by name, and read in place. */

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "common/open_regular.h"
#include "content/elf_file.h"
#include "jit_file.h"

#define PREFIX "jitted-"
#define SUFFIX ".so"
#define DIGITS "0123456789"
#define NS     1000000000
/* perf writes this, whatever the inode's generation is. */
#define GENERATION 1

/* "/tmp/jitted-4711-0.so" */
static bool is_name(const char *path)
{
	const char *name = strrchr(path, '/');
	size_t pid, number;

	if (!name || strncmp(name + 1, PREFIX, strlen(PREFIX)) != 0)
		return false;
	name += 1 + strlen(PREFIX);
	pid = strspn(name, DIGITS);
	if (!pid || name[pid] != '-')
		return false;
	name += pid + 1;
	number = strspn(name, DIGITS);
	return number && !strcmp(name + number, SUFFIX);
}

bool jit_file_is(const struct perfdata_mapping *mapping)
{
	return mapping->kind == PERFDATA_KIND_USER && mapping->has_inode &&
	       mapping->generation == GENERATION && *mapping->path == '/' && is_name(mapping->path);
}

static uint64_t in_ns(const struct timespec *time)
{
	return (uint64_t)time->tv_sec * NS + (uint64_t)time->tv_nsec;
}

static const char *why_not(const struct perfdata_mapping *mapping, const struct stat *data,
			   const struct stat *file)
{
	uint64_t modified = in_ns(&data->st_mtim);

	if (file->st_ino != mapping->ino || major(file->st_dev) != mapping->major ||
	    minor(file->st_dev) != mapping->minor)
		return "another file is there than perf inject has written";
	if (file->st_uid && file->st_uid != data->st_uid)
		return "the file is of another user than the recording";
	/* Not by ctime, which changes as buildid store links the file. */
	if (in_ns(&file->st_mtim) > modified)
		return "the file was written to after the recording";
	return NULL;
}

bool jit_file_id(const struct perfdata_mapping *mapping, const struct stat *data,
		 struct build_id *id, const char **why)
{
	struct reason unused;
	struct stat file;
	int fd = open_untrusted(AT_FDCWD, mapping->path, &unused);

	*why = "the file that perf inject has written cannot be read";
	if (fd < 0)
		return false;
	if (!fstat(fd, &file))
		*why = why_not(mapping, data, &file);
	if (!*why && !elf_file_has_code(fd, mapping->pgoff, mapping->len))
		*why = "the file has no code at that place";
	if (!*why && !elf_file_build_id(fd, id))
		*why = "the file has no build-id";
	close(fd);
	return !*why;
}
