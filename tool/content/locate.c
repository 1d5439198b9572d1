// SPDX-License-Identifier: GPL-2.0
/* Locate: candidates, one after the other. */

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
#include "locate.h"
#include "mapped.h"
#include "running.h"

#define KALLSYMS   "/proc/kallsyms"
#define DEBUG_FILE "/usr/lib/debug/.build-id/%.2s/%s.debug"
/* Files of one name that are something else: more are not looked into. */
#define REFUSED_MAX 64

struct locate {
	struct mapped *mapped;	       /* NULL before it is needed */
	struct debuginfod *debuginfod; /* NULL when it is not to be asked */
};

struct locate *locate_new(bool servers)
{
	struct locate *new = calloc(1, sizeof(*new));

	if (!new)
		return NULL;
	if (servers)
		new->debuginfod = debuginfod_new();
	if (!servers || new->debuginfod)
		return new;
	free(new);
	return NULL;
}

void locate_free(struct locate *locate)
{
	if (!locate)
		return;
	mapped_free(locate->mapped);
	debuginfod_free(locate->debuginfod);
	free(locate);
}

void found_free(struct found *found)
{
	if (found->fd >= 0)
		close(found->fd);
	free(found->path);
	free(found->name);
	*found = (struct found){ .fd = -1 };
}

/* ---------------------------------------------------------- candidates -- */

