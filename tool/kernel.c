// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel: identities are the module's, read from memory. A file is named beside
 * one only when it is known to be of the same build.
 */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "common.h"
#include "elf_notes.h"
#include "kernel.h"
#include "lines.h"
#include "module.h"

#define MODULES_DIRECTORY	"/lib/modules"

/* In the header of a bzImage, see Documentation/arch/x86/boot.rst. */
#define BOOT_MAGIC_AT		0x202
#define BOOT_MAGIC		"HdrS"
#define BOOT_VERSION_AT		0x20e
#define BOOT_VERSION_FROM	0x200
#define BOOT_HEADER_SIZE	0x8000

struct list {
	struct output *out;
	bool kernel;
	bool modules;
	bool all;
	uint64_t lost;

	struct utsname uts;
	char *dependencies;	/* of modules.dep, "" when it cannot be read */
};

static bool has_build_id(int fd, const struct buildid_image *image)
{
	const uint8_t *bytes;
	struct elf_id id;
	size_t size;

	elf_notes_read_kernel(fd, &id);
	bytes = buildid_image_id_bytes(image, &size);
	return bytes && id.kind == image->kind && id.size == size &&
	       !memcmp(id.bytes, bytes, size);
}

static bool is_of(const char *path, const struct buildid_image *image)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool is;

	if (fd < 0)
		return false;
	is = has_build_id(fd, image);
	close(fd);
	return is;
}

/* --------------------------------------------------------------- kernel -- */

/* "RELEASE (who built it) VERSION", where uname has release and version. */
static bool is_version(const char *text, const struct utsname *uts)
{
	size_t release = strlen(uts->release), version = strlen(uts->version);
	size_t length = strlen(text);

	return length > release + version &&
	       !strncmp(text, uts->release, release) && text[release] == ' ' &&
	       !strcmp(text + length - version, uts->version) &&
	       text[length - version - 1] == ' ';
}

/* A bootable image is packed in many ways, but says what it is at its start. */
static bool boots(const char *path, const struct utsname *uts)
{
	char header[BOOT_HEADER_SIZE + 1];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t size;
	size_t at;

	if (fd < 0)
		return false;
	size = pread(fd, header, BOOT_HEADER_SIZE, 0);
	close(fd);
	if (size < BOOT_VERSION_AT + 2 ||
	    memcmp(header + BOOT_MAGIC_AT, BOOT_MAGIC, strlen(BOOT_MAGIC)))
		return false;
	at = ((size_t)(unsigned char)header[BOOT_VERSION_AT] |
	      (size_t)(unsigned char)header[BOOT_VERSION_AT + 1] << 8) + BOOT_VERSION_FROM;
	header[size] = '\0';
	return at < (size_t)size && is_version(header + at, uts);
}

static bool find_kernel(const struct list *list, const struct buildid_image *image,
			char path[PATH_MAX])
{
	static const struct {
		const char *before, *behind;	/* the release */
		bool unpacked;			/* so that its build-id can be read */
	} places[] = {
		{ "/usr/lib/debug/boot/vmlinux-", "", true },
		{ "/usr/lib/debug" MODULES_DIRECTORY "/", "/vmlinux", true },
		{ MODULES_DIRECTORY "/", "/vmlinux", true },
		{ MODULES_DIRECTORY "/", "/build/vmlinux", true },
		{ "/boot/vmlinux-", "", true },
		{ "/boot/vmlinuz-", "", false },
		{ MODULES_DIRECTORY "/", "/vmlinuz", false },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(places); i++) {
		snprintf(path, PATH_MAX, "%s%s%s", places[i].before,
			 list->uts.release, places[i].behind);
		if (places[i].unpacked ? is_of(path, image) : boots(path, &list->uts))
			return true;
	}
	return false;
}

/* -------------------------------------------------------------- modules -- */

static char *read_text(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t room = 0;

	/* No name holds a NUL. */
	if (file && getdelim(&text, &room, '\0', file) < 0) {
		free(text);
		text = NULL;
	}
	if (file)
		fclose(file);
	return text ? text : strdup("");
}

