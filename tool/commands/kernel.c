// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel: the identities come from the module, which reads them from memory. The path of a file is
 * printed only if the file is known to be from the same build.
 */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "content/elf_file.h"
#include "content/kernel_modules.h"
#include "content/running_kernel.h"
#include "kernel.h"
#include "print.h"
#include "module.h"

/* In the header of a bzImage, see Documentation/arch/x86/boot.rst. */
#define BOOT_MAGIC_AT	  0x202
#define BOOT_MAGIC	  "HdrS"
#define BOOT_VERSION_AT	  0x20e
#define BOOT_VERSION_FROM 0x200
#define BOOT_HEADER_SIZE  0x8000

struct list {
	struct output *out;
	bool kernel;
	bool modules;
	bool all;
	uint64_t lost;
};

static bool is_of(const char *path, const struct build_id *id)
{
	struct build_id found;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	bool is;

	if (fd < 0)
		return false;
	is = elf_file_build_id(fd, &found) && build_id_equal(&found, id);
	close(fd);
	return is;
}

/* --------------------------------------------------------------- kernel -- */

/* "RELEASE (who built it) VERSION", where uname has release and version. */
static bool is_version(const char *text, const struct utsname *uts)
{
	size_t release = strlen(uts->release), version = strlen(uts->version);
	size_t length = strlen(text);

	return length > release + version && !strncmp(text, uts->release, release) &&
	       text[release] == ' ' && !strcmp(text + length - version, uts->version) &&
	       text[length - version - 1] == ' ';
}

/* A bootable image may be compressed in many ways, but its header has the version. */
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
	      (size_t)(unsigned char)header[BOOT_VERSION_AT + 1] << 8) +
	     BOOT_VERSION_FROM;
	header[size] = '\0';
	return at < (size_t)size && is_version(header + at, uts);
}

static char *find_bootable(void)
{
	struct utsname uts;
	size_t index = 0;
	char *path;

	uname(&uts);
	while ((path = vmlinuz_path(index++)) && !boots(path, &uts))
		free(path);
	return path;
}

char *kernel_path(const struct build_id *id)
{
	struct build_id running;
	size_t index = 0;
	char *path;

	while ((path = vmlinux_path(index++)) && !is_of(path, id))
		free(path);
	if (path)
		return path;
	return running_kernel_build_id(&running) && build_id_equal(&running, id) ? find_bootable() :
										   NULL;
}

static char *module_path(const char *name, const struct build_id *id)
{
	char *path = module_file(name);

	if (path && is_of(path, id))
		return path;
	free(path);
	return NULL;
}

/* ----------------------------------------------------------------- list -- */

static void kernel_show(const struct list *list, const struct buildid_image *image)
{
	bool kernel = image->header.type == BUILDID_RECORD_KERNEL;
	char name[BUILDID_RECORD_MAX];
	struct build_id id;
	const uint8_t *bytes;
	char *path = NULL;
	size_t size;

	if (!(kernel ? list->kernel : list->modules))
		return;
	if (!list->all && image->kind == BUILDID_KIND_NONE)
		return;
	bytes = buildid_image_id_bytes(image, &size);
	if (bytes && build_id_set(&id, bytes, size))
		path = kernel ? kernel_path(&id) : module_path(buildid_image_name(image), &id);
	snprintf(name, sizeof(name), "[%s]", buildid_image_name(image));
	print_image(list->out, image, kernel ? KERNEL_NAME : path ? NULL : name, path);
	free(path);
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
		if (record->type == BUILDID_RECORD_KERNEL || record->type == BUILDID_RECORD_MODULE)
			kernel_show(list, (const void *)record);
	}
	return err == -EAGAIN ? 0 : err;
}

bool kernel_list(struct output *out, bool kernel, bool modules, bool all)
{
	struct list list = {
		.out = out,
		.kernel = kernel,
		.modules = modules,
		.all = all,
	};
	/* The images are in the ring at once; of mappings only those of this process follow. */
	const uint32_t self = (uint32_t)getpid();
	const struct buildid_options options = {
		.size = sizeof(options),
		.flags = BUILDID_SUB_KERNEL,
		.nr_pids = 1,
		.pids = &self,
	};
	struct buildid *handle = module_open(out);
	int err;

	if (!handle)
		return false;
	err = buildid_subscribe(handle, &options);
	if (!err)
		err = show_all(&list, handle);
	if (err)
		module_error(out, BUILDID_DEVICE, err, NULL);
	else if (list.lost)
		out_error(out, BUILDID_DEVICE, "lost %" PRIu64 " records", list.lost);
	buildid_close(handle);
	return !err && !list.lost;
}
