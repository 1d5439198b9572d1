// SPDX-License-Identifier: GPL-2.0
/*
 * Dpkg: the paths of all packages, by their hashes. A path that more than one package lists, as
 * directories are, is of none. What a package lists is looked for in its list again, so that no
 * other path of the same hash is taken for it.
 */

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/array.h"
#include "common/hash_map.h"
#include "common/open_regular.h"
#include "dpkg.h"

#define DIRECTORY "var/lib/dpkg/"

/*
 * A database beyond these is nobody's; a large machine's has half a million paths, and 20 MB of
 * text. Any user can have a root directory with any database in it.
 */
#define FILE_MAX       (64U << 20)
#define TEXTS_MAX      (2 * FILE_MAX)
#define PATHS_MAX      (2U << 20)
#define ENTRIES_MAX    (256U << 10)
#define DIVERSIONS_MAX (64U << 10)

/* Of a path. */
#define SEVERAL UINT32_MAX
#define NOBODY	(UINT32_MAX - 1)

/* Of one package, in the text of the database. */
struct entry {
	const char *name, *version, *architecture, *source, *status, *multi_arch;
	/* Of a distroless image: the name of its file in status.d. */
	const char *file;
};

struct dpkg {
	int root;
	char **texts; /* what the entries are in */
	size_t nr_texts;
	size_t size; /* of them together */
	struct entry *entries;
	size_t nr_entries;
	struct hash_map by_path; /* of a path without its first slash: index, or SEVERAL */
	struct hash_map moved;	 /* of a path that was diverted: index of @diversions */
	char **diversions;	 /* three lines each: from, to, the package that has it moved */
	size_t nr_diversions;
	struct statx status; /* of the file */
	bool merged;	     /* /lib and others lead to /usr/lib */
	char os[64], os_version[64];
};

/* ----------------------------------------------------------------- files -- */

/* A hole in a file takes memory, and no place on the disk. */
static char *only_text(char *text, size_t size)
{
	if (!text || !memchr(text, '\0', size))
		return text;
	free(text);
	return NULL;
}

/*
 * The text of @path with a NUL, to be freed; NULL when there is none, or it is too long, or
 * cannot be read to its end.
 */
static char *read_text(int root, const char *path)
{
	struct reason reason;
	int fd = open_untrusted_in(root, path, &reason);
	size_t size = 0, room;
	char *text = NULL;
	ssize_t got = 1;
	struct stat stat_;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &stat_) && stat_.st_size >= 0 && stat_.st_size < FILE_MAX) {
		room = (size_t)stat_.st_size;
		text = malloc(room + 1);
		while (text && size < room && got > 0) {
			got = read(fd, text + size, room - size);
			size += got > 0 ? (size_t)got : 0;
		}
		if (text)
			text[size] = '\0';
	}
	close(fd);
	if (got >= 0)
		return only_text(text, size);
	free(text);
	return NULL;
}

static bool keep_text(struct dpkg *dpkg, char *text)
{
	size_t size = strlen(text) + 1;

	if (size > TEXTS_MAX - dpkg->size || !array_reserve(dpkg->texts, dpkg->nr_texts)) {
		free(text);
		return false;
	}
	dpkg->texts[dpkg->nr_texts++] = text;
	dpkg->size += size;
	return true;
}

static DIR *open_directory(int root, const char *path)
{
	struct open_how how = { .flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC,
				.resolve = RESOLVE_IN_ROOT };
	int fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);

	if (!directory && fd >= 0)
		close(fd);
	return directory;
}

/* The next line, which gets a NUL, or NULL. */
static char *next_line(char **at)
{
	char *line = *at, *end;

	if (!*line)
		return NULL;
	end = strchrnul(line, '\n');
	*at = *end ? end + 1 : end;
	*end = '\0';
	return line;
}

/* --------------------------------------------------------------- entries -- */

static void take_field(struct entry *entry, char *line)
{
	const struct {
		const char *name;
		const char **value;
	} fields[] = {
		{ "Package", &entry->name },	      { "Version", &entry->version },
		{ "Source", &entry->source },	      { "Architecture", &entry->architecture },
		{ "Multi-Arch", &entry->multi_arch }, { "Status", &entry->status },
	};
	char *colon = strchr(line, ':');
	size_t i;

	if (!colon)
		return;
	*colon = '\0';
	for (i = 0; i < ARRAY_SIZE(fields); i++)
		if (!strcasecmp(line, fields[i].name))
			*fields[i].value = colon + 1 + strspn(colon + 1, " \t");
}

