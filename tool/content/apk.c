// SPDX-License-Identifier: GPL-2.0
/* Apk: of Alpine, Wolfi and others; one text has the packages and all their files. */

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "package_list.h"
#include "root_files.h"

/* Its place since apk-tools 3, unless the old directory existed. */
#define DIRECTORY     "lib/apk/db/"
#define USR_DIRECTORY "usr/" DIRECTORY

static bool add_package(struct package_list *list, struct package_entry *entry)
{
	bool good = true;

	if (entry->source && entry->name && !strcmp(entry->source, entry->name))
		entry->source = NULL;
	if (entry->name && entry->paths)
		good = package_list_add(list, entry);
	*entry = (struct package_entry){};
	return good;
}

/* "P:musl", without its end; the first directory starts the paths, which are kept unparsed. */
static void take_line(struct package_entry *entry, char *line, char *end)
{
	const char **value;

	switch (line[0]) {
	case 'P':
		value = &entry->name;
		break;
	case 'V':
		value = &entry->version;
		break;
	case 'A':
		value = &entry->architecture;
		break;
	case 'o':
		value = &entry->source;
		break;
	case 'F':
		if (!entry->paths)
			entry->paths = line;
		return;
	default:
		return;
	}
	if (entry->paths)
		return;
	*value = line + 2;
	*end = '\0';
}

/* Paragraphs of "K:value". */
static bool read_database(struct package_list *list)
{
	size_t size;
	char *line = root_text_read(list->root, list->place, &size), *end;
	struct package_entry entry = {};
	bool good, more = true;

	if (!package_list_keep(list, line, size))
		return false;
	for (good = true; good && more; line = end + 1) {
		end = strchrnul(line, '\n');
		more = *end;
		if (end == line)
			good = add_package(list, &entry);
		else if (line[1] == ':')
			take_line(&entry, line, end);
	}
	return good && add_package(list, &entry);
}

/* "F:usr/lib", then "R:libz.so.1" for each file there. */
static void each_path(const struct package_list *list, const struct package_entry *entry,
		      take_path *take, void *data)
{
	const char *line = entry->paths, *directory = "";
	int length, directory_length = 0;
	char path[PATH_MAX];

	(void)list;
	for (; *line && *line != '\n'; line += length + (line[length] == '\n')) {
		length = (int)strcspn(line, "\n");
		if (length < 2 || line[1] != ':')
			continue;
		if (*line == 'F') {
			directory = line + 2;
			directory_length = length - 2;
		} else if (*line == 'R' && directory_length + length < PATH_MAX) {
			snprintf(path, sizeof(path), "%.*s%s%.*s", directory_length, directory,
				 directory_length ? "/" : "", length - 2, line + 2);
			if (!take(data, path))
				return;
		}
	}
}

/*
 * apk holds a file lock while it works, and writes the database last. Trying the lock could make
 * apk fail. The device is not compared, as /proc/locks shows another one for files on an overlay.
 */
static bool is_busy(const struct package_list *list)
{
	bool usr = !strncmp(list->place, "usr/", strlen("usr/")), busy = false;
	unsigned long long ino;
	struct statx lock;
	char line[256];
	FILE *locks;

	if (!root_stat(list->root, usr ? USR_DIRECTORY "lock" : DIRECTORY "lock", &lock))
		return false;
	locks = fopen("/proc/locks", "re");
	while (locks && !busy && fgets(line, sizeof(line), locks))
		busy = sscanf(line, "%*s %*s %*s WRITE %*d %*x:%*x:%llu", &ino) == 1 &&
		       ino == lock.stx_ino;
	if (locks)
		fclose(locks);
	return busy;
}

const struct package_format package_format_apk = {
	.origin = PACKAGE_BY_APK,
	.type = "apk",
	.places = { DIRECTORY "installed", USR_DIRECTORY "installed" },
	.read = read_database,
	.each_path = each_path,
	.is_busy = is_busy,
};
