// SPDX-License-Identifier: GPL-2.0
/* Debug dir: the marks of what one process stores for weeks, and the lock. */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/copy.h"
#include "common/entry.h"
#include "common/temporary.h"
#include "debug_dir_internal.h"

#define MARK_UP "../"
#define LOCK	"lock"

/* Inodes of an entry: its content, the list of probes, two links and the mark. */
#define FILES		5
#define DIRECTORY_BYTES 4096
#define INODE_BYTES	16384

bool debug_dir_put_mark(const struct debug_dir *dir, const struct build_id *id, const char *entry)
{
	char target[PATH_MAX + sizeof(MARK_UP)], text[BUILD_ID_TEXT];

	snprintf(target, sizeof(target), MARK_UP "%s", entry);
	return debug_dir_put_link(dir, dir->marks, build_id_text(id, text), target);
}

void debug_dir_remove_mark(const struct debug_dir *dir, const struct build_id *id)
{
	char text[BUILD_ID_TEXT];

	unlinkat(dir->marks, build_id_text(id, text), 0);
}

char *debug_dir_marked_entry(const struct debug_dir *dir, const struct build_id *id)
{
	char text[BUILD_ID_TEXT];

	return dir->marks < 0 ?
		       NULL :
		       debug_dir_read_entry(dir->marks, build_id_text(id, text), MARK_UP, id);
}

/* Links first: without them it is not an entry any more, but the mark remembers it. */
bool debug_dir_remove(struct debug_dir *dir, const struct build_id *id)
{
	char *marked = debug_dir_marked_entry(dir, id);

	if (!marked)
		return false;
	debug_dir_remove_links(dir, id, marked);
	debug_dir_remove_entry(dir, marked);
	debug_dir_remove_mark(dir, id);
	free(marked);
	return true;
}

void debug_dir_adopt(const struct debug_dir *dir, const struct build_id *id)
{
	char text[BUILD_ID_TEXT];
	int marks;

	if (dir->marks >= 0)
		return;
	marks = debug_dir_open_below(dir, MARKS, false);
	if (marks < 0)
		return;
	unlinkat(marks, build_id_text(id, text), 0);
	close(marks);
}

void debug_dir_touch(struct debug_dir *dir, const struct build_id *id)
{
	char text[BUILD_ID_TEXT];

	utimensat(dir->marks, build_id_text(id, text), NULL, AT_SYMLINK_NOFOLLOW);
}

uint64_t debug_dir_cost(const char *name, uint64_t bytes)
{
	/* For its build-id, and for the links to it. */
	uint64_t directories = 2, inodes;

	for (; *name; name++)
		directories += *name == '/';
	inodes = directories + FILES;
	bytes += directories * DIRECTORY_BYTES;
	return bytes > inodes * INODE_BYTES ? bytes : inodes * INODE_BYTES;
}

static uint64_t entry_bytes(const struct debug_dir *dir, const char *entry)
{
	char path[PATH_MAX + 16];
	enum content_part part;
	struct stat stat_;
	uint64_t bytes = 0;

	for (part = 0; part < CONTENT_PARTS; part++) {
		snprintf(path, sizeof(path), "%s/%s", entry, content_part_name(part));
		if (!fstatat(dir->fd, path, &stat_, AT_SYMLINK_NOFOLLOW))
			bytes += (uint64_t)stat_.st_blocks * 512;
	}
	return debug_dir_cost(entry, bytes);
}

bool debug_dir_marked(const struct debug_dir *dir, const struct build_id *id,
		      struct debug_mark *mark)
{
	char *marked = debug_dir_marked_entry(dir, id);
	char *entry = debug_dir_entry(dir, id);
	char text[BUILD_ID_TEXT];
	struct stat stat_;
	bool is = marked && entry && !strcmp(marked, entry) &&
		  (debug_dir_has_part(dir, entry, CONTENT_KALLSYMS) ||
		   *debug_dir_debugger_file(dir, entry)) &&
		  !fstatat(dir->marks, build_id_text(id, text), &stat_, AT_SYMLINK_NOFOLLOW);

	if (is)
		*mark = (struct debug_mark){
			.id = *id,
			.bytes = entry_bytes(dir, entry),
			.used = stat_.st_mtime,
			.module = strstr(entry, ".ko"),
		};
	free(marked);
	free(entry);
	return is;
}

/* Remove what a killed process left: unnamed files, half an entry. */
static bool clean_or_show(struct debug_dir *dir, const char *name, debug_dir_show *show, void *to)
{
	struct debug_mark mark;
	struct build_id id;

	if (temporary_is_name(name))
		return unlinkat(dir->marks, name, 0), true;
	if (!build_id_parse(&id, name))
		return true;
	if (debug_dir_marked(dir, &id, &mark))
		return show(to, &mark);
	debug_dir_remove(dir, &id);
	debug_dir_remove_mark(dir, &id);
	return true;
}

bool debug_dir_read_marks(struct debug_dir *dir, debug_dir_show *show, void *to)
{
	int fd = openat(dir->marks, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *marks = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *found;
	bool good = marks;

	while (good && (found = readdir(marks)))
		good = clean_or_show(dir, found->d_name, show, to);
	if (marks)
		closedir(marks);
	else if (fd >= 0)
		close(fd);
	return good;
}

/* The lock's holder, as written by that process. */
static bool is_locked(const struct debug_dir *dir, struct reason *reason)
{
	char text[16] = "";
	ssize_t got = pread(dir->lock, text, sizeof(text) - 1, 0);

	text[got < 0 ? 0 : strspn(text, "0123456789")] = '\0';
	return reason_set(reason, "process %s stores into it already", *text ? text : "?");
}

bool debug_dir_lock(struct debug_dir *dir, struct reason *reason)
{
	char text[16];

	dir->marks = entry_need_directory(dir->fd, MARKS, 0755);
	if (dir->marks >= 0)
		dir->lock = entry_need_file(dir->marks, LOCK, 0644);
	if (dir->lock < 0)
		return reason_set(reason, MARKS ": %s", strerror(errno));
	if (flock(dir->lock, LOCK_EX | LOCK_NB))
		return errno == EWOULDBLOCK ? is_locked(dir, reason) :
					      reason_set(reason, MARKS ": %s", strerror(errno));
	snprintf(text, sizeof(text), "%d\n", getpid());
	/* A full disk must not prevent taking the lock. */
	if (!ftruncate(dir->lock, 0))
		pwrite_all(dir->lock, text, strlen(text), 0);
	return true;
}
