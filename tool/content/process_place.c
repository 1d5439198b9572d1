// SPDX-License-Identifier: GPL-2.0
/*
 * Process place: the module reports a path as in /proc/PID/maps of the process, relative to the
 * root of the mount namespace and not to a directory that it entered by chroot(2): the two differ
 * for daemons that call chroot(2) after loading their libraries.
 */

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "mapped_files.h"
#include "process_place.h"

/* "" for a process in another root, for which no path is shown. */
static void read_link(uint32_t pid, const char *name, char *to, size_t size)
{
	char path[64];
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/%s", pid, name);
	length = readlink(path, to, size - 1);
	to[length > 0 ? length : 0] = '\0';
}

bool process_root_read(uint32_t pid, struct process_root *root)
{
	int fd = process_root(pid);
	struct statx stat_;
	bool found;

	if (fd < 0)
		return false;
	found = !statx(fd, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_INO, &stat_);
	close(fd);
	if (!found)
		return false;
	*root = (struct process_root){ .dev = makedev(stat_.stx_dev_major, stat_.stx_dev_minor),
				       .ino = stat_.stx_ino };
	read_link(pid, "ns/mnt", root->namespace, sizeof(root->namespace));
	return true;
}

bool process_root_same(const struct process_root *one, const struct process_root *other)
{
	return one->dev == other->dev && one->ino == other->ino &&
	       !strcmp(one->namespace, other->namespace);
}

/*
 * The root of the mount namespace: ".." leads no further. Uses only what is in memory, as a server
 * may be asked for permission to search each directory.
 */
static int open_top(int root)
{
	struct open_how how = { .flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
				.resolve = RESOLVE_CACHED };
	char path[PATH_MAX];
	size_t i;
	int top;

	for (i = 0; i + 4 < sizeof(path); i += 3)
		memcpy(path + i, "../", 4);
	top = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
	close(root);
	return top;
}

/* @path without the directory @prefix that it is below, or NULL. */
static const char *below(const char *path, const char *prefix)
{
	size_t length = strlen(prefix);

	if (!length || strncmp(path, prefix, length))
		return NULL;
	if (prefix[length - 1] == '/')
		return path + length;
	return path[length] == '/' ? path + length + 1 : NULL;
}

int process_place(uint32_t pid, const char **path)
{
	int root = process_root(pid);
	char link[PATH_MAX];
	const char *rest;

	if (root < 0)
		return -1;
	read_link(pid, "root", link, sizeof(link));
	rest = below(*path, link);
	if (!rest) {
		rest = *path + strspn(*path, "/");
		root = open_top(root);
	}
	*path = rest;
	return root;
}
