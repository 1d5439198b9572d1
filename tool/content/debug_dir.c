// SPDX-License-Identifier: GPL-2.0
/* Debug dir: the layout of ~/.debug; marks are in debug_dir_marks.c. */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "common/array.h"
#include "common/copy.h"
#include "common/entry.h"
#include "common/open_regular.h"
#include "common/own_place.h"
#include "common/temporary.h"
#include "debug_dir_internal.h"

#define PROBES "probes"
/* How often to recreate directories that another process removes. */
#define NAME_TRIES 16

/* Where files are before they have their names. */
static int stage_fd(const struct debug_dir *dir)
{
	return dir->marks >= 0 ? dir->marks : dir->fd;
}

/* ------------------------------------------------------------- opening -- */

static char *default_path(struct reason *reason)
{
	const char *home = getenv("HOME");
	char *path = NULL;

	if (!home || *home != '/')
		reason_set(reason, "HOME is not set; use --dir DIR");
	else if (asprintf(&path, "%s/.debug", home) < 0)
		path = NULL;
	return path;
}

/* For writing. Reading does not depend on the owner, as with perf. */
static int create_directory(const char *path, struct reason *reason)
{
	struct own_place place;
	int fd;

	if (!own_place_open(&place, path, true, reason))
		return -1;
	fd = place.there >= 0 ? own_place_reopen(&place, O_RDONLY | O_DIRECTORY) :
				entry_need_directory(place.directory, place.name, 0755);
	if (fd < 0)
		reason_set(reason, "%s", strerror(errno));
	own_place_close(&place);
	return fd;
}

struct debug_dir *debug_dir_open(const char *path, bool create, struct reason *reason)
{
	struct debug_dir *dir = calloc(1, sizeof(*dir));

	if (!dir)
		return NULL;
	dir->path = path ? strdup(path) : default_path(reason);
	dir->fd = dir->marks = dir->lock = -1;
	if (!dir->path)
		goto fail;
	dir->fd = create ? create_directory(dir->path, reason) :
			   open(dir->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir->fd >= 0)
		return dir;
	if (!create)
		reason_set(reason, "%s", strerror(errno));
fail:
	debug_dir_close(dir);
	return NULL;
}

void debug_dir_close(struct debug_dir *dir)
{
	if (!dir)
		return;
	if (dir->fd >= 0)
		close(dir->fd);
	if (dir->marks >= 0)
		close(dir->marks);
	if (dir->lock >= 0)
		close(dir->lock);
	free(dir->path);
	free(dir);
}

const char *debug_dir_path(const struct debug_dir *dir)
{
	return dir->path;
}

int debug_dir_fd(const struct debug_dir *dir)
{
	return dir->fd;
}

/* --------------------------------------------------------------- names -- */

static bool is_component(const char *name, size_t length)
{
	if (!length || length > NAME_MAX)
		return false;
	return name[0] != '.' || (length > 1 && (name[1] != '.' || length > 2));
}

static bool is_below(const char *name, const char *directory)
{
	size_t length = strlen(directory);

	return !strncmp(name, directory, length) && (!name[length] || name[length] == '/');
}

/* Names of an entry's files: a directory with such a name would be in the place of a file. */
static bool is_file_of_entry(const char *name, size_t length)
{
	enum content_part part;

	for (part = 0; part < CONTENT_PARTS; part++)
		if (strlen(content_part_name(part)) == length &&
		    !strncmp(name, content_part_name(part), length))
			return true;
	return length == strlen(PROBES) && !strncmp(name, PROBES, length);
}

static bool is_id(const char *name, size_t length)
{
	return length >= 4 && length % 2 == 0 && strspn(name, "0123456789abcdef") == length;
}

static bool is_path(const char *name)
{
	bool after_id = false;
	size_t length;

	if (is_below(name, "/" LINKS) || is_below(name, "/" MARKS))
		return false;
	while (*name == '/') {
		length = strcspn(++name, "/");
		if (!is_component(name, length) || (after_id && is_file_of_entry(name, length)))
			return false;
		after_id = is_id(name, length);
		name += length;
	}
	return true;
}

bool debug_dir_is_name(const char *name)
{
	size_t length = strlen(name);

	if (*name == '/')
		return length < PATH_MAX - BUILD_ID_TEXT && is_path(name);
	return length > 2 && length <= NAME_MAX && name[0] == '[' && name[length - 1] == ']' &&
	       !strchr(name, '/');
}

