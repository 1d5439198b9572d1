// SPDX-License-Identifier: GPL-2.0
/* Locate: the candidates for each kind of file, one after the other. */

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/copy.h"
#include "common/open_regular.h"
#include "debug_dir.h"
#include "debuginfod.h"
#include "kernel_modules.h"
#include "locate.h"
#include "mapped_files.h"
#include "running_kernel.h"
#include "vdso.h"

#define KALLSYMS   "/proc/kallsyms"
#define DEBUG_FILE "/usr/lib/debug/.build-id/%.2s/%s.debug"
/* After so many files of one name with other contents, no more of them are opened. */
#define REFUSED_MAX 64

struct locator {
	struct mapped_files *mapped;   /* NULL until it is needed */
	struct debuginfod *debuginfod; /* NULL when it is not to be asked */
};

struct locator *locator_new(bool servers)
{
	struct locator *new = calloc(1, sizeof(*new));

	if (!new)
		return NULL;
	if (servers)
		new->debuginfod = debuginfod_new();
	if (!servers || new->debuginfod)
		return new;
	free(new);
	return NULL;
}

void locator_free(struct locator *locator)
{
	if (!locator)
		return;
	mapped_files_free(locator->mapped);
	debuginfod_free(locator->debuginfod);
	free(locator);
}

void located_file_free(struct located_file *found)
{
	if (found->fd >= 0)
		close(found->fd);
	free(found->path);
	free(found->name);
	*found = (struct located_file){ .fd = -1 };
}

/* ---------------------------------------------------------- candidates -- */

/* Owns @fd, which may be -1 with @reason, and @path. */
static bool check(struct located_file *found, int fd, char *path, const struct build_id *id,
		  enum content_part part, const char *source, struct reason *reason)
{
	if (fd >= 0 && content_is(fd, id, part, reason)) {
		found->fd = fd;
		found->part = part;
		found->path = path;
		found->source = source;
		return true;
	}
	if (fd >= 0)
		close(fd);
	free(path);
	return false;
}

static bool check_path(struct located_file *found, const char *path, const struct build_id *id,
		       enum content_part part, const char *source, struct reason *reason)
{
	if (!path)
		return reason_set(reason, "%s", strerror(ENOMEM));
	if (*path != '/')
		return reason_set(reason, "%s", strerror(ENOENT));
	return check(found, open_untrusted(AT_FDCWD, path, reason), strdup(path), id, part, source,
		     reason);
}

/* A file at its own path is called what perf would: by its real one. */
static bool check_named(struct located_file *found, const char *path, const struct build_id *id,
			struct reason *reason)
{
	if (!check_path(found, path, id, CONTENT_ELF, "path", reason))
		return false;
	found->name = realpath(path, NULL);
	return true;
}

struct inode {
	unsigned int major, minor;
	uint64_t ino;
};

struct refused {
	struct inode inodes[REFUSED_MAX];
	size_t count;
};

static bool is_refused(const struct refused *refused, const struct mapped_file *file)
{
	size_t i;

	for (i = 0; i < refused->count; i++)
		if (refused->inodes[i].ino == file->ino &&
		    refused->inodes[i].major == file->major &&
		    refused->inodes[i].minor == file->minor)
			return true;
	return refused->count == REFUSED_MAX;
}

static bool try_mapped(struct located_file *found, const struct mapped_file *file,
		       struct refused *refused, const struct build_id *id)
{
	struct reason reason;
	char *path = NULL;
	int fd;

	if (is_refused(refused, file))
		return false;
	fd = mapped_file_open(file, &path, &reason);
	if (check(found, fd, path, id, CONTENT_ELF, "mapped", &reason))
		return true;
	/* One that could not be opened may well open through another process. */
	if (fd >= 0)
		refused->inodes[refused->count++] =
			(struct inode){ file->major, file->minor, file->ino };
	return false;
}

/* The same name elsewhere comes second: a bind mount, a container, a rename. */
static bool find_mapped(struct locator *locator, const struct request *request, const char *path,
			struct located_file *found)
{
	const struct mapped_file *file;
	struct refused refused = {};
	int exact;

	if (!locator->mapped)
		locator->mapped = mapped_files_new();
	if (!locator->mapped)
		return false;
	for (exact = 1; exact >= 0; exact--)
		for (file = mapped_files_find(locator->mapped, path); file; file = file->next)
			if (exact == !strcmp(file->path, path) &&
			    try_mapped(found, file, &refused, &request->id))
				return true;
	return false;
}

