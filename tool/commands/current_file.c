// SPDX-License-Identifier: GPL-2.0
/*
 * Current file: nearly every path leads to the very inode that is mapped, which the cache
 * of names says without asking any filesystem. Only for the others a file is opened, by a
 * child that can be left behind; and only where the records of both do not tell are their
 * bytes read, once for each two files.
 */

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/array.h"
#include "common/hash_map.h"
#include "common/waits.h"
#include "content/process_place.h"
#include "content/served_device.h"
#include "current_file.h"
#include "evidence.h"
#include "print.h"

/**
 * struct place - what a path in a root leads to
 * @root: number of the root
 * @path: in it
 * @state: CURRENT_SAME: there is a file; CURRENT_GONE; CURRENT_UNKNOWN
 * @major: device of the inode that is there, as stat(2) shows it, with all up to @ctime
 * @asked: the file was opened, or could not be
 * @file: its record, if @asked and there is one; NULL without memory
 * @now: as @file, of what is at the path now
 */
struct place {
	uint32_t root;
	char *path;
	enum current_state state;
	unsigned int major, minor;
	uint64_t ino;
	int64_t ctime;
	bool asked;
	struct buildid_file *file;
	struct current_file now;
};

/* Of two files the bytes were compared: that of @file_id, and the one at a place. */
struct comparison {
	uint64_t file_id;
	uint32_t place;
	enum current_state state;
};

/* What is known of places is forgotten then: users have as many paths as they like. */
#define PLACES_BYTES_MAX (64U << 20)

struct current_files {
	const struct source *source;
	struct worker worker;
	struct lookup lookup;
	uint32_t pid;
	uint32_t root;
	struct process_root *roots;
	size_t nr_roots;
	struct place *places;
	size_t nr_places, bytes; /* of memory, about */
	struct hash_map by_path; /* indexes of places by the hash of root and path */
	struct comparison *comparisons;
	size_t nr_comparisons;
	struct hash_map by_files; /* indexes of comparisons by the hash of file_id and place */
};

struct current_files *current_files_new(const struct source *source)
{
	struct current_files *files = calloc(1, sizeof(*files));

	if (!files)
		return NULL;
	files->worker = lookup_worker();
	files->source = source;
	return files;
}

static void forget_places(struct current_files *files)
{
	size_t i;

	for (i = 0; i < files->nr_places; i++) {
		free(files->places[i].path);
		free(files->places[i].file);
	}
	free(files->places);
	free(files->comparisons);
	hash_map_free(&files->by_path);
	hash_map_free(&files->by_files);
	files->places = NULL;
	files->comparisons = NULL;
	files->by_path = files->by_files = (struct hash_map){};
	files->nr_places = files->nr_comparisons = files->bytes = 0;
}

void current_files_free(struct current_files *files)
{
	if (!files)
		return;
	forget_places(files);
	free(files->roots);
	worker_end(&files->worker);
	free(files);
}

/* ----------------------------------------------------------------- roots -- */

bool current_files_enter(struct current_files *files, uint32_t pid)
{
	struct process_root root;
	size_t i;

	if (!process_root_read(pid, &root))
		return false;
	files->pid = pid;
	/* from the last one, as a container's processes come together */
	for (i = files->nr_roots; i; i--)
		if (process_root_same(&files->roots[i - 1], &root))
			break;
	if (!i) {
		if (!array_reserve(files->roots, files->nr_roots)) {
			errno = ENOMEM;
			return false;
		}
		files->roots[files->nr_roots++] = root;
		i = files->nr_roots;
	}
	files->root = (uint32_t)(i - 1);
	return true;
}

/* --------------------------------------------------------------- lookups -- */

static void set_file(struct place *place, const struct buildid_file *file)
{
	place->state = CURRENT_SAME;
	place->major = file->user_dev_major;
	place->minor = file->user_dev_minor;
	place->ino = file->user_ino;
	place->ctime = file->ctime;
	place->file = malloc(file->header.size);
	if (place->file)
		memcpy(place->file, file, file->header.size);
	place->now.ctime = file->ctime;
	place->now.file_id = file->file_id;
	place->now.identity = print_identity_of(file);
}

/* Others, whose processes have the same path, may have more time. */
static bool is_unanswered(int error)
{
	return error == ETIME || error == ETIMEDOUT || error == EBUSY;
}

/* By opening the file and having it identified. */
static void current_file_identify(struct current_files *files, struct place *place,
				  const struct mapped_place *mapped)
{
	const char *path = place->path;
	const struct lookup *lookup = &files->lookup;
	int base;

	place->state = CURRENT_UNKNOWN;
	base = process_place(files->pid, &path);
	if (base < 0)
		return;
	lookup_find(&files->worker, files->source, base, path, mapped, &files->lookup);
	close(base);
	place->asked = !is_unanswered(lookup->error);
	if (!lookup->error) {
		set_file(place, (const void *)lookup->record);
		files->bytes += place->file ? place->file->header.size : 0;
	} else if (lookup->error == ENOENT || lookup->error == ENOTDIR) {
		place->state = CURRENT_GONE;
	}
}

/*
 * By the names that are in memory, which asks no server. A name that is not there is no
 * answer: what an automounter serves comes when it is looked for.
 */
