/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Package list: the packages that a database of one format has, and whose a path is. Each format
 * has a file of its own, which reads its database as the data that it is: nothing of the root
 * directory that it is in is run.
 */
#ifndef TOOL_PACKAGE_LIST_H
#define TOOL_PACKAGE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "common/hash_map.h"
#include "package.h"

/* Its texts are kept by the list; NULL for what is not known. */
struct package_entry {
	const char *name, *version, *architecture;
	const char *source, *source_version; /* where they are others */
	const char *paths;		     /* where they are; the format knows what this is */
};

struct package_list;

/* False for no more. @path is relative to the root directory. */
typedef bool take_path(void *data, const char *path);

/**
 * struct package_format - how a distribution's database is read
 * @origin: what such packages are called by
 * @type: of a package URL
 * @places: the file or directory that changes when a package does; the first that is there counts
 * @read: fill @list; false when that is more than there can be, or without memory
 * @each_path: hand on what @entry has installed. Called more than once, as paths are not kept
 * @is_busy: packages are being installed: files may be of versions that the database lacks
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
	const char *place; /* which of its places is there, or NULL */
	struct statx status;
	bool unread; /* it is there, and was not read to its end */
	char **texts;
	size_t nr_texts;
	size_t kept; /* bytes of them */
	struct package_entry *entries;
	size_t nr_entries;
	struct hash_map by_path;
	/* Lines in threes: a path, where others' file of that path is, the package that has it so. */
	char **diversions;
	size_t nr_diversions;
	struct hash_map by_diverted;
};

/*
 * That below the O_PATH descriptor @root; without an entry where there is none, or one that cannot
 * be read. NULL only without memory.
 */
struct package_list *package_list_open(const struct package_format *format, int root);
void package_list_close(struct package_list *list);
/* False when the database was changed, made or removed since. */
bool package_list_is_current(const struct package_list *list);

/* For a format's read(): @text, which the list frees. False without memory or for too many. */
bool package_list_keep(struct package_list *list, char *text, size_t size);
bool package_list_add(struct package_list *list, const struct package_entry *entry);

/* Whose @path is: of nobody's, where none or more than one has it. */
const struct package_entry *package_list_find(const struct package_list *list, const char *path);

#endif
