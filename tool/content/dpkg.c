// SPDX-License-Identifier: GPL-2.0
/* Dpkg: the usual database, or that of a distroless image, which has a file per package. */

#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "package_list.h"
#include "root_files.h"

#define DIRECTORY "var/lib/dpkg/"
#define STATUS	  DIRECTORY "status"
#define STATUS_D  DIRECTORY "status.d"

#define DIVERSIONS_MAX (64U << 10)

/* --------------------------------------------------------------- entries -- */

struct paragraph {
	struct package_entry entry;
	const char *status;
};

/* "openssl", or "openssl (3.0.11-1)" if that has another version. */
static void split_source(struct package_entry *entry, char *source)
{
	char *version = strchr(source, '(');

	source[strcspn(source, " (")] = '\0';
	entry->source = source;
	if (!version)
		return;
	version++;
	version[strcspn(version, ")")] = '\0';
	entry->source_version = version;
}

static void take_field(struct paragraph *paragraph, char *line)
{
	struct package_entry *entry = &paragraph->entry;
	const struct {
		const char *name;
		const char **value;
	} fields[] = {
		{ "Package", &entry->name },
		{ "Version", &entry->version },
		{ "Architecture", &entry->architecture },
		{ "Status", &paragraph->status },
	};
	char *colon = strchr(line, ':'), *value;
	size_t i;

	if (!colon)
		return;
	*colon = '\0';
	value = colon + 1 + strspn(colon + 1, " \t");
	for (i = 0; i < ARRAY_SIZE(fields); i++)
		if (!strcasecmp(line, fields[i].name))
			*fields[i].value = value;
	if (!strcasecmp(line, "Source"))
		split_source(entry, value);
}

/* The name becomes a file name, and must not lead to another directory. */
static bool is_name(const char *name)
{
	return isalnum((unsigned char)*name) && !strchr(name, '/');
}

/* "install ok installed": the third word says what is there. A distroless image has none. */
static bool is_there(const struct paragraph *paragraph)
{
	const char *state = paragraph->status ? strrchr(paragraph->status, ' ') : NULL;

	return paragraph->entry.name && is_name(paragraph->entry.name) &&
	       (paragraph->entry.paths ||
		(state && strcmp(state, " not-installed") && strcmp(state, " config-files")));
}

static bool add_paragraph(struct package_list *list, const struct paragraph *paragraph)
{
	return !is_there(paragraph) || package_list_add(list, &paragraph->entry);
}

/* Paragraphs of "Field: value"; lines that begin with a blank go on with the last one. */
static bool add_paragraphs(struct package_list *list, char *text, const char *paths)
{
	const struct paragraph none = { .entry.paths = paths };
	struct paragraph paragraph = none;
	bool good = true;
	char *line;

	while (good && (line = next_line(&text))) {
		if (*line && !isblank((unsigned char)*line))
			take_field(&paragraph, line);
		if (*line)
			continue;
		good = add_paragraph(list, &paragraph);
		paragraph = none;
	}
	return good && add_paragraph(list, &paragraph);
}

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), size = strlen(end);

	return length >= size && !strcmp(text + length - size, end);
}

static bool add_status_file(struct package_list *list, const char *name)
{
	char path[sizeof(STATUS_D) + NAME_MAX + 1], *text, *paths;
	size_t size;

	if (*name == '.' || ends_with(name, ".md5sums"))
		return true;
	snprintf(path, sizeof(path), STATUS_D "/%s", name);
	text = root_text_read(list->root, path, &size);
	if (!text)
		return true;
	if (!package_list_keep(list, text, size) || asprintf(&paths, "%s.md5sums", path) < 0)
		return false;
	return package_list_keep(list, paths, strlen(paths)) && add_paragraphs(list, text, paths);
}

static bool read_status_files(struct package_list *list)
{
	DIR *directory = root_directory_open(list->root, STATUS_D);
	struct dirent *entry;
	bool good = true;

	while (directory && good && (entry = readdir(directory)))
		good = add_status_file(list, entry->d_name);
	if (directory)
		closedir(directory);
	return good;
}

