// SPDX-License-Identifier: GPL-2.0
/*
 * Debug dir name: a further name of an entry. Its directory is a symbolic link, so that what
 * is stored later, a debug file, is there under each name.
 */

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "debug_dir.h"

/* The directories above @path, "usr/bin/ls/abcd...". */
static bool make_parents(int directory, const char *path)
{
	char parent[PATH_MAX];
	const char *slash;

	for (slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		snprintf(parent, sizeof(parent), "%.*s", (int)(slash - path), path);
		if (mkdirat(directory, parent, 0755) && errno != EEXIST)
			return false;
	}
	return true;
}

/* From the directory that @path is in. */
static bool make_target(const char *path, const char *entry, char target[PATH_MAX])
{
	size_t used = 0, size = strlen(entry);

	for (; *path; path++) {
		if (*path != '/')
			continue;
		if (used + size + sizeof("../") > PATH_MAX)
			return false;
		memcpy(target + used, "../", 3);
		used += 3;
	}
	memcpy(target + used, entry, size + 1);
	return true;
}

static bool put_name(int directory, const char *path, const char *entry)
{
	char target[PATH_MAX];

	if (!strcmp(path, entry) || !faccessat(directory, path, F_OK, 0))
		return true;
	if (!make_parents(directory, path) || !make_target(path, entry, target))
		return false;
	if (!symlinkat(target, directory, path))
		return true;
	/* To an entry that is no more. */
	return errno == EEXIST && !unlinkat(directory, path, 0) &&
	       !symlinkat(target, directory, path);
}

bool debug_dir_name(const struct debug_dir *dir, const struct build_id *id, const char *name)
{
	char path[PATH_MAX], text[BUILD_ID_TEXT];
	bool done = false;
	char *entry;

	if (*name != '/' || !debug_dir_is_name(name) ||
	    (size_t)snprintf(path, sizeof(path), "%s/%s", name + 1, build_id_text(id, text)) >=
		    sizeof(path))
		return false;
	entry = debug_dir_entry(dir, id);
	if (entry)
		done = put_name(debug_dir_fd(dir), path, entry);
	free(entry);
	return done;
}
