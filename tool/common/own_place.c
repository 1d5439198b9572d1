// SPDX-License-Identifier: GPL-2.0
/* The place that a path leads to, through links that no other user can have put there. */

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "own_place.h"

/* As in the kernel. */
#define LINKS_MAX 40
#define MAGIC_MAX 64

struct walk {
	struct own_place *place;
	char rest[PATH_MAX]; /* rest of the path, relative to place->directory */
	int links;
	bool follow;
	struct reason *reason;
};

static bool own_place_fail(const struct walk *walk)
{
	return reason_set(walk->reason, "%s", strerror(errno));
}

static bool is_trusted(const struct stat *status)
{
	return status->st_uid == geteuid() || !status->st_uid;
}

/* Takes over @directory. */
static bool enter(struct walk *walk, int directory)
{
	if (directory < 0)
		return own_place_fail(walk);
	if (walk->place->directory >= 0)
		close(walk->place->directory);
	walk->place->directory = directory;
	return true;
}

static bool own_place_begin(struct walk *walk)
{
	int at = walk->place->directory;

	if (*walk->rest == '/')
		return enter(walk, open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
	return at >= 0 || enter(walk, open(".", O_PATH | O_DIRECTORY | O_CLOEXEC));
}

/* Copy the next component to the name, and whether it is the last one. */
static bool own_place_take(struct walk *walk, bool *last)
{
	const char *from = walk->rest + strspn(walk->rest, "/");
	size_t length = strcspn(from, "/"), slashes = strspn(from + length, "/");

	if (length >= sizeof(walk->place->name)) {
		errno = ENAMETOOLONG;
		return own_place_fail(walk);
	}
	memcpy(walk->place->name, from, length);
	walk->place->name[length] = '\0';
	from += length + slashes;
	*last = !*from;
	memmove(walk->rest, from, strlen(from) + 1);
	return true;
}

/* Links in /proc may lead to nameless files. Nobody can create links there. */
static bool is_proc(int directory)
{
	struct statfs filesystem;

	return !fstatfs(directory, &filesystem) && filesystem.f_type == PROC_SUPER_MAGIC;
}

static const char *why_not(const struct stat *link, const struct stat *parent, bool last)
{
	if (last && !is_trusted(parent))
		return "is no regular file, and in another user's directory; remove it first";
	if (is_trusted(link) || (!last && link->st_uid == parent->st_uid))
		return NULL;
	return last ? "is another user's, and no regular file; remove it first" :
		      "leads through a symbolic link of another user; give the path without it";
}

/* Prepend the target of the link @handle to the rest. */
static bool follow(struct walk *walk, int handle, bool last)
{
	char target[PATH_MAX];
	struct stat link, parent;
	size_t length = strlen(walk->rest);
	const char *why;
	ssize_t got;

	if (fstat(handle, &link) || fstat(walk->place->directory, &parent))
		return own_place_fail(walk);
	why = why_not(&link, &parent, last);
	if (why)
		return reason_set(walk->reason, "%s", why);
	got = readlinkat(handle, "", target, sizeof(target));
	if (got < 0)
		return own_place_fail(walk);
	errno = ++walk->links > LINKS_MAX ? ELOOP : ENAMETOOLONG;
	if (walk->links > LINKS_MAX || (size_t)got + length + 2 > sizeof(walk->rest))
		return own_place_fail(walk);
	memmove(walk->rest + got + !!length, walk->rest, length + 1);
	if (length)
		walk->rest[got] = '/';
	memcpy(walk->rest, target, (size_t)got);
	if (!length)
		walk->rest[got] = '\0';
	return own_place_begin(walk);
}

static bool is_link(int handle)
{
	struct stat status;

	return handle >= 0 && !fstat(handle, &status) && S_ISLNK(status.st_mode);
}

/* Links in /proc are followed by the kernel, as they may have no path. */
static bool go_through(struct walk *walk)
{
	int at = walk->place->directory, handle;
	const char *name = walk->place->name;
	bool done;

	/* With O_DIRECTORY, so that an automount is triggered. */
	handle =
		openat(at, name, O_PATH | O_DIRECTORY | O_CLOEXEC | (is_proc(at) ? 0 : O_NOFOLLOW));
	if (handle >= 0)
		return enter(walk, handle);
	if (errno != ENOTDIR && errno != ELOOP)
		return own_place_fail(walk);
	handle = openat(at, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	errno = ENOTDIR;
	done = is_link(handle) ? follow(walk, handle, false) : own_place_fail(walk);
	if (handle >= 0)
		close(handle);
	return done;
}

/* "." and "..": use the name that the directory has. */
static bool name_directory(struct walk *walk)
{
	int fd =
		openat(walk->place->directory, walk->place->name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	char path[64];
	ssize_t got;

	if (fd < 0)
		return own_place_fail(walk);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	got = readlink(path, walk->rest, sizeof(walk->rest) - 1);
	close(fd);
	errno = ENOENT;
	if (got <= 1 || ++walk->links > LINKS_MAX)
		return own_place_fail(walk);
	walk->rest[got] = '\0';
	return own_place_begin(walk);
}

/* Reopen it for reading, if permitted, as fsync(2) does not accept an O_PATH handle. */
static bool arrive(struct walk *walk, int there)
{
	int fd = openat(walk->place->directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	walk->place->there = there;
	return fd < 0 || enter(walk, fd);
}

/* Look at the last component. Sets *@arrived, or a link has provided a new rest. */
static bool look(struct walk *walk, bool *arrived)
{
	struct own_place *place = walk->place;
	int there;
	bool done;

	if (!strcmp(place->name, ".") || !strcmp(place->name, ".."))
		return name_directory(walk);
	there = openat(place->directory, place->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	if (there < 0 && errno != ENOENT)
		return own_place_fail(walk);
	if (walk->follow && is_link(there)) {
		place->is_proc = is_proc(place->directory);
		if (!place->is_proc) {
			done = follow(walk, there, true);
			close(there);
			return done;
		}
		close(there);
		there = openat(place->directory, place->name, O_PATH | O_CLOEXEC);
		if (there < 0)
			return own_place_fail(walk);
	}
	*arrived = true;
	return arrive(walk, there);
}

bool own_place_open(struct own_place *place, const char *path, bool follow_last,
		    struct reason *reason)
{
	struct walk walk = { .place = place, .follow = follow_last, .reason = reason };
	bool good, last = false, arrived = false;

	*place = (struct own_place){ .directory = -1, .there = -1 };
	errno = *path ? ENAMETOOLONG : ENOENT;
	if (!*path || strlen(path) >= sizeof(walk.rest))
		return own_place_fail(&walk);
	strcpy(walk.rest, path);
	good = own_place_begin(&walk);
	while (good && !arrived) {
		good = own_place_take(&walk, &last);
		if (good && !*place->name)
			good = reason_set(reason, "%s", strerror(EISDIR));
		if (good)
			good = last ? look(&walk, &arrived) : go_through(&walk);
	}
	if (!good)
		own_place_close(place);
	return good;
}

void own_place_close(struct own_place *place)
{
	if (place->directory >= 0)
		close(place->directory);
	if (place->there >= 0)
		close(place->there);
	place->directory = place->there = -1;
}

char *own_place_path(const struct own_place *place)
{
	char link[64], directory[PATH_MAX], *path;
	ssize_t got;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", place->directory);
	got = readlink(link, directory, sizeof(directory));
	if (got < 0)
		return strdup(place->name);
	if (asprintf(&path, "%.*s/%s", got == 1 ? 0 : (int)got, directory, place->name) < 0)
		return NULL;
	return path;
}

int own_place_reopen(const struct own_place *place, int flags)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", place->there);
	return open(path, flags | O_NOCTTY | O_CLOEXEC);
}

static bool begins_with(int fd, const void *magic, size_t size)
{
	char bytes[MAGIC_MAX];

	return size <= sizeof(bytes) && pread(fd, bytes, size, 0) == (ssize_t)size &&
	       !memcmp(bytes, magic, size);
}

/* Check the owner before an open() can wait for another user's lease. */
static const char *why_not_ours(const struct stat *file)
{
	if (file->st_uid != geteuid())
		return "belongs to another user; remove it first";
	return file->st_nlink > 1 ? "has other hard links; remove it first" : NULL;
}

int own_place_open_file(const struct own_place *place, int flags, const void *magic, size_t size,
			struct reason *reason)
{
	const char *why = NULL;
	struct stat status;
	int fd = -1;

	if (!fstat(place->there, &status)) {
		why = why_not_ours(&status);
		fd = why ? -1 : own_place_reopen(place, flags);
	}
	if (fd < 0 || fstat(fd, &status)) {
		reason_set(reason, "%s", why ? why : strerror(errno));
	} else {
		if (!status.st_size || begins_with(fd, magic, size))
			return fd;
		reason_set(reason, "exists and is something else; remove it first");
	}
	if (fd >= 0)
		close(fd);
	return -1;
}

bool own_place_is_free(const struct own_place *place, const void *magic, size_t size,
		       struct reason *reason)
{
	struct stat status;
	int fd;

	if (place->there < 0)
		return true;
	if (fstat(place->there, &status))
		return reason_set(reason, "%s", strerror(errno));
	if (S_ISDIR(status.st_mode))
		return reason_set(reason, "%s", strerror(EISDIR));
	if (!S_ISREG(status.st_mode) || place->is_proc)
		return reason_set(reason, "not a regular file");
	fd = own_place_open_file(place, O_RDONLY, magic, size, reason);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

void own_place_remove(const char *path)
{
	struct own_place place;
	struct reason unused;
	struct stat status;

	if (!own_place_open(&place, path, true, &unused))
		return;
	if (!place.is_proc && place.there >= 0 && !fstat(place.there, &status) &&
	    S_ISREG(status.st_mode) && status.st_uid == geteuid())
		unlinkat(place.directory, place.name, 0);
	own_place_close(&place);
}