/* ".build-id/ab/cdef...", or only its directory; false if @id is too long or too short. */
static bool link_path(const struct build_id *id, bool directory, char path[PATH_MAX])
{
	char text[BUILD_ID_TEXT];

	/* The first byte names the directory, the others the link. */
	if (id->size < 2 || 2 * id->size > NAME_MAX)
		return false;
	build_id_text(id, text);
	snprintf(path, PATH_MAX, directory ? LINKS "/%.2s" : LINKS "/%.2s/%s", text, text + 2);
	return true;
}

static char *entry_path(const char *name, const struct build_id *id)
{
	char text[BUILD_ID_TEXT];
	char *path;

	name += *name == '/';
	return asprintf(&path, "%s/%s", name, build_id_text(id, text)) < 0 ? NULL : path;
}

/* -------------------------------------------------------------- look-up -- */

#define LINK_UP "../../"

/* The target without @up, if it has perf's form. */
static char *checked_target(char *target, const char *up, const struct build_id *id)
{
	char text[BUILD_ID_TEXT];
	char *last, *name;
	bool good;

	if (strncmp(target, up, strlen(up)))
		return NULL;
	target += strlen(up) - 1; /* keep the slash */
	last = strrchr(target, '/');
	if (!last || last == target || strcmp(last + 1, build_id_text(id, text)))
		return NULL;
	*last = '\0';
	name = target[1] == '[' ? target + 1 : target;
	good = debug_dir_is_name(name) || debug_dir_is_name(target);
	*last = '/';
	return good ? target + 1 : NULL;
}

char *debug_dir_read_entry(int directory, const char *link, const char *up,
			   const struct build_id *id)
{
	char target[PATH_MAX];
	const char *entry;
	ssize_t length;

	length = readlinkat(directory, link, target, sizeof(target) - 1);
	if (length < 0)
		return NULL;
	target[length] = '\0';
	entry = checked_target(target, up, id);
	return entry ? strdup(entry) : NULL;
}

char *debug_dir_entry(const struct debug_dir *dir, const struct build_id *id)
{
	char link[PATH_MAX];

	return link_path(id, false, link) ? debug_dir_read_entry(dir->fd, link, LINK_UP, id) : NULL;
}

/*
 * Open below the directory, without following links, as they may lead outside. With @create,
 * missing directories are created.
 */
int debug_dir_open_below(const struct debug_dir *dir, const char *path, bool create)
{
	int fd = fcntl(dir->fd, F_DUPFD_CLOEXEC, 0);
	char components[PATH_MAX], *rest = components;
	const char *component;
	int next;

	snprintf(components, sizeof(components), "%s", path);
	while (fd >= 0 && (component = strsep(&rest, "/"))) {
		next = create ? entry_need_directory(fd, component, 0755) :
				entry_open_directory(fd, component);
		close(fd);
		fd = next;
	}
	return fd;
}

int debug_dir_find(const struct debug_dir *dir, const struct build_id *id, enum content_part part)
{
	char *entry = debug_dir_entry(dir, id);
	struct reason reason;
	int directory, fd = -1;

	if (!entry)
		return -1;
	directory = debug_dir_open_below(dir, entry, false);
	free(entry);
	if (directory < 0)
		return -1;
	fd = open_untrusted(directory, content_part_name(part), &reason);
	close(directory);
	if (fd < 0 || content_is(fd, id, part, &reason))
		return fd;
	close(fd);
	return -1;
}

/* -------------------------------------------------------------- putting -- */

/*
 * Not another user's file, which could be written to later. Nor a setuid program: with a link, it
 * would survive its removal by an upgrade.
 */
static bool may_link(const struct debug_item *item)
{
	struct stat stat_;

	return item->may_link && content_is_ours(item->fd) && !fstat(item->fd, &stat_) &&
	       S_ISREG(stat_.st_mode) && !(stat_.st_mode & (S_ISUID | S_ISGID));
}

/* Like perf's, but readable only by those who may read the original. */
static mode_t copy_mode(const struct debug_item *item)
{
	struct stat stat_;
	mode_t read = S_IRUSR;

	if (item->part == CONTENT_VDSO)
		return 0600;
	if (!fstat(item->fd, &stat_))
		read |= stat_.st_mode & 0444;
	return S_IWUSR | read | read >> 2;
}

