// SPDX-License-Identifier: GPL-2.0
/* Debug dir: the only file that knows how perf lays out ~/.debug. */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/copy.h"
#include "common/open_regular.h"
#include "common/temporary.h"
#include "debug_dir.h"

#define LINKS  ".build-id"
#define PROBES "probes"

struct debug_dir {
	int fd;
	char *path;
};

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

struct debug_dir *debug_dir_open(const char *path, bool create, struct reason *reason)
{
	struct debug_dir *dir = calloc(1, sizeof(*dir));

	if (!dir)
		return NULL;
	dir->path = path ? strdup(path) : default_path(reason);
	dir->fd = -1;
	if (!dir->path)
		goto fail;
	if (create && mkdir(dir->path, 0755) && errno != EEXIST) {
		reason_set(reason, "%s", strerror(errno));
		goto fail;
	}
	dir->fd = open(dir->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir->fd < 0) {
		reason_set(reason, "%s", strerror(errno));
		goto fail;
	}
	return dir;
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

static bool is_path(const char *name)
{
	size_t length;

	if (!strncmp(name, "/" LINKS, sizeof("/" LINKS) - 1)) {
		char next = name[sizeof("/" LINKS) - 1];

		if (!next || next == '/')
			return false;
	}
	while (*name == '/') {
		length = strcspn(++name, "/");
		if (!is_component(name, length))
			return false;
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

/* ".build-id/ab/cdef...", or only its directory. */
static bool link_path(const struct build_id *id, bool directory, char path[PATH_MAX])
{
	char text[BUILD_ID_TEXT];

	/* A byte is the directory: there has to be a name besides. */
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

/* The target without "../../", when it is of the shape that perf gives it. */
static char *checked_target(char *target, const struct build_id *id)
{
	static const char up[] = "../../";
	char text[BUILD_ID_TEXT];
	char *last, *name;
	bool good;

	if (strncmp(target, up, sizeof(up) - 1))
		return NULL;
	target += sizeof(up) - 2; /* the slash is the name's */
	last = strrchr(target, '/');
	if (!last || last == target || strcmp(last + 1, build_id_text(id, text)))
		return NULL;
	*last = '\0';
	name = target[1] == '[' ? target + 1 : target;
	good = debug_dir_is_name(name) || debug_dir_is_name(target);
	*last = '/';
	return good ? target + 1 : NULL;
}

char *debug_dir_entry(const struct debug_dir *dir, const struct build_id *id)
{
	char link[PATH_MAX], target[PATH_MAX];
	const char *entry;
	ssize_t length;

	if (!link_path(id, false, link))
		return NULL;
	length = readlinkat(dir->fd, link, target, sizeof(target) - 1);
	if (length < 0)
		return NULL;
	target[length] = '\0';
	entry = checked_target(target, id);
	return entry ? strdup(entry) : NULL;
}

/*
 * Below the directory, without following links, so that none leads elsewhere.
 * With @create what is missing is made.
 */
static int open_below(const struct debug_dir *dir, const char *path, bool create)
{
	char component[NAME_MAX + 1];
	int fd = fcntl(dir->fd, F_DUPFD_CLOEXEC, 0);
	size_t length;
	int next;

	while (fd >= 0 && *path) {
		length = strcspn(path, "/");
		if (length > NAME_MAX) {
			close(fd);
			errno = ENAMETOOLONG;
			return -1;
		}
		memcpy(component, path, length);
		component[length] = '\0';
		path += length + (path[length] == '/');
		if (create && mkdirat(fd, component, 0755) && errno != EEXIST)
			next = -1;
		else
			next = openat(fd, component,
				      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
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
	directory = open_below(dir, entry, false);
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

/* Not what runs as somebody else: removing the file is to be the end of it. */
static bool may_link(const struct debug_item *item)
{
	struct stat stat_;

	return item->may_link && !fstat(item->fd, &stat_) && S_ISREG(stat_.st_mode) &&
	       !(stat_.st_mode & (S_ISUID | S_ISGID));
}

/* The file itself, or a copy where there is no linking it. */
static bool stage(const struct debug_dir *dir, const struct debug_item *item,
		  struct temporary *file, struct reason *reason)
{
	if (may_link(item) && temporary_link(file, dir->fd, item->fd))
		return content_is(item->fd, item->id, item->part, reason);
	if (!temporary_open(file, dir->fd, item->part == CONTENT_VDSO ? 0600 : 0755))
		return reason_set(reason, "cannot be copied: %s", strerror(errno));
	/* The copy, not what it was made of: that may have changed meanwhile. */
	return copy_file(item->fd, file->fd, reason) &&
	       content_is(file->fd, item->id, item->part, reason);
}

/* perf keeps there what probes were found; it makes it for all but kernels. */
static void put_probes(int directory)
{
	int fd = openat(directory, PROBES, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC,
			0644);

	if (fd >= 0)
		close(fd);
}

static bool put_link(const struct debug_dir *dir, const struct build_id *id, const char *entry)
{
	char path[PATH_MAX], text[BUILD_ID_TEXT], temporary[32];
	int directory, error;
	char *target;
	bool done;

	link_path(id, true, path);
	directory = open_below(dir, path, true);
	if (directory < 0)
		return false;
	done = asprintf(&target, "../../%s", entry) >= 0;
	if (done) {
		temporary_make_name(temporary);
		done = !symlinkat(target, directory, temporary) &&
		       !renameat(directory, temporary, directory, build_id_text(id, text) + 2);
		error = errno;
		if (!done)
			unlinkat(directory, temporary, 0);
		errno = error;
		free(target);
	}
	close(directory);
	return done;
}

/* Directories that nothing is in. */
static void prune(const struct debug_dir *dir, const char *entry)
{
	char *path = strdup(entry);
	char *slash;

	while (path && *path && !unlinkat(dir->fd, path, AT_REMOVEDIR)) {
		slash = strrchr(path, '/');
		*(slash ? slash : path) = '\0';
	}
	free(path);
}

static bool put_staged(const struct debug_dir *dir, const struct debug_item *item,
		       struct temporary *file, const char *entry, struct reason *reason)
{
	int directory = open_below(dir, entry, true);
	bool done;

	if (directory < 0)
		return reason_set(reason, "%s/%s: %s", dir->path, entry, strerror(errno));
	done = temporary_name(file, directory, content_part_name(item->part), true);
	if (!done)
		reason_set(reason, "cannot be linked: %s", strerror(errno));
	else if (item->part != CONTENT_KALLSYMS)
		put_probes(directory);
	close(directory);
	if (done && item->part != CONTENT_DEBUG && !put_link(dir, item->id, entry))
		done = reason_set(reason, "%s/" LINKS ": %s", dir->path, strerror(errno));
	return done;
}

/*
 * The entry is made only for what is whole and good: whoever is refused has no
 * directory to remove, which others may be about to use.
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

bool debug_dir_put(struct debug_dir *dir, const struct debug_item *item, struct reason *reason)
{
	char link[PATH_MAX];
	char *entry;
	bool done;

	if (!debug_dir_is_name(item->name))
		return reason_set(reason, "not a name that the debug dir can have");
	if (!link_path(item->id, false, link))
		return reason_set(reason, "a build-id of %zu bytes has no place in the debug dir",
				  item->id->size);
	entry = item->part == CONTENT_DEBUG ? debug_dir_entry(dir, item->id) :
					      entry_path(item->name, item->id);
	if (!entry)
		return reason_set(reason, "has no entry in the debug dir");
	done = put_entry(dir, item, entry, reason);
	free(entry);
	return done;
}
