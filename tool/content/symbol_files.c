// SPDX-License-Identifier: GPL-2.0
/*
 * Symbol files: a list of contents, found or not. As each open file is a process, the least
 * recently used one is closed for another. This may run for weeks: the least recently used contents
 * are forgotten, and one that was not found may appear later.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/array.h"
#include "common/clock.h"
#include "common/hash_map.h"
#include "common/open_regular.h"
#include "debug_dir.h"
#include "elf_file.h"
#include "locate.h"
#include "mapped_files.h"
#include "symbol_files.h"

/* More than the files of most stacks; each may use as much memory as its process is allowed. */
#define OPEN_MAX_FILES 16
/* With more, the half that was used last stays. */
#define FILES_MAX 4096
/* Nanoseconds. */
#define NOT_FOUND_FOR 30000000000ULL
/* A process that ends with fewer answers has failed; after this many failures, give up. */
#define ANSWERS_MIN  32
#define FAILURES_MAX 3
/* The most members of one file. */
#define MEMBERS_MAX 1024

struct file {
	struct build_id id;
	struct file_version version;
	uint64_t start;		    /* in that one, of this one */
	struct elf_member *members; /* lookups in it; of size 0 if nothing was found */
	size_t nr_members;
	unsigned int reads;	 /* that are left */
	bool of_addresses;	 /* a debug file without the program is enough */
	struct symbols *symbols; /* NULL if it was not found, or was closed */
	const char *source;	 /* NULL if it was not found */
	struct reason reason;	 /* then */
	uint64_t used;
	uint64_t looked; /* CLOCK_MONOTONIC, 0 for never */
	bool no_servers; /* they lack it, and asking again may take long */
	bool by_id;	 /* it has been searched for without a path */
	bool no_debug;	 /* it has no other debug info than its own */
	unsigned int failures;
};

struct symbol_files {
	struct symbol_files_options options;
	struct locator *here;
	struct locator *there;
	struct debug_dir *dir; /* NULL when there is none */
	struct file *files;
	size_t count;
	struct hash_map by_id;
	uint64_t uses;
	size_t last; /* found or added, which is most likely needed next */
	size_t open;
};

struct symbol_files *symbol_files_new(const struct symbol_files_options *options)
{
	struct symbol_files *new = calloc(1, sizeof(*new));
	struct reason unused;

	if (!new)
		return NULL;
	new->options = *options;
	new->here = locator_new(false);
	new->there = locator_new(!options->no_servers);
	new->dir = debug_dir_open(options->directory, false, &unused);
	if (new->here &&new->there) {
		locator_ask(new->here, options->module);
		return new;
	}
	symbol_files_free(new);
	return NULL;
}

static void close_symbols(struct symbol_files *files, struct file *file)
{
	if (file->symbols)
		files->open--;
	symbols_free(file->symbols);
	file->symbols = NULL;
}

static void symbol_files_forget(struct symbol_files *files, struct file *file)
{
	close_symbols(files, file);
	while (file->nr_members)
		free(file->members[--file->nr_members].elf.name);
	free(file->members);
}

void symbol_files_free(struct symbol_files *files)
{
	size_t i;

	if (!files)
		return;
	for (i = 0; i < files->count; i++)
		symbol_files_forget(files, &files->files[i]);
	free(files->files);
	hash_map_free(&files->by_id);
	locator_free(files->here);
	locator_free(files->there);
	if (files->dir)
		debug_dir_close(files->dir);
	free(files);
}

/* ---------------------------------------------------------------- finding -- */

struct search {
	struct symbol_files *files;
	const struct symbol_place *place;
	struct reason *reason;
	const char *source;
	bool no_servers;
};

static bool is_it(const struct search *search, int fd)
{
	const struct symbol_place *place = search->place;

	if (place->id.size && !place->inside.size)
		return content_is(fd, &place->id, CONTENT_ELF, search->reason);
	return file_version_is(&place->version, fd) ||
	       reason_set(search->reason, "is another file, or was changed since");
}

/* Extract what is within the file, as a separate file, or -1. */
static int take_out(struct search *search, int file)
{
	const struct symbol_place *place = search->place;
	int fd = embedded_elf_copy(file, place->inside.start, place->inside.size, search->reason);

	if (fd < 0 || !place->id.size || content_is(fd, &place->id, CONTENT_ELF, search->reason))
		return fd;
	close(fd);
	return -1;
}