static bool copy_checked(const struct debug_item *item, int to, struct reason *reason)
{
	struct stat stat_;

	/* Check the copy, as the original may have changed meanwhile. */
	if (!copy_file(item->fd, to, item->most ? item->most : COPY_ALL, reason) ||
	    !content_is(to, item->id, item->part, reason))
		return false;
	/* A filesystem without this bit has no owners either. */
	if (!content_is_ours(item->fd) && !fstat(to, &stat_))
		fchmod(to, (stat_.st_mode & 0777) | CONTENT_COPY);
	return true;
}

/* A link to the file, or a copy if that is impossible. */
static bool stage(const struct debug_dir *dir, const struct debug_item *item,
		  struct temporary *file, struct reason *reason)
{
	if (may_link(item) && temporary_link(file, stage_fd(dir), item->fd))
		return content_is(item->fd, item->id, item->part, reason);
	if (!temporary_open(file, stage_fd(dir), copy_mode(item)))
		return reason_set(reason, "cannot be copied: %s", strerror(errno));
	return copy_checked(item, file->fd, reason);
}

/* perf's list of SDT probes, which it creates for everything but kernels. */
static void put_probes(int directory)
{
	int fd = entry_create(directory, PROBES, 0644);

	if (fd >= 0)
		close(fd);
}

bool debug_dir_put_link(const struct debug_dir *dir, int directory, const char *name,
			const char *target)
{
	int stage = stage_fd(dir);
	char temporary[32];
	int error;

	temporary_make_name(temporary);
	if (entry_symlink(target, stage, temporary) &&
	    entry_rename(stage, temporary, directory, name, 0))
		return true;
	error = errno;
	unlinkat(stage, temporary, 0);
	errno = error;
	return false;
}

bool debug_dir_has_part(const struct debug_dir *dir, const char *entry, enum content_part part)
{
	char path[PATH_MAX + 16];
	struct stat stat_;

	snprintf(path, sizeof(path), "%s/%s", entry, content_part_name(part));
	return !fstatat(dir->fd, path, &stat_, AT_SYMLINK_NOFOLLOW) && S_ISREG(stat_.st_mode);
}

const char *debug_dir_debugger_file(const struct debug_dir *dir, const char *entry)
{
	static const enum content_part parts[] = { CONTENT_DEBUG, CONTENT_ELF, CONTENT_VDSO };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(parts); i++)
		if (debug_dir_has_part(dir, entry, parts[i]))
			return content_part_name(parts[i]);
	return "";
}

static bool put_links(const struct debug_dir *dir, const struct build_id *id, const char *entry)
{
	const char *file = debug_dir_debugger_file(dir, entry);
	char path[PATH_MAX], target[PATH_MAX + 32], text[BUILD_ID_TEXT];
	char name[BUILD_ID_TEXT + sizeof(DEBUG_SUFFIX)];
	int directory;
	bool done;

	directory = link_path(id, true, path) ? debug_dir_open_below(dir, path, true) : -1;
	if (directory < 0)
		return false;
	snprintf(target, sizeof(target), LINK_UP "%s", entry);
	done = debug_dir_put_link(dir, directory, build_id_text(id, text) + 2, target);
	/* Ids this long only occur in tests, and perf cannot use them. */
	if (*file && snprintf(name, sizeof(name), "%s" DEBUG_SUFFIX, text + 2) <= NAME_MAX) {
		snprintf(target, sizeof(target), LINK_UP "%s/%s", entry, file);
		done = done && debug_dir_put_link(dir, directory, name, target);
	}
	close(directory);
	return done;
}

static void remove_link(const struct debug_dir *dir, const char *link, const char *target)
{
	char found[PATH_MAX + 32];
	ssize_t length = readlinkat(dir->fd, link, found, sizeof(found) - 1);

	if (length < 0)
		return;
	found[length] = '\0';
	if (!strcmp(found, target))
		unlinkat(dir->fd, link, 0);
}

void debug_dir_remove_links(const struct debug_dir *dir, const struct build_id *id,
			    const char *entry)
{
	char link[PATH_MAX + sizeof(DEBUG_SUFFIX)], target[PATH_MAX + 32];
	enum content_part part;

	if (!link_path(id, false, link))
		return;
	snprintf(target, sizeof(target), LINK_UP "%s", entry);
	remove_link(dir, link, target);
	strcat(link, DEBUG_SUFFIX);
	for (part = 0; part < CONTENT_PARTS; part++) {
		snprintf(target, sizeof(target), LINK_UP "%s/%s", entry, content_part_name(part));
		remove_link(dir, link, target);
	}
}