/* Its name becomes one of a file: no other directory's. */
static bool is_name(const char *name)
{
	return isalnum((unsigned char)*name) && !strchr(name, '/');
}

/* "install ok installed": the third word says what is there. A distroless image has none. */
static bool is_there(const struct entry *entry)
{
	const char *state = entry->status ? strrchr(entry->status, ' ') : NULL;

	return entry->name && is_name(entry->name) &&
	       (entry->file ||
		(state && strcmp(state, " not-installed") && strcmp(state, " config-files")));
}

static bool add_entry(struct dpkg *dpkg, const struct entry *entry)
{
	if (!is_there(entry))
		return true;
	if (dpkg->nr_entries == ENTRIES_MAX || !array_reserve(dpkg->entries, dpkg->nr_entries))
		return false;
	dpkg->entries[dpkg->nr_entries++] = *entry;
	return true;
}

/* Paragraphs of "Field: value"; lines that begin with a blank go on with the last one. */
static bool add_paragraphs(struct dpkg *dpkg, char *text, const char *file)
{
	struct entry entry = { .file = file };
	bool good = true;
	char *line;

	while (good && (line = next_line(&text))) {
		if (*line && !isblank((unsigned char)*line))
			take_field(&entry, line);
		if (*line)
			continue;
		good = add_entry(dpkg, &entry);
		entry = (struct entry){ .file = file };
	}
	return good && add_entry(dpkg, &entry);
}

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), size = strlen(end);

	return length >= size && !strcmp(text + length - size, end);
}

static bool add_status_file(struct dpkg *dpkg, const char *name)
{
	char path[sizeof(DIRECTORY) + 512];
	char *text, *file;

	if (*name == '.' || ends_with(name, ".md5sums"))
		return true;
	snprintf(path, sizeof(path), DIRECTORY "status.d/%s", name);
	text = read_text(dpkg->root, path);
	if (!text)
		return true;
	if (!keep_text(dpkg, text))
		return false;
	file = strdup(path);
	return file && keep_text(dpkg, file) && add_paragraphs(dpkg, text, file);
}

static bool read_status_files(struct dpkg *dpkg)
{
	DIR *directory = open_directory(dpkg->root, DIRECTORY "status.d");
	struct dirent *entry;
	bool good = true;

	while (directory && good && (entry = readdir(directory)))
		good = add_status_file(dpkg, entry->d_name);
	if (directory)
		closedir(directory);
	return good;
}

static bool read_status(struct dpkg *dpkg)
{
	char *text = read_text(dpkg->root, DIRECTORY "status");

	if (text && (!keep_text(dpkg, text) || !add_paragraphs(dpkg, text, NULL)))
		return false;
	return read_status_files(dpkg) && dpkg->nr_entries;
}

/* ----------------------------------------------------------------- paths -- */

/* What the package has, to be freed, or NULL. */
static char *read_list(const struct dpkg *dpkg, const struct entry *entry)
{
	char path[sizeof(DIRECTORY) + 1024], *text;
	bool same = entry->multi_arch && !strcmp(entry->multi_arch, "same");

	if (entry->file) {
		snprintf(path, sizeof(path), "%s.md5sums", entry->file);
		return read_text(dpkg->root, path);
	}
	if (same && entry->architecture && is_name(entry->architecture)) {
		snprintf(path, sizeof(path), DIRECTORY "info/%.256s:%.64s.list", entry->name,
			 entry->architecture);
		text = read_text(dpkg->root, path);
		if (text)
			return text;
	}
	snprintf(path, sizeof(path), DIRECTORY "info/%.256s.list", entry->name);
	return read_text(dpkg->root, path);
}

/* "/usr/bin/true", or "DIGEST  usr/bin/true": from behind the first slash. */
static const char *listed_path(const struct entry *entry, const char *line)
{
	const char *path = entry->file ? strchr(line, ' ') : line;

	if (!path)
		return "";
	path += strspn(path, " ");
	path += !strncmp(path, "./", 2);
	return path + (*path == '/');
}