static bool find_in_memory(const struct current_files *files, struct place *place)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC,
				.resolve = RESOLVE_IN_ROOT | RESOLVE_CACHED };
	const char *path = place->path;
	int base = process_place(files->pid, &path);
	struct statx stat_;
	int fd, err;

	if (base < 0)
		return false;
	fd = (int)syscall(SYS_openat2, base, path, &how, sizeof(how));
	close(base);
	if (fd < 0)
		return false;
	err = statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_INO | STATX_CTIME, &stat_);
	close(fd);
	if (err)
		return false;
	place->state = CURRENT_SAME;
	place->major = stat_.stx_dev_major;
	place->minor = stat_.stx_dev_minor;
	place->ino = stat_.stx_ino;
	place->ctime = stat_.stx_ctime.tv_sec * 1000000000LL + stat_.stx_ctime.tv_nsec;
	return true;
}

static struct place *find_place(struct current_files *files, const char *path)
{
	uint64_t key = hash_bytes(hash_bytes(hash_start(), &files->root, sizeof(files->root)), path,
				  strlen(path));
	struct hash_slot *slot = NULL;
	struct place *place;

	while ((slot = hash_map_next(&files->by_path, key, slot))) {
		place = &files->places[slot->value];
		if (place->root == files->root && !strcmp(place->path, path))
			return place;
	}
	if (!array_reserve(files->places, files->nr_places))
		return NULL;
	place = &files->places[files->nr_places];
	*place = (struct place){ .root = files->root,
				 .path = strdup(path),
				 .state = CURRENT_UNKNOWN };
	if (!place->path || !hash_map_add(&files->by_path, key, (uint32_t)files->nr_places)) {
		free(place->path);
		return NULL;
	}
	files->nr_places++;
	files->bytes += sizeof(*place) + strlen(path);
	find_in_memory(files, place);
	return place;
}

/* ------------------------------------------------------------ comparison -- */

/*
 * As in /proc/PID/maps, which of an overlay shows one or the other. A file of an overlay keeps its
 * number when it is copied up, but not its ctime, and what is mapped stays the one below.
 */
static bool is_inode(const struct place *place, const struct mapped_place *at)
{
	const struct buildid_file *mapped = at->file;

	if (place->state != CURRENT_SAME)
		return false;
	if (place->ino == mapped->ino && place->major == mapped->dev_major &&
	    place->minor == mapped->dev_minor)
		return true;
	return place->ino == mapped->user_ino && place->major == mapped->user_dev_major &&
	       place->minor == mapped->user_dev_minor &&
	       (place->ctime == mapped->ctime ||
		!served_device_is_overlay(at->pid, place->major, place->minor));
}

static enum current_state compare_bytes(struct current_files *files, const struct place *place,
					const struct mapped_place *mapped)
{
	const char *path = place->path;
	bool same = false;
	int base, error;

	base = process_place(files->pid, &path);
	if (base < 0)
		return CURRENT_UNSURE;
	error = lookup_compare(&files->worker, base, path, mapped, WAITS_MOST_NS, &same);
	close(base);
	if (error)
		return CURRENT_UNSURE;
	return same ? CURRENT_SAME : CURRENT_OTHER;
}

/* Once, as many processes have the same two files; again where there was no answer. */
static enum current_state compare_once(struct current_files *files, const struct place *place,
				       const struct mapped_place *mapped)
{
	const struct comparison new = { .file_id = mapped->file->file_id,
					.place = (uint32_t)(place - files->places) };
	uint64_t key = hash_bytes(hash_bytes(hash_start(), &new.file_id, sizeof(new.file_id)),
				  &new.place, sizeof(new.place));
	const struct comparison *found;
	struct hash_slot *slot = NULL;
	enum current_state state;

	while (new.file_id && (slot = hash_map_next(&files->by_files, key, slot))) {
		found = &files->comparisons[slot->value];
		if (found->file_id == new.file_id && found->place == new.place)
			return found->state;
	}
	state = compare_bytes(files, place, mapped);
	if (!new.file_id || state == CURRENT_UNSURE ||
	    !array_reserve(files->comparisons, files->nr_comparisons) ||
	    !hash_map_add(&files->by_files, key, (uint32_t)files->nr_comparisons))
		return state;
	files->comparisons[files->nr_comparisons] = new;
	files->comparisons[files->nr_comparisons++].state = state;
	return state;
}

static enum current_state current_file_compare(struct current_files *files,
					       const struct place *place,
					       const struct mapped_place *mapped)
{
	enum current_state state;

	if (place->state != CURRENT_SAME)
		return place->state;
	if (!place->file)
		return CURRENT_UNKNOWN;
	if (place->file->file_id && place->file->file_id == mapped->file->file_id)
		return CURRENT_SAME;
	switch (evidence_of(place->file, mapped->file)) {
	case EVIDENCE_SAME:
		return CURRENT_SAME;
	case EVIDENCE_OTHER:
		return CURRENT_OTHER;
	default:
		state = compare_once(files, place, mapped);
	}
	if (state == CURRENT_UNSURE && (!place->file->id_len || !mapped->file->id_len))
		return CURRENT_UNKNOWN;
	return state;
}

enum current_state current_files_find(struct current_files *files,
				      const struct mapped_place *mapped,
				      const struct current_file **now)
{
	const char *path = buildid_file_path(mapped->file);
	struct place *place;

	*now = NULL;
	if (!path || *path != '/')
		return CURRENT_UNKNOWN;
	if (files->bytes > PLACES_BYTES_MAX)
		forget_places(files);
	place = find_place(files, path);
	if (!place)
		return CURRENT_UNKNOWN;
	if (is_inode(place, mapped))
		return CURRENT_SAME;
	if (!place->asked)
		current_file_identify(files, place, mapped);
	*now = &place->now;
	return current_file_compare(files, place, mapped);
}
