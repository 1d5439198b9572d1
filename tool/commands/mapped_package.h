/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Mapped package: the package of what is mapped, whatever is at its path by now.
 *
 * A note is read from the mapped file, even if that was deleted, by a child that can be left
 * behind, as its server may not answer; once for each version of a file. A file without a note is
 * looked up in the database of the process's root directory, which is read once. The database
 * describes the path: for a replaced file it provides the name, but not the version.
 */
#ifndef TOOL_MAPPED_PACKAGE_H
#define TOOL_MAPPED_PACKAGE_H

#include "content/package.h"
#include "current_file.h"
#include "libbuildid/libbuildid.h"

struct mapped_packages;

/* NULL only without memory. */
struct mapped_packages *mapped_packages_new(void);
void mapped_packages_free(struct mapped_packages *packages);

/*
 * For @file, which @mmap maps or once did: empty if nothing is known. Valid until
 * mapped_packages_free(); NULL only without memory.
 */
const struct packages *mapped_packages_find(struct mapped_packages *packages,
					    const struct buildid_mmap *mmap,
					    const struct buildid_file *file);
/* The same for what is @now at the path of @file, which it maps. */
const struct packages *mapped_packages_now(struct mapped_packages *packages,
					   const struct buildid_mmap *mmap,
					   const struct buildid_file *file,
					   const struct current_file *now);

/* For long runs: forget everything if it has become much. */
void mapped_packages_make_room(struct mapped_packages *packages);

/*
 * Report on stderr, for @command, how many notes were malformed and how many files could not be
 * read.
 */
void mapped_packages_report(const struct mapped_packages *packages, const char *command);

#endif