bool debug_dir_link(const struct debug_dir *dir, const struct build_id *id)
{
	char link[PATH_MAX + sizeof(DEBUG_SUFFIX)];
	char *entry = debug_dir_entry(dir, id);
	struct stat stat_;
	bool done = entry;

	if (!entry)
		return false;
	link_path(id, false, link);
	strcat(link, DEBUG_SUFFIX);
	/* perf adds and removes entries, and does not know these links. */
	if (*debug_dir_debugger_file(dir, entry) && fstatat(dir->fd, link, &stat_, 0))
		done = put_links(dir, id, entry);
	free(entry);
	return done;
}

/* The directory of @path; @path is cut, and @name set to its last component. */
static int open_parent(const struct debug_dir *dir, char *path, const char **name)
{
	char *slash = strrchr(path, '/');

	*name = slash ? slash + 1 : path;
	if (slash)
		*slash = '\0';
	return debug_dir_open_below(dir, slash ? path : ".", false);
}

/* Removes the empty directories of an entry. */
static void prune(const struct debug_dir *dir, const char *entry)
{
	char *path = strdup(entry);
	bool empty = path;
	const char *name;
	int parent;

	while (empty) {
		parent = open_parent(dir, path, &name);
		empty = parent >= 0 && !unlinkat(parent, name, AT_REMOVEDIR) && name != path;
		if (parent >= 0)
			close(parent);
	}
	free(path);
}

void debug_dir_remove_entry(const struct debug_dir *dir, const char *entry)
{
	int directory = debug_dir_open_below(dir, entry, false);
	enum content_part part;

	if (directory < 0)
		return;
	for (part = 0; part < CONTENT_PARTS; part++)
		unlinkat(directory, content_part_name(part), 0);
	unlinkat(directory, PROBES, 0);
	close(directory);
	prune(dir, entry);
}

/* Another entry with that build-id may have had this as a further name. */
static void remove_name(const struct debug_dir *dir, const char *entry)
{
	char *path = strdup(entry), target;
	const char *name;
	int parent = path ? open_parent(dir, path, &name) : -1;

	if (parent >= 0 && readlinkat(parent, name, &target, 1) >= 0)
		unlinkat(parent, name, 0);
	if (parent >= 0)
		close(parent);
	free(path);
}

static int open_entry(const struct debug_dir *dir, const char *entry)
{
	int directory = debug_dir_open_below(dir, entry, true);

	if (directory >= 0 || (errno != ENOTDIR && errno != ELOOP))
		return directory;
	remove_name(dir, entry);
	return debug_dir_open_below(dir, entry, true);
}

/* Returns 0 or a negative errno. */
static int name_staged(const struct debug_dir *dir, const struct debug_item *item,
		       struct temporary *file, const char *entry, struct reason *reason)
{
	int directory = open_entry(dir, entry);
	int err = 0;

	if (directory < 0) {
		err = -errno;
		reason_set(reason, "%s/%s: %s", dir->path, entry, strerror(-err));
		return err;
	}
	if (!temporary_name(file, directory, content_part_name(item->part), true)) {
		err = -errno;
		reason_set(reason, "cannot be linked: %s", strerror(-err));
	} else if (item->part != CONTENT_KALLSYMS) {
		put_probes(directory);
	}
	close(directory);
	return err;
}

static bool put_staged(const struct debug_dir *dir, const struct debug_item *item,
		       struct temporary *file, const char *entry, struct reason *reason)
{
	int tries = NAME_TRIES;
	bool done;
	int err;

	/* Another process may have removed the directories while they were empty. */
	do {
		err = name_staged(dir, item, file, entry, reason);
	} while (err == -ENOENT && --tries);
	done = !err;
	if (done && !put_links(dir, item->id, entry))
		done = reason_set(reason, "%s/" LINKS ": %s", dir->path, strerror(errno));
	return done;
}

/*
 * Directories are only created for a checked file: after refusing one, we must not remove
 * directories that another process is about to use.
 */
static bool put_entry(const struct debug_dir *dir, const struct debug_item *item, const char *entry,
		      struct reason *reason)
{
	struct temporary file;
	bool done = false;

	if (stage(dir, item, &file, reason)) {
		done = put_staged(dir, item, &file, entry, reason);
		if (!done)
			prune(dir, entry);
	}
	temporary_close(&file);
	return done;
}

static bool is_ours(int directory, const char *name)
{
	struct reason unused;
	int fd = open_untrusted(directory, name, &unused);
	bool ours = fd >= 0 && content_is_ours(fd);

	if (fd >= 0)
		close(fd);
	return ours;
}