/* Three lines each: the path, where other packages' files go instead, the package. */
static bool read_diversions(struct package_list *list)
{
	size_t size, i;
	char *text = root_text_read(list->root, DIRECTORY "diversions", &size), *line;

	if (!text)
		return true;
	if (!package_list_keep(list, text, size))
		return false;
	while ((line = next_line(&text))) {
		if (list->nr_diversions == 3 * DIVERSIONS_MAX ||
		    !array_reserve(list->diversions, list->nr_diversions))
			return false;
		list->diversions[list->nr_diversions++] = line + (*line == '/');
	}
	for (i = 0; i + 2 < list->nr_diversions; i += 3)
		if (!hash_map_set(&list->by_diverted, hash_text(list->diversions[i]), (uint32_t)i))
			return false;
	return true;
}

static bool read_database(struct package_list *list)
{
	size_t size;
	char *text = root_text_read(list->root, STATUS, &size);

	if (!text && !strcmp(list->place, STATUS))
		return false;
	if (text && (!package_list_keep(list, text, size) || !add_paragraphs(list, text, NULL)))
		return false;
	return read_status_files(list) && read_diversions(list);
}

/* ----------------------------------------------------------------- paths -- */

/*
 * The package's list of paths, which the caller frees, or NULL; with its architecture, if several
 * may be installed.
 */
static char *read_paths(const struct package_list *list, const struct package_entry *entry)
{
	char path[sizeof(DIRECTORY) + 1024], *text;

	if (entry->paths)
		return root_text_read(list->root, entry->paths, NULL);
	if (entry->architecture && is_name(entry->architecture)) {
		snprintf(path, sizeof(path), DIRECTORY "info/%.256s:%.64s.list", entry->name,
			 entry->architecture);
		text = root_text_read(list->root, path, NULL);
		if (text)
			return text;
	}
	snprintf(path, sizeof(path), DIRECTORY "info/%.256s.list", entry->name);
	return root_text_read(list->root, path, NULL);
}

/* "/usr/bin/true", or "DIGEST  usr/bin/true": the part after the first slash. */
static const char *listed_path(const struct package_entry *entry, const char *line)
{
	const char *path = entry->paths ? strchr(line, ' ') : line;

	if (!path)
		return "";
	path += strspn(path, " ");
	path += !strncmp(path, "./", 2);
	return path + (*path == '/');
}

/* Its real place: a file diverted by another package is listed under its original name. */
static const char *place_of(const struct package_list *list, const struct package_entry *entry,
			    const char *path)
{
	uint32_t index = hash_map_get(&list->by_diverted, hash_text(path), UINT32_MAX);
	char *const *diversion = index == UINT32_MAX ? NULL : &list->diversions[index];

	if (!diversion || strcmp(diversion[0], path) || !strcmp(diversion[2], entry->name))
		return path;
	return diversion[1];
}

static void each_path(const struct package_list *list, const struct package_entry *entry,
		      take_path *take, void *data)
{
	char *text = read_paths(list, entry), *at = text, *line;
	const char *path;

	while (at && (line = next_line(&at))) {
		path = listed_path(entry, line);
		if (list->nr_diversions)
			path = place_of(list, entry, path);
		if (!take(data, path))
			break;
	}
	free(text);
}

/* Pending changes are in separate files there, until status is rewritten. */
static bool is_busy(const struct package_list *list)
{
	DIR *directory = root_directory_open(list->root, DIRECTORY "updates");
	struct dirent *entry;
	bool busy = false;

	while (directory && !busy && (entry = readdir(directory)))
		busy = *entry->d_name != '.';
	if (directory)
		closedir(directory);
	return busy;
}

const struct package_format package_format_dpkg = {
	.origin = PACKAGE_BY_DPKG,
	.type = "deb",
	.places = { STATUS, STATUS_D },
	.read = read_database,
	.each_path = each_path,
	.is_busy = is_busy,
};
