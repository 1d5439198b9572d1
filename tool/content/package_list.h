/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Package list: the packages in a database of one format, and the package of a path. Each format
 * has its own file, which only reads its database: nothing in its root directory is run.
 */
#ifndef TOOL_PACKAGE_LIST_H
#define TOOL_PACKAGE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "common/hash_map.h"
#include "package.h"

/* Its texts belong to the list; NULL if unknown. */
struct package_entry {
	const char *name, *version, *architecture;
	const char *source, *source_version; /* if they differ */
	const char *paths;		     /* its list of paths, as the format needs it */
};

struct package_list;

/* Returns false to stop. @path is relative to the root directory. */
typedef bool take_path(void *data, const char *path);

/**
 * struct package_format - how a distribution's database is read
 * @origin: what such packages are called by
 * @type: of a package URL
 * @places: the file or directory that changes with each package; the first existing one is used
 * @read: fill @list; false if it is too large, or without memory
 * @each_path: report the paths of @entry. Called repeatedly, as paths are not stored
 * @is_busy: packages are being installed: files may belong to versions that the database lacks
 */
struct package_format {
	enum package_origin origin;
	const char *type;
	const char *places[3];
	bool (*read)(struct package_list *list);
	void (*each_path)(const struct package_list *list, const struct package_entry *entry,
			  take_path *take, void *data);
	bool (*is_busy)(const struct package_list *list);
};

extern const struct package_format package_format_dpkg, package_format_apk, package_format_pacman;

struct package_list {
	const struct package_format *format;
	int root;	   /* the caller's, which stays open */
	const char *place; /* which of its places exists, or NULL */
	struct statx status;
	bool unread; /* it exists, but was not read completely */
	char **texts;
	size_t nr_texts;
	size_t kept; /* bytes of them */
	struct package_entry *entries;
	size_t nr_entries;
	struct hash_map by_path;
	/*
	 * Three lines each: a path, where other packages' file goes instead, the diverting package.
	 */
	char **diversions;
	size_t nr_diversions;
	struct hash_map by_diverted;
};

/*
 * The database below the O_PATH descriptor @root; empty if there is none, or it cannot be read.
 * NULL only without memory.
 */
struct package_list *package_list_open(const struct package_format *format, int root);
void package_list_close(struct package_list *list);
/* False if the database was changed, created or removed since. */
bool package_list_is_current(const struct package_list *list);

/* For a format's read(): @text, which the list frees. False without memory or for too many. */
bool package_list_keep(struct package_list *list, char *text, size_t size);
bool package_list_add(struct package_list *list, const struct package_entry *entry);

/* The package of @path; NULL if none or more than one has it. */
const struct package_entry *package_list_find(const struct package_list *list, const char *path);

#endif
