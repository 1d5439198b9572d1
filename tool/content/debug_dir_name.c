// SPDX-License-Identifier: GPL-2.0
/*
 * Debug dir name: a further name of an entry. Its directory is a symbolic link, so that a debug
 * file stored later is found under each name.
 */

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "debug_dir_internal.h"

/* From the directory of that name. */
static bool make_target(const char *name, const char *entry, char target[PATH_MAX])
{
	size_t used = 0, size = strlen(entry);

	for (; *name; name++) {
		if (*name != '/')
			continue;
		if (used + size + sizeof("../") > PATH_MAX)
			return false;
		memcpy(target + used, "../", 3);
		used += 3;
	}
	memcpy(target + used, entry, size + 1);
	return true;
}

static bool put_name(const struct debug_dir *dir, const char *name, const char *id,
		     const char *target)
{
	int directory = debug_dir_open_below(dir, name, true);
	bool done;

	if (directory < 0)
		return false;
	done = !faccessat(directory, id, F_OK, 0) || debug_dir_put_link(dir, directory, id, target);
	close(directory);
	return done;
}

bool debug_dir_name(const struct debug_dir *dir, const struct build_id *id, const char *name)
{
	char text[BUILD_ID_TEXT], target[PATH_MAX];
	size_t length = strlen(name);
	bool done = false;
	char *entry;

	if (*name != '/' || !debug_dir_is_name(name))
		return false;
	/* Otherwise its names would stay behind when it is removed. */
	debug_dir_adopt(dir, id);
	entry = debug_dir_entry(dir, id);
	if (entry && !strncmp(entry, name + 1, length - 1) && entry[length - 1] == '/' &&
	    !strchr(entry + length, '/'))
		done = true;
	else if (entry && make_target(name, entry, target))
		done = put_name(dir, name + 1, build_id_text(id, text), target);
	free(entry);
	return done;
}