/* Returns @fd or what is within it, or -1 if it is not what is wanted. */
static int symbol_files_check(struct search *search, int fd, const char *source)
{
	int found = -1;

	if (fd < 0)
		return -1;
	if (is_it(search, fd))
		found = search->place->inside.size ? take_out(search, fd) : fd;
	if (found != fd)
		close(fd);
	if (found >= 0)
		search->source = source;
	return found;
}

/* What a living process has mapped, even if deleted or in a container. */
static int open_mapped(struct search *search)
{
	const struct symbol_place *place = search->place;

	if (!place->addr || place->vdso)
		return -1;
	return symbol_files_check(
		search, mapped_file_open_at(place->pid, place->addr, place->path, search->reason),
		"mapped");
}

static int open_path(struct search *search)
{
	const char *path = search->place->path;

	if (*path != '/')
		return -1;
	return symbol_files_check(search, open_untrusted(AT_FDCWD, path, search->reason), "path");
}

static int open_in_root(struct search *search)
{
	const struct symbol_place *place = search->place;

	return symbol_files_check(
		search, mapped_file_open_at(place->pid, 0, place->path, search->reason), "root");
}

/* Takes the descriptor out of @found. */
static int symbol_files_take(struct search *search, struct located_file *found)
{
	int fd = found->fd;

	search->source = found->source;
	found->fd = -1;
	located_file_free(found);
	return fd;
}

static int open_here(struct search *search)
{
	const struct symbol_place *place = search->place;
	const struct request request = {
		.kind = place->vdso ? REQUEST_VDSO : REQUEST_FILE,
		.id = place->id,
		.path = place->path,
		.pids = &place->pid,
		.nr_pids = 1,
	};
	struct located_file found;

	if (!*place->path || place->inside.size)
		return -1;
	if (!locate_request(search->files->here, &request, &found, search->reason))
		return -1;
	return symbol_files_take(search, &found);
}

static int open_kept(struct search *search)
{
	struct debug_dir *dir = search->files->dir;
	enum content_part part = search->place->vdso ? CONTENT_VDSO : CONTENT_ELF;
	bool known = dir && search->place->id.size;
	int fd = known ? debug_dir_find(dir, &search->place->id, part) : -1;

	if (fd < 0 && dir && search->place->is_elf_address)
		fd = debug_dir_find(dir, &search->place->id, CONTENT_DEBUG);
	if (fd >= 0)
		search->source = "kept";
	return fd;
}

/* Found only by the build-id. */
static int open_by_id(struct search *search)
{
	struct located_file found;

	if (*search->place->path ||
	    !locate_by_id(search->files->here, &search->place->id, &found, search->reason))
		return -1;
	return symbol_files_take(search, &found);
}

/* It has the program's addresses, but not its offsets. */
static int open_debug_alone(struct search *search)
{
	struct reason unused;
	struct located_file found;

	if (!search->place->is_elf_address ||
	    !locate_debug(search->files->there, &search->place->id, !search->no_servers, &found,
			  &unused))
		return -1;
	return symbol_files_take(search, &found);
}

static int open_from_servers(struct search *search)
{
	struct reason unused;
	struct located_file found;

	if (search->no_servers || !search->place->id.size ||
	    !locate_on_servers(search->files->there, &search->place->id, &found, &unused))
		return -1;
	return symbol_files_take(search, &found);
}

/* Last, as the file's owner may have forged the id. */
static int open_of_others(struct search *search)
{
	struct reason unused;
	struct located_file found;

	if (*search->place->path ||
	    !locate_of_others(search->files->here, &search->place->id, &found, &unused))
		return -1;
	return symbol_files_take(search, &found);
}

/*
 * A content without a build-id, perhaps within a file, can only be found in the mapped file itself.
 */
