/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Package database: which package a path below a root directory belongs to, by its databases of
 * dpkg, apk and pacman. They are only read: nothing in that root is run, and links cannot lead
 * outside.
 */
#ifndef TOOL_PACKAGE_DATABASE_H
#define TOOL_PACKAGE_DATABASE_H

#include "package.h"

struct package_database;

/* Open all databases below the O_PATH descriptor @root; NULL only without memory. */
struct package_database *package_database_open(int root);
void package_database_close(struct package_database *database);

/* False if one has changed since. */
bool package_database_is_current(const struct package_database *database);

/* Whether one exists but could not be read, or is too large. */
bool package_database_is_unread(const struct package_database *database);

/*
 * The package of @path, relative to @root; its texts are copied. Origin PACKAGE_NONE if there is
 * none, or more than one. No version while packages are being installed, as files may belong to one
 * that the database does not have yet.
 */
void package_database_find(const struct package_database *database, const char *path,
			   struct package *package);

#endif
