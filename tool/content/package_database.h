/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Package database: which package a path below a root directory is of, by the databases of dpkg,
 * apk and pacman there. They are read as the data that they are: nothing of that root is run, and
 * no link leads out of it.
 */
#ifndef TOOL_PACKAGE_DATABASE_H
#define TOOL_PACKAGE_DATABASE_H

#include "package.h"

struct package_database;

/* All that there are below the O_PATH descriptor @root; NULL only without memory. */
struct package_database *package_database_open(int root);
void package_database_close(struct package_database *database);

/* False when one has changed since. */
bool package_database_is_current(const struct package_database *database);

/* Whether one is there and could not be read, or is larger than there can be. */
bool package_database_is_unread(const struct package_database *database);

/*
 * The package that @path, relative to @root as it was opened, is of: its texts are copied. An
 * origin of PACKAGE_NONE when there is none, or more than one. No version while packages are being
 * installed: files may be of one then that the database does not have yet.
 */
void package_database_find(const struct package_database *database, const char *path,
			   struct package *package);

#endif