/* File names may have '-' where the module's name has '_'. */
static bool is_module_file(const char *file, size_t length, const char *name)
{
	size_t i;

	for (i = 0; i < length && name[i]; i++)
		if (file[i] != name[i] && !(file[i] == '-' && name[i] == '_'))
			return false;
	return !name[i] && length - i >= 3 && !strncmp(file + i, ".ko", 3);
}

/* The path in "kernel/fs/ext4/ext4.ko.xz: kernel/lib/crc16.ko.xz..." */
static bool find_line(const struct list *list, const char *name,
		      const char **path, size_t *length)
{
	const char *line, *next, *file;

	for (line = list->dependencies; *line; line = next) {
		next = line + strcspn(line, "\n");
		next += *next == '\n';
		*path = line;
		*length = strcspn(line, ":\n");
		file = memrchr(line, '/', *length);
		file = file ? file + 1 : line;
		if (is_module_file(file, *length - (size_t)(file - line), name))
			return true;
	}
	return false;
}

static bool find_module(const struct list *list, const struct buildid_image *image,
			char path[PATH_MAX])
{
	const char *file;
	size_t length;

	if (!find_line(list, buildid_image_name(image), &file, &length))
		return false;
	if (*file == '/')
		snprintf(path, PATH_MAX, "%.*s", (int)length, file);
	else
		snprintf(path, PATH_MAX, MODULES_DIRECTORY "/%s/%.*s",
			 list->uts.release, (int)length, file);
	return is_of(path, image);
}

/* ----------------------------------------------------------------- list -- */

static void show(const struct list *list, const struct buildid_image *image)
{
	bool kernel = image->header.type == BUILDID_RECORD_KERNEL;
	char path[PATH_MAX], name[BUILDID_RECORD_MAX];
	bool found;

	if (!(kernel ? list->kernel : list->modules))
		return;
	if (!list->all && image->kind == BUILDID_KIND_NONE)
		return;
	found = kernel ? find_kernel(list, image, path) : find_module(list, image, path);
	snprintf(name, sizeof(name), "[%s]", buildid_image_name(image));
	lines_image(list->out, image, kernel ? KERNEL_NAME : found ? NULL : name,
		    found ? path : NULL);
}

static int show_all(struct list *list, struct buildid *handle)
{
	const struct buildid_lost *lost;
	const struct buildid_record *record;
	int err;

	while (!(err = buildid_next(handle, 0, &record))) {
		lost = (const void *)record;
		if (record->type == BUILDID_RECORD_LOST)
			list->lost += lost->ring_full;
		if (!(record->flags & BUILDID_RECORD_SNAPSHOT))
			continue;
		if (record->type == BUILDID_RECORD_KERNEL ||
		    record->type == BUILDID_RECORD_MODULE)
			show(list, (const void *)record);
	}
	return err == -EAGAIN ? 0 : err;
}

/* All of it is in the ring at once; only this process's mappings follow. */
static int subscribe(struct buildid *handle)
{
	const uint32_t self = (uint32_t)getpid();
	const struct buildid_options options = {
		.flags = BUILDID_SUB_KERNEL,
		.nr_pids = 1,
		.pids = &self,
	};

	return buildid_subscribe(handle, &options);
}

bool kernel_list(struct output *out, bool kernel, bool modules, bool all)
{
	struct list list = {
		.out = out, .kernel = kernel, .modules = modules, .all = all,
	};
	struct buildid *handle = module_open(out);
	char path[PATH_MAX];
	int err;

	if (!handle)
		return false;
	uname(&list.uts);
	snprintf(path, sizeof(path), MODULES_DIRECTORY "/%s/modules.dep",
		 list.uts.release);
	list.dependencies = read_text(path);
	err = list.dependencies ? subscribe(handle) : -ENOMEM;
	if (!err)
		err = show_all(&list, handle);
	if (err)
		module_error(out, BUILDID_DEVICE, err, NULL);
	else if (list.lost)
		out_error(out, BUILDID_DEVICE, "lost %" PRIu64 " records", list.lost);
	free(list.dependencies);
	buildid_close(handle);
	return !err && !list.lost;
}