static int open_file(struct search *search)
{
	static int (*const by_id[])(struct search * search) = {
		open_mapped,	  open_here,	     open_kept,	     open_by_id,
		open_debug_alone, open_from_servers, open_of_others,
	};
	static int (*const by_version[])(struct search * search) = {
		open_mapped, open_in_root, open_path, open_kept, open_from_servers,
	};
	bool id = search->place->id.size && !search->place->inside.size;
	size_t count = id ? ARRAY_SIZE(by_id) : ARRAY_SIZE(by_version), i;
	int fd = -1;

	for (i = 0; fd < 0 && i < count; i++)
		fd = (id ? by_id : by_version)[i](search);
	return fd;
}

/* -1 if there is none, or @fd already has everything. */
static int open_debug(struct search *search, int fd)
{
	struct symbol_files *files = search->files;
	const struct build_id *id = &search->place->id;
	struct located_file found;
	struct elf_layout layout;
	struct elf_info info;
	struct reason unused;
	struct search ignored = { .files = files };
	int kept;

	if (!id->size)
		return -1;
	elf_file_info(fd, &info);
	if (info.symbols && elf_file_layout(fd, info.id_offset, info.id_offset, &layout) &&
	    layout.debug_info)
		return -1;
	kept = files->dir ? debug_dir_find(files->dir, id, CONTENT_DEBUG) : -1;
	if (kept >= 0)
		return kept;
	if (!locate_debug(files->there, id, !files->options.no_servers, &found, &unused))
		return -1;
	return symbol_files_take(&ignored, &found);
}

/* ------------------------------------------------------------------ files -- */

static void close_unused(struct symbol_files *files)
{
	struct file *least = NULL;
	size_t i;

	for (i = 0; i < files->count; i++)
		if (files->files[i].symbols && (!least || files->files[i].used < least->used))
			least = &files->files[i];
	if (least)
		close_symbols(files, least);
}

static int find_debug(struct search *search, struct file *file, int fd)
{
	int debug = file->no_debug ? -1 : open_debug(search, fd);

	file->no_debug = debug < 0;
	return debug;
}

static void open_symbols(struct symbol_files *files, struct file *file,
			 const struct symbol_place *place)
{
	struct search search = { .files = files,
				 .place = place,
				 .reason = &file->reason,
				 .no_servers = files->options.no_servers || file->no_servers };
	int fd = open_file(&search), debug;

	file->looked = clock_ns(CLOCK_MONOTONIC);
	file->by_id = !*place->path;
	file->source = NULL;
	file->no_servers = fd < 0;
	if (fd < 0)
		return;
	if (files->open == OPEN_MAX_FILES)
		close_unused(files);
	debug = find_debug(&search, file, fd);
	file->symbols = symbols_new(fd, debug, files->options.raw);
	if (file->symbols) {
		file->source = search.source;
		files->open++;
	} else {
		reason_set(&file->reason, "%s", strerror(errno));
	}
	close(fd);
	if (debug >= 0)
		close(debug);
}

static int compare_used(const void *a, const void *b)
{
	const struct file *one = a, *other = b;

	return COMPARE(other->used, one->used);
}

static uint64_t key_of(const struct build_id *id, const struct file_version *version,
		       uint64_t start)
{
	uint64_t key = hash_bytes(hash_start(), id->bytes, id->size);

	return id->size ? key : hash_bytes(key, version, sizeof(*version)) + start;
}

static bool is_file(const struct file *file, const struct symbol_place *place)
{
	return build_id_equal(&file->id, &place->id) &&
	       file->of_addresses == place->is_elf_address &&
	       (place->id.size || (file_version_equal(&file->version, &place->version) &&
				   file->start == place->inside.start));
}

/* The map has no way to remove one. */
static void forget_unused(struct symbol_files *files)
{
	size_t i;

	array_sort(files->files, files->count, compare_used);
	hash_map_free(&files->by_id);
	for (i = 0; i < FILES_MAX / 2; i++) {
		const struct file *file = &files->files[i];

		if (!hash_map_add(&files->by_id, key_of(&file->id, &file->version, file->start),
				  (uint32_t)i))
			break;
	}
	while (files->count > i)
		symbol_files_forget(files, &files->files[--files->count]);
}

/* NULL only without memory. */
static struct file *find_or_add(struct symbol_files *files, const struct symbol_place *place)
{
	const struct hash_slot *slot = NULL;
	struct file *file;
	uint64_t key;

