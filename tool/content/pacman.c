// SPDX-License-Identifier: GPL-2.0
/* Pacman: Arch and others; the database has a directory for each package. */

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "package_list.h"
#include "root_files.h"

#define LOCAL "var/lib/pacman/local"
#define LOCK  "var/lib/pacman/db.lck"

/* "%NAME%", then a line for each value, then an empty one. */
static void read_desc(struct package_entry *entry, char *text)
{
	const struct {
		const char *section;
		const char **value;
	} values[] = {
		{ "%NAME%", &entry->name },
		{ "%VERSION%", &entry->version },
		{ "%ARCH%", &entry->architecture },
		{ "%BASE%", &entry->source },
	};
	const char **value = NULL;
	char *line;
	size_t i;

	while ((line = next_line(&text))) {
		if (value) {
			*value = line;
			value = NULL;
			continue;
		}
		for (i = 0; i < ARRAY_SIZE(values); i++)
			if (!strcmp(line, values[i].section))
				value = values[i].value;
	}
	if (entry->source && entry->name && !strcmp(entry->source, entry->name))
		entry->source = NULL;
}

static bool add_package(struct package_list *list, const char *directory)
{
	char path[sizeof(LOCAL) + NAME_MAX + 16], *text, *paths;
	struct package_entry entry = {};
	size_t size;

	if (*directory == '.')
		return true;
	snprintf(path, sizeof(path), LOCAL "/%s/desc", directory);
	text = root_text_read(list->root, path, &size);
	if (!text)
		return true;
	if (!package_list_keep(list, text, size) ||
	    asprintf(&paths, LOCAL "/%s/files", directory) < 0)
		return false;
	entry.paths = paths;
	if (!package_list_keep(list, paths, strlen(paths)))
		return false;
	read_desc(&entry, text);
	return !entry.name || package_list_add(list, &entry);
}

static bool read_database(struct package_list *list)
{
	DIR *directory = root_directory_open(list->root, LOCAL);
	struct dirent *entry;
	bool good = true;

	while (directory && good && (entry = readdir(directory)))
		good = add_package(list, entry->d_name);
	if (directory)
		closedir(directory);
	return good;
}

/* From the section "%FILES%", except directories. */
static void each_path(const struct package_list *list, const struct package_entry *entry,
		      take_path *take, void *data)
{
	char *text = root_text_read(list->root, entry->paths, NULL), *at = text, *line;
	bool files = false;

	while (at && (line = next_line(&at))) {
		size_t length = strlen(line);

		if (!files || !length)
			files = !strcmp(line, "%FILES%");
		else if (line[length - 1] != '/' && !take(data, line))
			break;
	}
	free(text);
}

/* Its lock file exists while it works, and after it was killed. */
static bool is_busy(const struct package_list *list)
{
	struct statx lock;

	return root_stat(list->root, LOCK, &lock);
}

const struct package_format package_format_pacman = {
	.origin = PACKAGE_BY_PACMAN,
	.type = "alpm",
	.places = { LOCAL },
	.read = read_database,
	.each_path = each_path,
	.is_busy = is_busy,
};
