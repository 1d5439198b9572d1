// SPDX-License-Identifier: GPL-2.0
/* Running kernel: its notes, its modules' notes and files, its vdso. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "common/array.h"
#include "elf_notes.h"
#include "module_name.h"
#include "running.h"

#define NOTES	     "/sys/kernel/notes"
#define MODULES	     "/sys/module"
#define MODULE_FILES "/lib/modules"
#define MODULE_NOTE  MODULES "/%s/notes/.note.gnu.build-id"
/* A vdso is of a page or two; a note, too. */
#define VDSO_MAX (1U << 20)

static bool read_note(const char *path, struct build_id *id)
{
	/* Notes are words. */
	uint32_t notes[4096];
	struct elf_id found;
	ssize_t size;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	size = read(fd, notes, sizeof(notes));
	close(fd);
	return size > 0 && elf_notes_parse(notes, (size_t)size, &found) &&
	       build_id_set(id, found.bytes, found.size);
}

bool running_id(struct build_id *id)
{
	return read_note(NOTES, id);
}

char *running_module_of(const struct build_id *id)
{
	DIR *modules = opendir(MODULES);
	struct dirent *entry;
	struct build_id found;
	char *name = NULL;
	char path[512];

	while (modules && !name && (entry = readdir(modules))) {
		snprintf(path, sizeof(path), MODULE_NOTE, entry->d_name);
		if (read_note(path, &found) && build_id_equal(&found, id))
			name = strdup(entry->d_name);
	}
	if (modules)
		closedir(modules);
	return name;
}

/* "kernel/fs/fuse/fuse.ko.xz: kernel/..." */
static bool is_module_line(char *line, const char *request)
{
	char *colon = strchr(line, ':');
	char name[MODULE_NAME_ROOM];

	if (!colon)
		return false;
	*colon = '\0';
	module_name(line, name);
	return !strcmp(name, request);
}

char *running_module_path(const char *what)
{
	char name[MODULE_NAME_ROOM];
	char *line = NULL, *path = NULL;
	char list[512];
	struct utsname uts;
	size_t room = 0;
	FILE *file;

	module_name(what, name);
	if (!*name || uname(&uts))
		return NULL;
	snprintf(list, sizeof(list), MODULE_FILES "/%s/modules.dep", uts.release);
	file = fopen(list, "re");
	while (file && !path && getline(&line, &room, file) > 0)
		if (is_module_line(line, name) &&
		    asprintf(&path, *line == '/' ? "%.0s%s" : MODULE_FILES "/%s/%s", uts.release,
			     line) < 0)
			path = NULL;
	free(line);
	if (file)
		fclose(file);
	return path;
}

/* "name.ko", and what may be behind it. */
static bool is_module_file(const char *file, const char *request)
{
	char name[MODULE_NAME_ROOM];

	if (!strstr(file, ".ko"))
		return false;
	module_name(file, name);
	return !strcmp(name, request);
}

static bool is_directory(const char *path, const struct dirent *entry)
{
	struct stat stat_;

	if (entry->d_type != DT_UNKNOWN)
		return entry->d_type == DT_DIR;
	return !lstat(path, &stat_) && S_ISDIR(stat_.st_mode);
}

static bool look_below(const char *directory, const char *name, running_look *look, void *context)
{
	DIR *entries = opendir(directory);
	struct dirent *entry;
	bool done = false;
	char *path;

	while (entries && !done && (entry = readdir(entries))) {
		if (*entry->d_name == '.' || asprintf(&path, "%s/%s", directory, entry->d_name) < 0)
			continue;
		done = is_directory(path, entry) ?
			       look_below(path, name, look, context) :
			       is_module_file(entry->d_name, name) && look(path, context);
		free(path);
	}
	if (entries)
		closedir(entries);
	return done;
}

bool running_module_files(const char *what, bool all, running_look *look, void *context)
{
	/* Where depmod may not have been yet: it knows what came with the kernel. */
	static const char *const places[] = { "updates", "extra", "misc", "weak-updates" };
	struct utsname uts;
	char path[512], name[MODULE_NAME_ROOM];
	size_t i;

	module_name(what, name);
	if (!*name)
		return false;
	if (all)
		return look_below(MODULE_FILES, name, look, context);
	if (uname(&uts))
		return false;
	for (i = 0; i < ARRAY_SIZE(places); i++) {
		snprintf(path, sizeof(path), MODULE_FILES "/%s/%s", uts.release, places[i]);
		if (look_below(path, name, look, context))
			return true;
	}
	return false;
}

struct place {
	const char *before, *behind; /* the release */
};

static char *path_of(const struct place *place)
{
	struct utsname uts;
	char *path;

	if (uname(&uts) || asprintf(&path, "%s%s%s", place->before, uts.release, place->behind) < 0)
		return NULL;
	return path;
}

char *running_image_path(size_t index)
{
	static const struct place places[] = {
		{ "/usr/lib/debug/boot/vmlinux-", "" },
		{ "/usr/lib/debug/lib/modules/", "/vmlinux" },
		{ "/lib/modules/", "/build/vmlinux" },
		{ "/lib/modules/", "/vmlinux" },
		{ "/boot/vmlinux-", "" },
	};

	return index < ARRAY_SIZE(places) ? path_of(&places[index]) : NULL;
}

char *running_boot_path(size_t index)
{
	static const struct place places[] = {
		{ "/boot/vmlinuz-", "" },
		{ "/lib/modules/", "/vmlinuz" },
	};

	return index < ARRAY_SIZE(places) ? path_of(&places[index]) : NULL;
}

/* ---------------------------------------------------------------- vdso -- */

static bool find_vdso(const char *process, uint64_t *start, size_t *size)
{
	char path[64], line[512];
	uint64_t end;
	bool found = false;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%s/maps", process);
	maps = fopen(path, "re");
	while (maps && !found && fgets(line, sizeof(line), maps))
		found = strstr(line, " [vdso]\n") &&
			sscanf(line, "%" SCNx64 "-%" SCNx64, start, &end) == 2 && end > *start &&
			end - *start <= VDSO_MAX;
	if (maps)
		fclose(maps);
	if (found)
		*size = (size_t)(end - *start);
	return found;
}

/* The pages of @process at @start as a file. */
static int copy_memory(const char *process, uint64_t start, size_t size)
{
	char *bytes = malloc(size);
	char path[64];
	int memory, copy = -1;

	snprintf(path, sizeof(path), "/proc/%s/mem", process);
	memory = open(path, O_RDONLY | O_CLOEXEC);
	if (bytes && memory >= 0 && pread(memory, bytes, size, (off_t)start) == (ssize_t)size)
		copy = memfd_create("vdso", MFD_CLOEXEC);
	if (copy >= 0 && pwrite(copy, bytes, size, 0) != (ssize_t)size) {
		close(copy);
		copy = -1;
	}
	if (memory >= 0)
		close(memory);
	free(bytes);
	return copy;
}

int running_vdso(uint32_t pid)
{
	char process[16] = "self";
	uint64_t start;
	size_t size;

	if (pid)
		snprintf(process, sizeof(process), "%" PRIu32, pid);
	if (!find_vdso(process, &start, &size))
		return -1;
	return copy_memory(process, start, size);
}

bool running_vdso_id(struct build_id *id)
{
	struct elf_info info;
	int fd = running_vdso(0);

	if (fd < 0)
		return false;
	elf_notes_look(fd, &info);
	close(fd);
	return info.id.kind == BUILDID_KIND_GNU && build_id_set(id, info.id.bytes, info.id.size);
}