static bool find_in_roots(const struct request *request, const char *path,
			  struct located_file *found)
{
	struct mapped_file file = { .path = path };
	struct reason reason;
	char *from = NULL;
	size_t i;
	int fd;

	for (i = 0; i < request->nr_pids; i++) {
		file.pid = request->pids[i];
		fd = mapped_file_open(&file, &from, &reason);
		if (check(found, fd, from, &request->id, CONTENT_ELF, "root", &reason))
			return true;
	}
	return false;
}

/* Requested as @asked, and checked as @part. */
static bool ask_servers(struct locator *locator, const struct build_id *id, enum content_part asked,
			enum content_part part, struct located_file *found, struct reason *reason)
{
	struct reason sent = {};
	char *path;
	int fd;

	*found = (struct located_file){ .fd = -1 };
	if (!locator->debuginfod)
		return reason_set(reason, "debuginfod was not asked");
	fd = debuginfod_get(locator->debuginfod, id, asked, &path, reason);
	if (fd < 0)
		return false;
	if (check(found, fd, path, id, part, "debuginfod", &sent))
		return true;
	return reason_set(reason, "the file from debuginfod %.200s", sent.text);
}

bool locate_on_servers(struct locator *locator, const struct build_id *id,
		       struct located_file *found, struct reason *reason)
{
	return ask_servers(locator, id, CONTENT_ELF, CONTENT_ELF, found, reason);
}

/*
 * The servers' reason is appended to that of the path. For a module they have no
 * executable, but maybe a debug file, and both have its symbols; so for the kernel.
 */
static bool find_on_servers(struct locator *locator, const struct request *request,
			    struct located_file *found, struct reason *reason)
{
	struct reason other;
	size_t length;

	if (!locator->debuginfod)
		return false;
	if (locate_on_servers(locator, &request->id, found, &other))
		return true;
	if ((request->kind == REQUEST_MODULE || request->kind == REQUEST_KERNEL) &&
	    ask_servers(locator, &request->id, CONTENT_DEBUG, CONTENT_ELF, found, &other))
		return true;
	length = strlen(reason->text);
	snprintf(reason->text + length, sizeof(reason->text) - length, "; %s", other.text);
	return false;
}

/* --------------------------------------------------------------- kinds -- */

/* @path is the path without " (deleted)": such a file may exist again. */
static bool find_named(const struct request *request, const char *path, struct located_file *found,
		       struct reason *reason)
{
	if (check_named(found, request->path, &request->id, reason))
		return true;
	return strcmp(path, request->path) && check_named(found, path, &request->id, reason);
}

static bool find_file(struct locator *locator, const struct request *request,
		      struct located_file *found, struct reason *reason)
{
	char *path = strip_deleted(request->path);
	bool done;

	if (!path)
		return reason_set(reason, "%s", strerror(ENOMEM));
	done = (request->path_first && find_named(request, path, found, reason)) ||
	       find_mapped(locator, request, path, found) || find_in_roots(request, path, found) ||
	       find_named(request, path, found, reason) ||
	       find_on_servers(locator, request, found, reason);
	if (done && !found->name)
		found->name = path;
	else
		free(path);
	return done;
}

/* A copy, as the kernel generates the text anew for each read. */
static int read_kallsyms(struct reason *reason)
{
	int from = open(KALLSYMS, O_RDONLY | O_CLOEXEC);
	int to = from < 0 ? -1 : memfd_create("kallsyms", MFD_CLOEXEC);

	if (to < 0) {
		reason_set(reason, KALLSYMS ": %s", strerror(errno));
	} else if (!copy_file(from, to, reason)) {
		close(to);
		to = -1;
	}
	if (from >= 0)
		close(from);
	return to;
}

static bool find_kallsyms(const struct build_id *id, struct located_file *found,
			  struct reason *reason)
{
	char text[BUILD_ID_TEXT];
	struct build_id running;
	int fd;

	if (!running_kernel_build_id(&running))
		return reason_set(reason, "the running kernel's build-id is not readable");
	if (!build_id_equal(&running, id))
		return reason_set(reason, "the running kernel has build-id %s",
				  build_id_text(&running, text));
	fd = read_kallsyms(reason);
	return fd >= 0 && check(found, fd, NULL, id, CONTENT_KALLSYMS, "kernel", reason);
}