static bool add_paths(struct dpkg *dpkg, uint32_t index)
{
	const struct entry *entry = &dpkg->entries[index];
	char *text = read_list(dpkg, entry), *at = text, *line;
	uint32_t before;
	uint64_t key;
	bool good = true;

	while (at && good && (line = next_line(&at))) {
		key = hash_text(listed_path(entry, line));
		before = hash_map_get(&dpkg->by_path, key, NOBODY);
		if (before == NOBODY)
			good = dpkg->by_path.count < PATHS_MAX &&
			       hash_map_set(&dpkg->by_path, key, index);
		else if (before != index && before != SEVERAL)
			good = hash_map_set(&dpkg->by_path, key, SEVERAL);
	}
	free(text);
	return good;
}

static bool read_paths(struct dpkg *dpkg)
{
	uint32_t i;

	for (i = 0; i < dpkg->nr_entries; i++)
		if (!add_paths(dpkg, i))
			return false;
	return true;
}

/* Lines in threes: the path, the one that others' file of that name has, the package. */
static bool read_diversions(struct dpkg *dpkg)
{
	char *text = read_text(dpkg->root, DIRECTORY "diversions"), *line;
	size_t i;

	if (!text)
		return true;
	if (!keep_text(dpkg, text))
		return false;
	while ((line = next_line(&text))) {
		if (dpkg->nr_diversions == 3 * DIVERSIONS_MAX ||
		    !array_reserve(dpkg->diversions, dpkg->nr_diversions))
			return false;
		dpkg->diversions[dpkg->nr_diversions++] = line;
	}
	for (i = 0; i + 2 < dpkg->nr_diversions; i += 3)
		if (!hash_map_set(&dpkg->moved, hash_text(dpkg->diversions[i] + 1), (uint32_t)i) ||
		    !hash_map_set(&dpkg->moved, hash_text(dpkg->diversions[i + 1] + 1),
				  (uint32_t)i))
			return false;
	return true;
}

/* ------------------------------------------------------------ the system -- */

static void copy_value(char *to, size_t size, const char *value)
{
	size_t quote = *value == '"' || *value == '\'';

	snprintf(to, size, "%.*s", (int)strcspn(value + quote, "\"'"), value + quote);
}

static void read_system(struct dpkg *dpkg)
{
	char *text = read_text(dpkg->root, "etc/os-release"), *at, *line;
	char link[8];

	if (!text)
		text = read_text(dpkg->root, "usr/lib/os-release");
	at = text;
	while (at && (line = next_line(&at))) {
		if (!strncmp(line, "ID=", 3))
			copy_value(dpkg->os, sizeof(dpkg->os), line + 3);
		else if (!strncmp(line, "VERSION_ID=", 11))
			copy_value(dpkg->os_version, sizeof(dpkg->os_version), line + 11);
	}
	free(text);
	dpkg->merged = readlinkat(dpkg->root, "lib", link, sizeof(link)) > 0;
}

/* ---------------------------------------------------------------- changes -- */

static void look_at_status(int root, struct statx *status)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT };
	int fd = (int)syscall(SYS_openat2, root, DIRECTORY "status", &how, sizeof(how));

	memset(status, 0, sizeof(*status));
	if (fd < 0)
		return;
	statx(fd, "", AT_EMPTY_PATH, STATX_BASIC_STATS, status);
	close(fd);
}

bool dpkg_is_there(int root)
{
	DIR *directory = open_directory(root, DIRECTORY "status.d");
	struct statx status;

	if (directory)
		closedir(directory);
	look_at_status(root, &status);
	return directory || status.stx_size;
}

bool dpkg_is_current(const struct dpkg *dpkg)
{
	struct statx now;

	look_at_status(dpkg->root, &now);
	return now.stx_ino == dpkg->status.stx_ino &&
	       now.stx_mtime.tv_sec == dpkg->status.stx_mtime.tv_sec &&
	       now.stx_mtime.tv_nsec == dpkg->status.stx_mtime.tv_nsec;
}

/* What it does is in files of their own there, until status is written again. */
bool dpkg_is_busy(const struct dpkg *dpkg)
{
	DIR *directory = open_directory(dpkg->root, DIRECTORY "updates");
	struct dirent *entry;
	bool busy = false;

	while (directory && !busy && (entry = readdir(directory)))
		busy = *entry->d_name != '.';
	if (directory)
		closedir(directory);
	return busy;
}

struct dpkg *dpkg_open(int root)
{
	struct dpkg *dpkg = calloc(1, sizeof(*dpkg));

