/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Dpkg: which package the database of a root directory says a path is of. It is read as the
 * data that it is: nothing of that root is run, and no link leads out of it.
 */
#ifndef TOOL_DPKG_H
#define TOOL_DPKG_H

#include "package.h"

struct dpkg;

/*
 * That below the O_PATH descriptor @root, of Debian's kind or of a distroless image's; NULL
 * when there is none. All of it is read, and most of it kept.
 */
struct dpkg *dpkg_open(int root);
void dpkg_close(struct dpkg *dpkg);

/* Whether there is one, which dpkg_open() need not be able to read. */
bool dpkg_is_there(int root);
/* False when the database has changed since. */
bool dpkg_is_current(const struct dpkg *dpkg);
/* Packages are being installed: files may be of a version that the database does not have yet. */
bool dpkg_is_busy(const struct dpkg *dpkg);

/*
 * The package that @path, relative to @root as it was opened, is of: its texts are copied. An
 * origin of PACKAGE_NONE when there is none, or more than one.
 */
void dpkg_find(const struct dpkg *dpkg, const char *path, struct package *package);

#endif