/*
 * Move what else is in the entry @from, a debug file or perf's files, to @to, unless that has it;
 * but not another user's files, which may all be forged. False if @from must not be removed.
 */
static bool move_others(const struct debug_dir *dir, const char *from, const char *to)
{
	int source = debug_dir_open_below(dir, from, false);
	int target = debug_dir_open_below(dir, to, false);
	bool done = source >= 0 && target >= 0;
	enum content_part part;
	const char *name;

	for (part = 0; done && part < CONTENT_PARTS; part++) {
		name = content_part_name(part);
		done = !is_ours(source, name) ||
		       entry_rename(source, name, target, name, RENAME_NOREPLACE) ||
		       errno == ENOENT || errno == EEXIST;
	}
	/* The new one is empty. */
	if (done)
		entry_rename(source, PROBES, target, PROBES, 0);
	if (source >= 0)
		close(source);
	if (target >= 0)
		close(target);
	return done;
}

/* Move an entry whose content has another path now, as nothing would find it any more. */
static void move_entry(const struct debug_dir *dir, const struct build_id *id, const char *from,
		       const char *to)
{
	if (!move_others(dir, from, to))
		return;
	debug_dir_remove_entry(dir, from);
	put_links(dir, id, to);
}

/* The mark comes before the file, so that a killed process leaves no file without one. */
static bool put_marked(const struct debug_dir *dir, const struct debug_item *item,
		       const char *before, const char *entry, struct reason *reason)
{
	char *marked = debug_dir_marked_entry(dir, item->id);
	bool marks = dir->marks >= 0 && (!before || (marked && !strcmp(marked, before)));
	bool done;

	if (marks && !debug_dir_put_mark(dir, item->id, entry))
		done = reason_set(reason, "%s/" MARKS ": %s", dir->path, strerror(errno));
	else
		done = put_entry(dir, item, entry, reason);
	if (!done && marks && !before)
		debug_dir_remove_mark(dir, item->id);
	else if (!done && marks)
		debug_dir_put_mark(dir, item->id, before);
	free(marked);
	return done;
}

/* For one file: a directory for each part of its name. */
#define INODES_NEEDED 64
/* Space left for others: a fraction of the disk, up to a limit. */
#define FREE_PART 20
#define FREE_MOST (1ULL << 30)

static uint64_t bytes_to_keep_free(const struct statvfs *filesystem)
{
	uint64_t part = (uint64_t)filesystem->f_blocks / FREE_PART * filesystem->f_frsize;

	return part < FREE_MOST ? part : FREE_MOST;
}

bool debug_dir_has_room(const struct debug_dir *dir, uint64_t bytes)
{
	struct statvfs filesystem;

	if (fstatvfs(dir->fd, &filesystem))
		return true;
	/* Including what the name of a file takes; some filesystems do not count inodes. */
	return (uint64_t)filesystem.f_bavail * filesystem.f_frsize >=
		       bytes + (64U << 10) + bytes_to_keep_free(&filesystem) &&
	       (!filesystem.f_files || filesystem.f_favail >= INODES_NEEDED);
}

bool debug_dir_put(struct debug_dir *dir, const struct debug_item *item, struct reason *reason)
{
	char link[PATH_MAX];
	char *entry, *before;
	bool done;

	if (!debug_dir_is_name(item->name))
		return reason_set(reason, "not a name that the debug dir can have");
	if (!link_path(item->id, false, link))
		return reason_set(reason, "a build-id of %zu bytes has no place in the debug dir",
				  item->id->size);
	debug_dir_adopt(dir, item->id);
	before = debug_dir_entry(dir, item->id);
	entry = (item->part == CONTENT_DEBUG || item->stay) && before ?
			strdup(before) :
			entry_path(item->name, item->id);
	if (item->part == CONTENT_DEBUG && !before)
		done = reason_set(reason, "has no entry in the debug dir");
	else if (!entry)
		done = reason_set(reason, "%s", strerror(ENOMEM));
	else
		done = put_marked(dir, item, before, entry, reason);
	if (done && before && strcmp(before, entry))
		move_entry(dir, item->id, before, entry);
	free(before);
	free(entry);
	return done;
}

/* Replace in place, where perf may have linked it. */
bool debug_dir_copy(struct debug_dir *dir, const struct build_id *id, enum content_part part,
		    int fd)
{
	struct debug_item item = { .id = id, .part = part, .fd = fd };
	char *entry = debug_dir_entry(dir, id);
	struct reason reason;
	bool done = entry && put_entry(dir, &item, entry, &reason);

	free(entry);
	return done;
}
