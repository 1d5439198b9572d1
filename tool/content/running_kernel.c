// SPDX-License-Identifier: GPL-2.0
/* The running kernel: its notes in /sys, and the usual paths of its files. */

#include <fcntl.h>
#include <stdio.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "common/array.h"
#include "elf_file.h"
#include "running_kernel.h"

bool notes_build_id(const char *path, struct build_id *id)
{
	/* Aligned, as notes consist of words; a kernel or module has only a few. */
	uint32_t notes[4096];
	ssize_t size;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	size = read(fd, notes, sizeof(notes));
	close(fd);
	return size > 0 && elf_notes_build_id(notes, (size_t)size, id);
}

bool running_kernel_build_id(struct build_id *id)
{
	return notes_build_id("/sys/kernel/notes", id);
}

struct place {
	const char *before, *after; /* the release */
};

static char *path_of(const struct place *place)
{
	struct utsname uts;
	char *path;

	if (uname(&uts) || asprintf(&path, "%s%s%s", place->before, uts.release, place->after) < 0)
		return NULL;
	return path;
}

char *vmlinux_path(size_t index)
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

char *vmlinuz_path(size_t index)
{
	static const struct place places[] = {
		{ "/boot/vmlinuz-", "" },
		{ "/lib/modules/", "/vmlinuz" },
	};

	return index < ARRAY_SIZE(places) ? path_of(&places[index]) : NULL;
}