	if (files->last < files->count && is_file(&files->files[files->last], place))
		return &files->files[files->last];
	key = key_of(&place->id, &place->version, place->inside.start);
	while ((slot = hash_map_next(&files->by_id, key, slot))) {
		files->last = slot->value;
		if (is_file(&files->files[files->last], place))
			return &files->files[files->last];
	}
	if (files->count == FILES_MAX)
		forget_unused(files);
	if (!array_reserve(files->files, files->count) ||
	    !hash_map_add(&files->by_id, key, (uint32_t)files->count))
		return NULL;
	files->last = files->count++;
	file = &files->files[files->last];
	*file = (struct file){
		.id = place->id,
		.version = place->version,
		.of_addresses = place->is_elf_address,
		.start = place->inside.start,
		.reads = ELF_MEMBER_READS,
	};
	return file;
}

/* Initially, after it was closed, once there is a path, and now and then. */
static bool may_open(const struct file *file, const struct symbol_place *place)
{
	if (file->failures == FAILURES_MAX)
		return false;
	return !file->looked || file->source || (file->by_id && *place->path) ||
	       clock_ns(CLOCK_MONOTONIC) - file->looked >= NOT_FOUND_FOR;
}

/*
 * A process that reached its limits is replaced at once: true. One that ended early may do so
 * again, so it is replaced for the next address, but not forever.
 */
static bool symbol_files_replace(struct symbol_files *files, struct file *file)
{
	uint64_t answers;

	if (!symbols_ended(file->symbols, &answers) || file->failures == FAILURES_MAX)
		return false;
	file->failures = answers < ANSWERS_MIN ? file->failures + 1 : 0;
	if (file->failures < FAILURES_MAX)
		close_symbols(files, file);
	else
		reason_set(&file->reason, "it cannot be read");
	return !file->failures;
}

/* ---------------------------------------------------------------- members -- */

/* NULL if the file was not found, or without memory. */
static const struct elf_member *add_member(struct symbol_files *files, struct file *file,
					   const struct symbol_place *place)
{
	struct search search = { .files = files, .place = place, .reason = &file->reason };
	struct elf_member *member;
	int fd;

	if (file->nr_members == MEMBERS_MAX || !may_open(file, place) ||
	    !array_reserve(file->members, file->nr_members))
		return NULL;
	fd = open_file(&search);
	if (fd < 0)
		return NULL;
	member = &file->members[file->nr_members++];
	elf_member_find(fd, place->offset, &file->reads, member);
	close(fd);
	return member;
}

static const struct elf_member *find_member(const struct file *file, uint64_t offset)
{
	size_t i;

	for (i = 0; i < file->nr_members; i++)
		if (offset >= file->members[i].elf.first && offset <= file->members[i].elf.last)
			return &file->members[i];
	return NULL;
}

bool symbol_files_look_inside(struct symbol_files *files, const struct symbol_place *place,
			      struct elf_member *member)
{
	struct file *file = find_or_add(files, place);
	const struct elf_member *found;

	if (!file)
		return false;
	file->used = ++files->uses;
	found = find_member(file, place->offset);
	if (!found)
		found = add_member(files, file, place);
	if (!found || !found->elf.size)
		return false;
	*member = *found;
	member->elf.name = found->elf.name ? strdup(found->elf.name) : NULL;
	return true;
}

/* ---------------------------------------------------------------- symbols -- */

bool symbol_files_find(struct symbol_files *files, const struct symbol_place *place,
		       struct symbol *symbol, const char **source, struct reason *reason)
{
	struct file *file = find_or_add(files, place);

	*symbol = (struct symbol){};
	*source = NULL;
	if (!file)
		return reason_set(reason, "%s", strerror(ENOMEM));
	file->used = ++files->uses;
	do {
		if (!file->symbols && may_open(file, place))
			open_symbols(files, file, place);
		*source = file->source;
		if (!file->symbols)
			return reason_set(reason, "%s: %.400s",
					  place->id.size ? "no file with this build-id found" :
							   "the file has no GNU build-id, and "
							   "is not there",
					  file->reason.text);
		if (symbols_find(file->symbols, place->offset, place->is_elf_address, symbol))
			return true;
	} while (symbol_files_replace(files, file));
	return reason_set(reason, "no symbol there");
}