static bool find_image(const struct build_id *id, struct located_file *found)
{
	struct reason reason;
	size_t index = 0;
	char *path;
	bool done = false;

	while (!done && (path = vmlinux_path(index++))) {
		done = check_path(found, path, id, CONTENT_ELF, "path", &reason);
		free(path);
	}
	return done;
}

static bool find_kernel(struct locator *locator, const struct request *request,
			struct located_file *found, struct reason *reason)
{
	bool done = find_kallsyms(&request->id, found, reason) || find_image(&request->id, found) ||
		    find_on_servers(locator, request, found, reason);

	if (done)
		found->name = strdup(DEBUG_DIR_KERNEL);
	return done;
}

static bool find_loaded(const char *name, const struct build_id *id, struct located_file *found)
{
	struct reason reason;
	char *path = name ? module_file(name) : NULL;
	bool done = path && check_named(found, path, id, &reason);

	free(path);
	return done;
}

static bool find_loaded_id(const struct build_id *id, struct located_file *found)
{
	char *name = loaded_module_name(id);
	bool done = find_loaded(name, id, found);

	free(name);
	return done;
}

struct module_search {
	const struct request *request;
	struct located_file *found;
};

static bool try_module(const char *path, void *context)
{
	struct module_search *search = context;
	struct reason reason;

	return check_named(search->found, path, &search->request->id, &reason);
}

/* For another kernel, or not what modprobe would load now. */
static bool find_installed(const struct request *request, struct located_file *found)
{
	struct module_search search = { request, found };

	return module_files_search(request->path, !request->at_once, try_module, &search);
}

static bool find_module(struct locator *locator, const struct request *request,
			struct located_file *found, struct reason *reason)
{
	bool done = check_named(found, request->path, &request->id, reason) ||
		    find_loaded_id(&request->id, found) ||
		    find_loaded(request->path, &request->id, found) ||
		    find_installed(request, found) ||
		    find_on_servers(locator, request, found, reason);

	if (done && !found->name)
		found->name = strdup(request->path);
	return done;
}

static bool find_vdso(struct locator *locator, const struct request *request,
		      struct located_file *found, struct reason *reason)
{
	bool done;
	size_t i;

	reason_set(reason, "cannot be read");
	done = check(found, vdso_open(0), NULL, &request->id, CONTENT_VDSO, "kernel", reason);
	/* 32-bit processes have another one, and so have time namespaces. */
	for (i = 0; !done && i < request->nr_pids; i++)
		done = check(found, vdso_open(request->pids[i]), NULL, &request->id, CONTENT_VDSO,
			     "mapped", reason);
	if (!done && find_on_servers(locator, request, found, reason)) {
		found->part = CONTENT_VDSO;
		done = true;
	}
	if (done)
		found->name = strdup(DEBUG_DIR_VDSO);
	return done;
}

bool locate_request(struct locator *locator, const struct request *request,
		    struct located_file *found, struct reason *reason)
{
	typedef bool find(struct locator * locator, const struct request *request,
			  struct located_file *found, struct reason *reason);
	static find *const finds[] = {
		[REQUEST_FILE] = find_file,
		[REQUEST_KERNEL] = find_kernel,
		[REQUEST_MODULE] = find_module,
		[REQUEST_VDSO] = find_vdso,
	};

	*found = (struct located_file){ .fd = -1 };
	if (!finds[request->kind](locator, request, found, reason))
		return false;
	if (found->name)
		return true;
	located_file_free(found);
	return reason_set(reason, "%s", strerror(ENOMEM));
}

bool locate_kernel(const struct build_id *id, struct located_file *found)
{
	*found = (struct located_file){ .fd = -1 };
	return find_image(id, found) || find_loaded_id(id, found);
}

/* --------------------------------------------------------- debug files -- */

static char *debug_path(const struct build_id *id)
{
	char text[BUILD_ID_TEXT];
	char *path;

	build_id_text(id, text);
	if (id->size < 2 || asprintf(&path, DEBUG_FILE, text, text + 2) < 0)
		return NULL;
	return path;
}

bool locate_debug(struct locator *locator, const struct build_id *id, bool servers,
		  struct located_file *found, struct reason *reason)
{
	char *path = debug_path(id);
	bool done;

	*found = (struct located_file){ .fd = -1 };
	done = path && check_path(found, path, id, CONTENT_DEBUG, "path", reason);
	free(path);
	return done ||
	       (servers && ask_servers(locator, id, CONTENT_DEBUG, CONTENT_DEBUG, found, reason));
}