	if (!dpkg)
		return NULL;
	dpkg->root = fcntl(root, F_DUPFD_CLOEXEC, 0);
	look_at_status(dpkg->root, &dpkg->status);
	if (dpkg->root >= 0 && read_status(dpkg) && read_paths(dpkg) && read_diversions(dpkg)) {
		read_system(dpkg);
		return dpkg;
	}
	dpkg_close(dpkg);
	return NULL;
}

void dpkg_close(struct dpkg *dpkg)
{
	size_t i;

	if (!dpkg)
		return;
	for (i = 0; i < dpkg->nr_texts; i++)
		free(dpkg->texts[i]);
	free(dpkg->texts);
	free(dpkg->entries);
	free(dpkg->diversions);
	hash_map_free(&dpkg->by_path);
	hash_map_free(&dpkg->moved);
	if (dpkg->root >= 0)
		close(dpkg->root);
	free(dpkg);
}

/* ----------------------------------------------------------------- finding -- */

static bool lists(const struct dpkg *dpkg, const struct entry *entry, const char *path)
{
	char *text = read_list(dpkg, entry), *at = text, *line;
	bool found = false;

	while (at && !found && (line = next_line(&at)))
		found = !strcmp(listed_path(entry, line), path);
	free(text);
	return found;
}

static const struct entry *entry_of(const struct dpkg *dpkg, const char *path)
{
	uint32_t index = hash_map_get(&dpkg->by_path, hash_text(path), NOBODY);

	if (index == SEVERAL || index == NOBODY || !lists(dpkg, &dpkg->entries[index], path))
		return NULL;
	return &dpkg->entries[index];
}

static const struct entry *entry_named(const struct dpkg *dpkg, const char *name)
{
	size_t i;

	for (i = 0; i < dpkg->nr_entries; i++)
		if (!strcmp(dpkg->entries[i].name, name))
			return &dpkg->entries[i];
	return NULL;
}

/* A file that was diverted is listed by the name that it does not have. */
static const struct entry *find_listed(const struct dpkg *dpkg, const char *path)
{
	uint32_t moved = hash_map_get(&dpkg->moved, hash_text(path), NOBODY);
	char *const *diversion = moved == NOBODY ? NULL : &dpkg->diversions[moved];

	if (diversion && !strcmp(diversion[1] + 1, path))
		return entry_of(dpkg, diversion[0] + 1);
	if (diversion && !strcmp(diversion[0] + 1, path))
		return entry_named(dpkg, diversion[2]);
	return entry_of(dpkg, path);
}

/* Where /lib leads to /usr/lib, packages list the one or the other. */
static const struct entry *find_entry(const struct dpkg *dpkg, const char *path)
{
	static const char usr[] = "usr/";
	const struct entry *entry = find_listed(dpkg, path);

	if (entry || !dpkg->merged || strncmp(path, usr, strlen(usr)))
		return entry;
	return find_listed(dpkg, path + strlen(usr));
}

/* "openssl", or "openssl (3.0.11-1)" where that has another version. */
static void copy_source(struct package *package, const char *source)
{
	const char *version = strchr(source, '(');

	package_set_text(package, PACKAGE_SOURCE, source, strcspn(source, " ("));
	if (version)
		package_set_text(package, PACKAGE_SOURCE_VERSION, version + 1,
				 strcspn(version + 1, ")"));
}

void dpkg_find(const struct dpkg *dpkg, const char *path, struct package *package)
{
	const struct entry *entry = find_entry(dpkg, path + strspn(path, "/"));

	*package = (struct package){};
	if (!entry)
		return;
	package->origin = PACKAGE_BY_DPKG;
	package_set_text(package, PACKAGE_TYPE, "deb", 3);
	package_set_text(package, PACKAGE_OS, dpkg->os, strlen(dpkg->os));
	package_set_text(package, PACKAGE_OS_VERSION, dpkg->os_version, strlen(dpkg->os_version));
	package_set_text(package, PACKAGE_NAME, entry->name, strlen(entry->name));
	if (entry->version)
		package_set_text(package, PACKAGE_VERSION, entry->version, strlen(entry->version));
	if (entry->architecture)
		package_set_text(package, PACKAGE_ARCHITECTURE, entry->architecture,
				 strlen(entry->architecture));
	if (entry->source)
		copy_source(package, entry->source);
	if (!package->text[PACKAGE_NAME])
		package_free(package);
}