/* Takes @fd, which may be -1, and @path. */
static bool take(struct found *found, int fd, char *path, const struct build_id *id,
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

static bool take_path(struct found *found, const char *path, const struct build_id *id,
		      enum content_part part, const char *source, struct reason *reason)
{
	if (!path)
		return reason_set(reason, "%s", strerror(ENOMEM));
	if (*path != '/')
		return reason_set(reason, "%s", strerror(ENOENT));
	return take(found, open_untrusted(AT_FDCWD, path, reason), strdup(path), id, part, source,
		    reason);
}

/* A file at its own path is called what perf would: by its real one. */
static bool take_named(struct found *found, const char *path, const struct build_id *id,
		       struct reason *reason)
{
	if (!take_path(found, path, id, CONTENT_ELF, "path", reason))
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

static bool try_mapped(struct found *found, const struct mapped_file *file, struct refused *refused,
		       const struct build_id *id)
{
	struct reason reason;
	char *path = NULL;
	int fd;

	if (is_refused(refused, file))
		return false;
	fd = mapped_open(file, &path, &reason);
	if (take(found, fd, path, id, CONTENT_ELF, "mapped", &reason))
		return true;
	/* One that could not be opened may be by way of another process. */
	if (fd >= 0)
		refused->inodes[refused->count++] =
			(struct inode){ file->major, file->minor, file->ino };
	return false;
}

static bool is_same_path(const struct mapped_file *file, const char *path)
{
	return !strcmp(file->path, path);
}

/* The same name elsewhere comes second: a bind mount, a container, a rename. */
static bool find_mapped(struct locate *locate, const struct request *request, const char *path,
			struct found *found)
{
	const struct mapped_file *file;
	struct refused refused = {};
	int exact;

	if (!locate->mapped)
		locate->mapped = mapped_new();
	if (!locate->mapped)
		return false;
	for (exact = 1; exact >= 0; exact--)
		for (file = mapped_find(locate->mapped, path); file; file = file->next)
			if (is_same_path(file, path) == exact &&
			    try_mapped(found, file, &refused, &request->id))
				return true;
	return false;
}

static bool find_in_roots(const struct request *request, const char *path, struct found *found)
{
	struct mapped_file file = { .path = path };
	struct reason reason;
	char *from = NULL;
	size_t i;
	int fd;

	for (i = 0; i < request->nr_pids; i++) {
		file.pid = request->pids[i];
		fd = mapped_open(&file, &from, &reason);
		if (take(found, fd, from, &request->id, CONTENT_ELF, "root", &reason))
			return true;
	}
	return false;
}

/* Asked for as @asked, and judged as @part. */
static bool ask_servers(struct locate *locate, const struct build_id *id, enum content_part asked,
			enum content_part part, struct found *found, struct reason *reason)
{
	struct reason sent = {};
	char *path;
	int fd;

	*found = (struct found){ .fd = -1 };
	if (!locate->debuginfod)
		return reason_set(reason, "no server was asked");
	fd = debuginfod_get(locate->debuginfod, id, asked, &path, reason);
	if (fd < 0)
		return false;
	if (take(found, fd, path, id, part, "debuginfod", &sent))
		return true;
	return reason_set(reason, "what debuginfod sent %.200s", sent.text);
}

bool locate_on_servers(struct locate *locate, const struct build_id *id, struct found *found,
		       struct reason *reason)
{
	return ask_servers(locate, id, CONTENT_ELF, CONTENT_ELF, found, reason);
}

/*
 * What is said of the servers goes behind what was said of the path. A module is no
 * executable to them, but may be a debug file; both have its symbols. So has that
 * of the kernel.
 */
static bool find_on_servers(struct locate *locate, const struct request *request,
			    struct found *found, struct reason *reason)
{
	struct reason other;
	size_t length;

	if (!locate->debuginfod)
		return false;
	if (locate_on_servers(locate, &request->id, found, &other))
		return true;
	if ((request->kind == REQUEST_MODULE || request->kind == REQUEST_KERNEL) &&
	    ask_servers(locate, &request->id, CONTENT_DEBUG, CONTENT_ELF, found, &other))
		return true;
	length = strlen(reason->text);
	snprintf(reason->text + length, sizeof(reason->text) - length, "; %s", other.text);
	return false;
}

/* --------------------------------------------------------------- kinds -- */

/* @path is that of @wanted without " (deleted)": it may be there again. */
static bool find_named(const struct request *request, const char *path, struct found *found,
		       struct reason *reason)
{
	if (take_named(found, request->path, &request->id, reason))
		return true;
	return strcmp(path, request->path) && take_named(found, path, &request->id, reason);
}

static bool find_file(struct locate *locate, const struct request *request, struct found *found,
		      struct reason *reason)
{
	char *path = mapped_strip(request->path);
	bool done;

	if (!path)
		return reason_set(reason, "%s", strerror(ENOMEM));
	done = (request->path_first && find_named(request, path, found, reason)) ||
	       find_mapped(locate, request, path, found) || find_in_roots(request, path, found) ||
	       find_named(request, path, found, reason) ||
	       find_on_servers(locate, request, found, reason);
	if (done && !found->name)
		found->name = path;
	else
		free(path);
	return done;
}

/* In memory, as the kernel writes it anew for whoever reads it. */
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

static bool find_kallsyms(const struct build_id *id, struct found *found, struct reason *reason)
{
	char text[BUILD_ID_TEXT];
	struct build_id running;
	int fd;

	if (!running_id(&running))
		return reason_set(reason, "the running kernel's build-id cannot be read");
	if (!build_id_equal(&running, id))
		return reason_set(reason, "the running kernel has build-id %s",
				  build_id_text(&running, text));
	fd = read_kallsyms(reason);
	return fd >= 0 && take(found, fd, NULL, id, CONTENT_KALLSYMS, "kernel", reason);
}

static bool find_image(const struct build_id *id, struct found *found)
{
	struct reason reason;
	size_t index = 0;
	char *path;
	bool done = false;

	while (!done && (path = running_image_path(index++))) {
		done = take_path(found, path, id, CONTENT_ELF, "path", &reason);
		free(path);
	}
	return done;
}

static bool find_kernel(struct locate *locate, const struct request *request, struct found *found,
			struct reason *reason)
{
	bool done = find_kallsyms(&request->id, found, reason) || find_image(&request->id, found) ||
		    find_on_servers(locate, request, found, reason);

	if (done)
		found->name = strdup(DEBUG_DIR_KERNEL);
	return done;
}

static bool find_loaded(const struct request *request, const char *name, struct found *found)
{
	struct reason reason;
	char *path = name ? running_module_path(name) : NULL;
	bool done = path && take_named(found, path, &request->id, &reason);

	free(path);
	return done;
}

static bool find_loaded_id(const struct request *request, struct found *found)
{
	char *name = running_module_of(&request->id);
	bool done = find_loaded(request, name, found);

	free(name);
	return done;
}

struct module_search {
	const struct request *request;
	struct found *found;
};

static bool try_module(const char *path, void *context)
{
	struct module_search *search = context;
	struct reason reason;

	return take_named(search->found, path, &search->request->id, &reason);
}

/* Of another kernel, or not what modprobe would load now. */
static bool find_installed(const struct request *request, struct found *found)
{
	struct module_search search = { request, found };

	return running_module_files(request->path, !request->at_once, try_module, &search);
}

static bool find_module(struct locate *locate, const struct request *request, struct found *found,
			struct reason *reason)
{
	bool done = take_named(found, request->path, &request->id, reason) ||
		    find_loaded_id(request, found) || find_loaded(request, request->path, found) ||
		    find_installed(request, found) ||
		    find_on_servers(locate, request, found, reason);

	if (done && !found->name)
		found->name = strdup(request->path);
	return done;
}

static bool find_vdso(struct locate *locate, const struct request *request, struct found *found,
		      struct reason *reason)
{
	bool done;
	size_t i;

	reason_set(reason, "cannot be read");
	done = take(found, running_vdso(0), NULL, &request->id, CONTENT_VDSO, "kernel", reason);
	/* That of a 32-bit process, or of a time namespace. */
	for (i = 0; !done && i < request->nr_pids; i++)
		done = take(found, running_vdso(request->pids[i]), NULL, &request->id, CONTENT_VDSO,
			    "mapped", reason);
	if (!done && find_on_servers(locate, request, found, reason)) {
		found->part = CONTENT_VDSO;
		done = true;
	}
	if (done)
		found->name = strdup(DEBUG_DIR_VDSO);
	return done;
}

bool locate_find(struct locate *locate, const struct request *request, struct found *found,
		 struct reason *reason)
{
	typedef bool find(struct locate * locate, const struct request *request,
			  struct found *found, struct reason *reason);
	static find *const finds[] = {
		[REQUEST_FILE] = find_file,
		[REQUEST_KERNEL] = find_kernel,
		[REQUEST_MODULE] = find_module,
		[REQUEST_VDSO] = find_vdso,
	};

	*found = (struct found){ .fd = -1 };
	if (!finds[request->kind](locate, request, found, reason))
		return false;
	if (found->name)
		return true;
	found_free(found);
	return reason_set(reason, "%s", strerror(ENOMEM));
}

bool locate_kernel(const struct build_id *id, struct found *found)
{
	struct request request = { .id = *id };

	*found = (struct found){ .fd = -1 };
	return find_image(id, found) || find_loaded_id(&request, found);
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

bool locate_debug(struct locate *locate, const struct build_id *id, bool servers,
		  struct found *found, struct reason *reason)
{
	char *path = debug_path(id);
	bool done;

	*found = (struct found){ .fd = -1 };
	done = path && take_path(found, path, id, CONTENT_DEBUG, "path", reason);
	free(path);
	return done ||
	       (servers && ask_servers(locate, id, CONTENT_DEBUG, CONTENT_DEBUG, found, reason));
}
