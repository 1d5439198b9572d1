// SPDX-License-Identifier: GPL-2.0
/*
 * Package database: a root may have several, as a machine of one distribution that builds packages
 * for another.
 */

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/array.h"
#include "package_database.h"
#include "package_list.h"
#include "root_files.h"

static const struct package_format *const formats[] = {
	&package_format_dpkg,
	&package_format_apk,
	&package_format_pacman,
};

struct package_database {
	int root;
	struct package_list *lists[ARRAY_SIZE(formats)];
	bool merged; /* /lib and others lead to /usr/lib */
	char os[64], os_version[64];
};

static void copy_value(char *to, size_t size, const char *value)
{
	size_t quote = *value == '"' || *value == '\'';

	snprintf(to, size, "%.*s", (int)strcspn(value + quote, "\"'"), value + quote);
}

static void read_system(struct package_database *database)
{
	char *text = root_text_read(database->root, "etc/os-release", NULL), *at, *line;
	char link[8];

	if (!text)
		text = root_text_read(database->root, "usr/lib/os-release", NULL);
	at = text;
	while (at && (line = next_line(&at))) {
		if (!strncmp(line, "ID=", 3))
			copy_value(database->os, sizeof(database->os), line + 3);
		else if (!strncmp(line, "VERSION_ID=", 11))
			copy_value(database->os_version, sizeof(database->os_version), line + 11);
	}
	free(text);
	database->merged = readlinkat(database->root, "lib", link, sizeof(link)) > 0;
}

struct package_database *package_database_open(int root)
{
	struct package_database *database = calloc(1, sizeof(*database));
	bool good;
	size_t i;

	if (!database)
		return NULL;
	database->root = fcntl(root, F_DUPFD_CLOEXEC, 0);
	good = database->root >= 0;
	for (i = 0; good && i < ARRAY_SIZE(formats); i++) {
		database->lists[i] = package_list_open(formats[i], database->root);
		good = database->lists[i];
	}
	if (!good) {
		package_database_close(database);
		return NULL;
	}
	read_system(database);
	return database;
}

void package_database_close(struct package_database *database)
{
	size_t i;

	if (!database)
		return;
	for (i = 0; i < ARRAY_SIZE(formats); i++)
		package_list_close(database->lists[i]);
	if (database->root >= 0)
		close(database->root);
	free(database);
}

bool package_database_is_current(const struct package_database *database)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(formats); i++)
		if (!package_list_is_current(database->lists[i]))
			return false;
	return true;
}

bool package_database_is_unread(const struct package_database *database)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(formats); i++)
		if (database->lists[i]->unread)
			return true;
	return false;
}

/* ---------------------------------------------------------------- finding -- */

/* If /lib leads to /usr/lib, packages list either path. */
static const struct package_entry *find_in(const struct package_database *database,
					   const struct package_list *list, const char *path)
{
	static const char usr[] = "usr/";
	const struct package_entry *entry = package_list_find(list, path);

	if (entry || !database->merged || strncmp(path, usr, strlen(usr)))
		return entry;
	return package_list_find(list, path + strlen(usr));
}

static void set_text(struct package *package, enum package_text which, const char *text)
{
	if (text)
		package_set_text(package, which, text, strlen(text));
}

static void copy_entry(const struct package_database *database, const struct package_list *list,
		       const struct package_entry *entry, struct package *package)
{
	package->origin = list->format->origin;
	set_text(package, PACKAGE_TYPE, list->format->type);
	set_text(package, PACKAGE_OS, database->os);
	set_text(package, PACKAGE_OS_VERSION, database->os_version);
	set_text(package, PACKAGE_NAME, entry->name);
	set_text(package, PACKAGE_VERSION, entry->version);
	set_text(package, PACKAGE_ARCHITECTURE, entry->architecture);
	set_text(package, PACKAGE_SOURCE, entry->source);
	set_text(package, PACKAGE_SOURCE_VERSION, entry->source_version);
	if (!package->text[PACKAGE_NAME])
		package_free(package);
	else if (list->format->is_busy(list))
		package_forget_version(package);
}

void package_database_find(const struct package_database *database, const char *path,
			   struct package *package)
{
	const struct package_entry *entry = NULL, *next;
	const struct package_list *list = NULL;
	size_t i;

	*package = (struct package){};
	path += strspn(path, "/");
	for (i = 0; i < ARRAY_SIZE(formats); i++) {
		next = find_in(database, database->lists[i], path);
		if (next && entry)
			return;
		if (next) {
			entry = next;
			list = database->lists[i];
		}
	}
	if (entry)
		copy_entry(database, list, entry, package);
}
