// SPDX-License-Identifier: GPL-2.0
/* Kernel modules: /sys/module, modules.dep and /lib/modules. */

#include <dirent.h>
#include <fts.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "common/array.h"
#include "kernel_modules.h"
#include "running_kernel.h"

#define LOADED	     "/sys/module"
#define MODULE_FILES "/lib/modules"

static bool notes_of(const char *name, struct build_id *id)
{
	char path[512];

	snprintf(path, sizeof(path), LOADED "/%s/notes/.note.gnu.build-id", name);
	return notes_build_id(path, id);
}

bool loaded_module_build_id(const char *what, struct build_id *id)
{
	char name[MODULE_NAME_ROOM];

	module_name(what, name);
	return *name && notes_of(name, id);
}

char *loaded_module_name(const struct build_id *id)
{
	DIR *modules = opendir(LOADED);
	struct dirent *entry;
	struct build_id found;
	char *name = NULL;

	while (modules && !name && (entry = readdir(modules)))
		if (notes_of(entry->d_name, &found) && build_id_equal(&found, id))
			name = strdup(entry->d_name);
	if (modules)
		closedir(modules);
	return name;
}

static bool has_name(const char *path, const char *name)
{
	char other[MODULE_NAME_ROOM];

	module_name(path, other);
	return !strcmp(other, name);
}

char *module_file(const char *what)
{
	char name[MODULE_NAME_ROOM];
	char *line = NULL, *path = NULL;
	char list[512];
	struct utsname uts;
	size_t room = 0;
	FILE *file;

	module_name(what, name);
	if (!*name || uname(&uts))
		return NULL;
	snprintf(list, sizeof(list), MODULE_FILES "/%s/modules.dep", uts.release);
	file = fopen(list, "re");
	while (file && !path && getline(&line, &room, file) > 0) {
		/* "kernel/fs/fuse/fuse.ko.xz: kernel/..." */
		line[strcspn(line, ":")] = '\0';
		if (has_name(line, name) &&
		    asprintf(&path, *line == '/' ? "%.0s%s" : MODULE_FILES "/%s/%s", uts.release,
			     line) < 0)
			path = NULL;
	}
	free(line);
	if (file)
		fclose(file);
	return path;
}

static bool search_below(char *directory, const char *name, module_file_check *check, void *context)
{
	char *paths[] = { directory, NULL };
	FTS *tree = fts_open(paths, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, NULL);
	FTSENT *entry;
	bool done = false;

	while (tree && !done && (entry = fts_read(tree)))
		done = (entry->fts_info == FTS_F || entry->fts_info == FTS_SL) &&
		       strstr(entry->fts_name, ".ko") && has_name(entry->fts_name, name) &&
		       check(entry->fts_path, context);
	if (tree)
		fts_close(tree);
	return done;
}

bool module_files_search(const char *what, bool all, module_file_check *check, void *context)
{
	/* The kernel's own modules are in modules.dep; depmod may not have seen these yet. */
	static const char *const places[] = { "updates", "extra", "misc", "weak-updates" };
	struct utsname uts;
	char path[512] = MODULE_FILES;
	char name[MODULE_NAME_ROOM];
	size_t i;

	module_name(what, name);
	if (!*name)
		return false;
	if (all)
		return search_below(path, name, check, context);
	if (uname(&uts))
		return false;
	for (i = 0; i < ARRAY_SIZE(places); i++) {
		snprintf(path, sizeof(path), MODULE_FILES "/%s/%s", uts.release, places[i]);
		if (search_below(path, name, check, context))
			return true;
	}
	return false;
}
