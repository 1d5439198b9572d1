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

#include "common/array.h"
#include "common/clock.h"
#include "common/content_name.h"
#include "common/copy.h"
#include "common/hash_map.h"
#include "common/open_regular.h"
#include "debug_dir.h"
#include "debuginfod.h"
#include "elf_file.h"
#include "kernel_modules.h"
#include "libbuildid/libbuildid.h"
#include "locate.h"
#include "mapped_files.h"
#include "running_kernel.h"
#include "served_device.h"
#include "vdso.h"

#define KALLSYMS   "/proc/kallsyms"
#define DEBUG_FILE "/usr/lib/debug/.build-id/%.2s/%s.debug"
/* Links to programs and libraries, of Fedora and others. */
#define LINKS_OF_DEBUG "/usr/lib/debug/.build-id"
#define LINKS_OF_FILES "/usr/lib/.build-id"
/* After this many files with the name and other contents, no more of them are opened. */
#define REFUSED_MAX 64
/* Nanoseconds after which the mappings of all processes are read again, if needed. */
#define MAPPED_FOR 30000000000ULL
/* The most files of other users to read for their ids: anybody may map any number. */
#define OTHERS_MAX 16384

struct locator {
	struct mapped_files *mapped; /* NULL until needed */
	uint64_t mapped_at;	     /* CLOCK_MONOTONIC */
	struct hash_map mapped_ids;  /* indices of these, once needed */
	struct hash_map others_ids;  /* the same, for files that another user can write to */
	bool ids_read;
	uint32_t *others; /* indices of such files that have not been opened yet */
	size_t nr_others;
	bool others_read;
	struct buildid *module;	       /* or NULL */
	struct hash_map known_ids;     /* indices, by the module's id for the inode */
	struct debuginfod *debuginfod; /* NULL if it must not be asked */
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

static void forget_mapped(struct locator *locator)
{
	mapped_files_free(locator->mapped);
	locator->mapped = NULL;
	hash_map_free(&locator->mapped_ids);
	hash_map_free(&locator->others_ids);
	hash_map_free(&locator->known_ids);
	free(locator->others);
	locator->others = NULL;
	locator->nr_others = 0;
	locator->ids_read = false;
	locator->others_read = false;
}

void locator_ask(struct locator *locator, struct buildid *module)
{
	locator->module = module;
}

void locator_free(struct locator *locator)
{
	if (!locator)
		return;
	forget_mapped(locator);
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

struct search {
	struct locator *locator;
	const struct request *request;
	const struct build_id *id; /* the requested */
	struct located_file *found;
	struct reason *reason;
	bool ours; /* only files that no other user can write to */
};

static bool may_answer(const struct search *search, int fd)
{
	return !search->ours || content_is_ours(fd) ||
	       reason_set(search->reason, "can be written by another user");
}

/* Owns @fd, which may be -1 with a reason, and @path. */
static bool locate_check(struct search *search, int fd, char *path, enum content_part part,
			 const char *source)
{
	if (fd >= 0 && may_answer(search, fd) && content_is(fd, search->id, part, search->reason)) {
		*search->found = (struct located_file){
			.fd = fd,
			.part = part,
			.path = path,
			.source = source,
		};
		return true;
	}
	if (fd >= 0)
		close(fd);
	free(path);
	return false;
}

static bool check_path(struct search *search, const char *path, enum content_part part)
{
	if (*path != '/')
		return reason_set(search->reason, "%s", strerror(ENOENT));
	return locate_check(search, open_untrusted(AT_FDCWD, path, search->reason), strdup(path),
			    part, "path");
}

/* A file at its own path is named as by perf: by its real path. */
static bool check_named(struct search *search, const char *path)
{
	if (!check_path(search, path, CONTENT_ELF))
		return false;
	search->found->name = realpath(path, NULL);
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

static bool check_mapped(struct search *search, const struct mapped_file *file,
			 struct refused *refused)
{
	char *path;
	bool counts;
	int fd;

	if (is_refused(refused, file))
		return false;
	fd = mapped_file_open(file, &path, search->reason);
	/*
	 * A file that could not be opened may be accessible through another process, and other
	 * users' files must not keep us from finding the right one.
	 */
	counts = fd >= 0 && may_answer(search, fd);
	if (locate_check(search, fd, path, CONTENT_ELF, "mapped"))
		return true;
	if (counts)
		refused->inodes[refused->count++] =
			(struct inode){ file->major, file->minor, file->ino };
	return false;
}

/* Any process may have mapped anything under any name: another user's only on request. */
static bool may_ask(const struct search *search, const struct mapped_file *file)
{
	const struct request *request = search->request;
	size_t i;

	for (i = 0; i < request->nr_pids; i++)
		if (request->pids[i] == file->pid)
			return true;
	return search->ours || request->any;
}

static bool read_mapped(struct locator *locator)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (locator->mapped && now - locator->mapped_at < MAPPED_FOR)
		return true;
	forget_mapped(locator);
	locator->mapped = mapped_files_new();
	locator->mapped_at = now;
	return locator->mapped;
}

/* The same name elsewhere comes second: a bind mount, a container, a rename. */
static bool find_mapped(struct search *search, const char *path)
{
	struct locator *locator = search->locator;
	const struct mapped_file *file = NULL;
	struct refused refused = {};
	int exact;

	if (!read_mapped(locator))
		return false;
	for (exact = 1; exact >= 0; exact--)
		while ((file = mapped_files_next(locator->mapped, path, file)))
			if (exact == !strcmp(file->path, path) && may_ask(search, file) &&
			    check_mapped(search, file, &refused))
				return true;
	return false;
}

static bool find_in_roots(struct search *search, const char *path)
{
	struct mapped_file file = { .path = path };
	char *from;
	size_t i;
	int fd;

	for (i = 0; i < search->request->nr_pids; i++) {
		file.pid = search->request->pids[i];
		fd = mapped_file_open(&file, &from, search->reason);
		if (locate_check(search, fd, from, CONTENT_ELF, "root"))
			return true;
	}
	return false;
}

/* Request it as @asked, and check it as @part. */
static bool ask_servers(struct search *search, enum content_part asked, enum content_part part)
{
	struct debuginfod *debuginfod = search->locator->debuginfod;
	struct reason reason;
	char *path;
	int fd;

	if (!debuginfod)
		return reason_set(search->reason, "debuginfod was not asked");
	fd = debuginfod_get(debuginfod, search->id, asked, &path, search->reason);
	if (fd < 0)
		return false;
	if (locate_check(search, fd, path, part, "debuginfod"))
		return true;
	reason = *search->reason;
	return reason_set(search->reason, "the file from debuginfod %.200s", reason.text);
}

/*
 * The servers' reason is appended to that of the path. For a module they have no
 * executable, but maybe a debug file, and both have its symbols; so for the kernel.
 */
static bool find_on_servers(struct search *search)
{
	enum request_kind kind = search->request->kind;
	struct search servers = *search;
	struct reason *reason = search->reason;
	struct reason other;
	size_t length;

	if (!search->locator->debuginfod)
		return false;
	servers.reason = &other;
	if (ask_servers(&servers, CONTENT_ELF, CONTENT_ELF))
		return true;
	if ((kind == REQUEST_MODULE || kind == REQUEST_KERNEL) &&
	    ask_servers(&servers, CONTENT_DEBUG, CONTENT_ELF))
		return true;
	length = strlen(reason->text);
	snprintf(reason->text + length, sizeof(reason->text) - length, "; %s", other.text);
	return false;
}

/* --------------------------------------------------------------- files -- */

/* The names to try: as requested, then without suffixes that may have been added, the path last. */
struct names {
	char *paths[4];
	size_t count;
};

static bool names_add(struct names *names, char *path)
{
	size_t i;

	for (i = 0; path && i < names->count; i++)
		if (!strcmp(names->paths[i], path)) {
			free(path);
			return true;
		}
	if (path)
		names->paths[names->count++] = path;
	return path;
}

static void names_free(struct names *names)
{
	while (names->count)
		free(names->paths[--names->count]);
}

/* A file may really have that name. */
static bool names_of(const struct request *request, struct names *names)
{
	const char *path = request->path;
	char *plain = strndup(path, content_name_path(path, &request->id));
	bool done = plain && names_add(names, strdup(path)) && names_add(names, strdup(plain)) &&
		    names_add(names, strip_deleted(path)) && names_add(names, strip_deleted(plain));

	free(plain);
	return done;
}

/* A file found gets that name, unless it has one. */
static bool find_each(struct search *search, const struct names *names,
		      bool (*find)(struct search *search, const char *path))
{
	size_t i;

	for (i = 0; i < names->count; i++)
		if (find(search, names->paths[i])) {
			if (!search->found->name)
				search->found->name = strdup(names->paths[i]);
			return true;
		}
	return false;
}

static bool find_local(struct search *search, const struct names *names)
{
	return find_each(search, names, check_named) || find_each(search, names, find_mapped) ||
	       find_each(search, names, find_in_roots);
}

static bool find_anywhere(struct search *search, const struct names *names)
{
	struct search quiet = *search;
	struct reason unused;

	quiet.reason = &unused;
	quiet.ours = true;
	if (find_local(&quiet, names))
		return true;
	if (search->ours)
		return reason_set(search->reason, "not found");
	quiet.ours = false;
	/* Check what is at the path once more at the end, for its reason. */
	if (find_local(&quiet, names) || find_each(search, names, check_named))
		return true;
	if (!find_on_servers(search))
		return false;
	search->found->name = strdup(names->paths[names->count - 1]);
	return true;
}

static bool find_file(struct search *search)
{
	struct names names = {};
	bool done;

	if (names_of(search->request, &names))
		done = find_anywhere(search, &names);
	else
		done = reason_set(search->reason, "%s", strerror(ENOMEM));
	names_free(&names);
	return done;
}

bool locate_at_path(struct locator *locator, const struct request *request,
		    struct located_file *found)
{
	struct reason unused;
	struct search search = { locator, request, &request->id, found, &unused, false };
	struct names names = {};
	bool done;

	*found = (struct located_file){ .fd = -1 };
	done = names_of(request, &names) && (find_each(&search, &names, check_named) ||
					     find_each(&search, &names, find_in_roots));
	names_free(&names);
	return done;
}

/* -------------------------------------------------------------- kernel -- */

/* A copy, as the kernel generates the text at each read. */
static int read_kallsyms(struct reason *reason)
{
	int from = open(KALLSYMS, O_RDONLY | O_CLOEXEC);
	int to = from < 0 ? -1 : memfd_create("kallsyms", MFD_CLOEXEC);

	if (to < 0) {
		reason_set(reason, KALLSYMS ": %s", strerror(errno));
	} else if (!copy_file(from, to, COPY_ALL, reason)) {
		close(to);
		to = -1;
	}
	if (from >= 0)
		close(from);
	return to;
}

static bool find_kallsyms(struct search *search)
{
	char text[BUILD_ID_TEXT];
	struct build_id running;
	int fd;

	if (!running_kernel_build_id(&running))
		return reason_set(search->reason, "the running kernel's build-id is not readable");
	if (!build_id_equal(&running, search->id))
		return reason_set(search->reason, "the running kernel has build-id %s",
				  build_id_text(&running, text));
	fd = read_kallsyms(search->reason);
	return fd >= 0 && locate_check(search, fd, NULL, CONTENT_KALLSYMS, "kernel");
}

static bool find_vmlinux(struct search *search)
{
	size_t index = 0;
	char *path;
	bool done = false;

	while (!done && (path = vmlinux_path(index++))) {
		done = check_path(search, path, CONTENT_ELF);
		free(path);
	}
	return done;
}

static bool find_kernel(struct search *search)
{
	struct search quiet = *search;
	struct reason unused;
	bool done;

	quiet.reason = &unused;
	done = find_kallsyms(search) || find_vmlinux(&quiet) || find_on_servers(search);
	if (done)
		search->found->name = strdup(DEBUG_DIR_KERNEL);
	return done;
}

/* ------------------------------------------------------------- modules -- */

static bool find_by_name(struct search *search, const char *name)
{
	char *path = name ? module_file(name) : NULL;
	bool done = path && check_named(search, path);

	free(path);
	return done;
}

/* Is this the requested module, if one was named? */
static bool is_requested(const struct search *search, const char *name)
{
	char requested[MODULE_NAME_ROOM];

	if (!search->request)
		return true;
	module_name(search->request->path, requested);
	return !strcmp(name, requested);
}

static bool find_loaded(struct search *search)
{
	char *name = loaded_module_name(search->id);
	bool done = name && is_requested(search, name) && find_by_name(search, name);

	free(name);
	return done;
}

static bool check_module(const char *path, void *search)
{
	return check_named(search, path);
}

/* For another kernel, or not what modprobe would load now. */
static bool find_installed(struct search *search)
{
	const struct request *request = search->request;

	return module_files_search(request->path, !request->at_once, check_module, search);
}

static bool find_module(struct search *search)
{
	const char *path = search->request->path;
	struct search quiet = *search;
	struct reason unused;
	bool done;

	quiet.reason = &unused;
	done = check_named(search, path) || find_loaded(&quiet) || find_by_name(&quiet, path) ||
	       find_installed(&quiet) || (!search->request->doubtful && find_on_servers(search));
	if (done && !search->found->name)
		search->found->name = strdup(path);
	return done;
}

/* ---------------------------------------------------------------- vdso -- */

static bool find_vdso(struct search *search)
{
	const struct request *request = search->request;
	bool done;
	size_t i;

	reason_set(search->reason, "cannot be read");
	done = locate_check(search, vdso_open(0), NULL, CONTENT_VDSO, "kernel");
	/* 32-bit processes have another one, and so have time namespaces. */
	for (i = 0; !done && i < request->nr_pids; i++)
		done = locate_check(search, vdso_open(request->pids[i]), NULL, CONTENT_VDSO,
				    "mapped");
	if (!done && find_on_servers(search)) {
		search->found->part = CONTENT_VDSO;
		done = true;
	}
	if (done)
		search->found->name = strdup(DEBUG_DIR_VDSO);
	return done;
}

/* ------------------------------------------------------------ requests -- */

bool locate_request(struct locator *locator, const struct request *request,
		    struct located_file *found, struct reason *reason)
{
	static bool (*const finds[])(struct search * search) = {
		[REQUEST_FILE] = find_file,
		[REQUEST_KERNEL] = find_kernel,
		[REQUEST_MODULE] = find_module,
		[REQUEST_VDSO] = find_vdso,
	};
	struct search search = { locator, request, &request->id, found, reason, request->ours };

	*found = (struct located_file){ .fd = -1 };
	if (!finds[request->kind](&search))
		return false;
	if (found->name)
		return true;
	located_file_free(found);
	return reason_set(reason, "%s", strerror(ENOMEM));
}

bool locate_kernel(const struct build_id *id, struct located_file *found)
{
	struct reason reason;
	struct search search = { .id = id, .found = found, .reason = &reason };

	*found = (struct located_file){ .fd = -1 };
	return find_vmlinux(&search) || find_loaded(&search);
}

/* --------------------------------------------------------- by id alone -- */

static uint64_t key_of(const struct build_id *id)
{
	return hash_bytes(hash_start(), id->bytes, id->size);
}

static bool is_seen(struct hash_map *inodes, const struct mapped_file *file)
{
	const uint64_t inode[] = { file->major, file->minor, file->ino };
	uint64_t key = hash_bytes(hash_start(), inode, sizeof(inode));

	return hash_map_get(inodes, key, 0) || !hash_map_set(inodes, key, 1);
}

/* Cached in @served by device: 1 for no, 2 for yes. */
static bool may_hang(struct hash_map *served, const struct mapped_file *file)
{
	uint64_t device = (uint64_t)file->major << 32 | file->minor;
	uint32_t known = hash_map_get(served, device, 0);

	if (!known) {
		known = 1 + served_device_is(file->pid, file->major, file->minor);
		hash_map_set(served, device, known);
	}
	return known == 2;
}

/* False if the module does not know its present content. */
static bool module_knows(struct locator *locator, const struct mapped_file *file, uint32_t index)
{
	const struct buildid_key key = {
		.size = sizeof(key),
		.flags = BUILDID_KEY_ANY_GENERATION | BUILDID_KEY_ANY_TREE,
		.dev_major = file->major,
		.dev_minor = file->minor,
		.ino = file->ino,
	};
	uint64_t buffer[BUILDID_RECORD_MAX / sizeof(uint64_t)];
	const struct buildid_file *known;
	const uint8_t *bytes;
	struct build_id id;
	size_t size;
	int err;

	err = locator->module ?
		      buildid_resolve_key(locator->module, &key, buffer, sizeof(buffer), &known) :
		      -ENOENT;
	/* which then holds for all files */
	if (err == -EPERM)
		locator->module = NULL;
	if (err || known->kind == BUILDID_KIND_NONE || known->flags & BUILDID_FILE_UNSTABLE)
		return false;
	bytes = buildid_file_id_bytes(known, &size);
	if (known->kind == BUILDID_KIND_GNU && bytes && build_id_set(&id, bytes, size))
		hash_map_add(&locator->known_ids, key_of(&id), index);
	return true;
}

/* As far as can be told without opening it. */
static bool is_of_others(const struct mapped_file *file)
{
	int handle = mapped_handle_at(file->pid, file->start);
	bool others = handle >= 0 && !content_is_ours(handle);

	if (handle >= 0)
		close(handle);
	return others;
}

/* The owner is checked again once the file is opened. */
static void add_mapped_id(struct locator *locator, const struct mapped_file *file, uint32_t index)
{
	struct reason unused;
	struct elf_info info;
	int fd = mapped_file_open(file, NULL, &unused);

	if (fd < 0)
		return;
	elf_file_id(fd, &info);
	if (info.kind == BUILDID_KIND_GNU)
		hash_map_add(content_is_ours(fd) ? &locator->mapped_ids : &locator->others_ids,
			     key_of(&info.id), index);
	close(fd);
}

static void leave_for_later(struct locator *locator, uint32_t index)
{
	if (locator->nr_others < OTHERS_MAX && array_reserve(locator->others, locator->nr_others))
		locator->others[locator->nr_others++] = index;
}

/* Each inode once. */
static bool read_mapped_ids(struct locator *locator)
{
	struct hash_map inodes = {}, served = {};
	const struct mapped_file *all;
	size_t count, i;

	if (!read_mapped(locator))
		return false;
	if (locator->ids_read)
		return true;
	all = mapped_files_all(locator->mapped, &count);
	for (i = 0; i < count; i++) {
		if (may_hang(&served, &all[i]) || is_seen(&inodes, &all[i]) ||
		    module_knows(locator, &all[i], (uint32_t)i))
			continue;
		if (is_of_others(&all[i]))
			leave_for_later(locator, (uint32_t)i);
		else
			add_mapped_id(locator, &all[i], (uint32_t)i);
	}
	hash_map_free(&inodes);
	hash_map_free(&served);
	locator->ids_read = true;
	return true;
}

static void read_ids_of_others(struct locator *locator)
{
	const struct mapped_file *all;
	size_t count, i;

	if (locator->others_read)
		return;
	all = mapped_files_all(locator->mapped, &count);
	for (i = 0; i < locator->nr_others; i++)
		add_mapped_id(locator, &all[locator->others[i]], locator->others[i]);
	locator->others_read = true;
}

/* Anybody can create any number of files with one id. */
static bool find_mapped_id(struct search *search, const struct hash_map *ids, const char *source)
{
	const struct hash_slot *slot = NULL;
	const struct mapped_file *all;
	size_t count, tries = 0;
	char *path;
	int fd;

	all = mapped_files_all(search->locator->mapped, &count);
	while (tries++ < REFUSED_MAX && (slot = hash_map_next(ids, key_of(search->id), slot))) {
		fd = mapped_file_open(&all[slot->value], &path, search->reason);
		if (locate_check(search, fd, path, CONTENT_ELF, source))
			return true;
	}
	return false;
}

static bool find_link(struct search *search, const char *directory)
{
	char text[BUILD_ID_TEXT], path[sizeof(DEBUG_FILE) + BUILD_ID_TEXT];

	build_id_text(search->id, text);
	snprintf(path, sizeof(path), "%s/%.2s/%s", directory, text, text + 2);
	return search->id->size >= 2 && check_path(search, path, CONTENT_ELF);
}

bool locate_by_id(struct locator *locator, const struct build_id *id, struct located_file *found,
		  struct reason *reason)
{
	struct search search = { locator, NULL, id, found, reason, true };

	*found = (struct located_file){ .fd = -1 };
	reason_set(reason, "%s", strerror(ENOENT));
	if (find_link(&search, LINKS_OF_DEBUG) || find_link(&search, LINKS_OF_FILES))
		return true;
	if (!read_mapped_ids(locator))
		return reason_set(reason, "%s", strerror(ENOMEM));
	return find_mapped_id(&search, &locator->known_ids, "mapped") ||
	       find_mapped_id(&search, &locator->mapped_ids, "mapped");
}

bool locate_of_others(struct locator *locator, const struct build_id *id,
		      struct located_file *found, struct reason *reason)
{
	struct search search = { locator, NULL, id, found, reason, false };

	*found = (struct located_file){ .fd = -1 };
	if (!read_mapped_ids(locator))
		return false;
	if (find_mapped_id(&search, &locator->known_ids, "mapped-other"))
		return true;
	read_ids_of_others(locator);
	return find_mapped_id(&search, &locator->others_ids, "mapped-other");
}

/* ------------------------------------------------------------- servers -- */

bool locate_on_servers(struct locator *locator, const struct build_id *id,
		       struct located_file *found, struct reason *reason)
{
	struct search search = { locator, NULL, id, found, reason, false };

	*found = (struct located_file){ .fd = -1 };
	return ask_servers(&search, CONTENT_ELF, CONTENT_ELF);
}

bool locate_debug(struct locator *locator, const struct build_id *id, bool servers,
		  struct located_file *found, struct reason *reason)
{
	struct search search = { locator, NULL, id, found, reason, false };
	char text[BUILD_ID_TEXT], path[sizeof(DEBUG_FILE) + BUILD_ID_TEXT];

	*found = (struct located_file){ .fd = -1 };
	build_id_text(id, text);
	snprintf(path, sizeof(path), DEBUG_FILE, text, text + 2);
	if (id->size >= 2 && check_path(&search, path, CONTENT_DEBUG))
		return true;
	return servers && ask_servers(&search, CONTENT_DEBUG, CONTENT_DEBUG);
}
