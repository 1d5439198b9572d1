/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Mapped package: which package what is mapped is of, whatever is at its path by now.
 *
 * A note is read from the file that is mapped, also when it was deleted, by a child that can be
 * left behind, as its server may not answer; once for each version of a file. What has none is
 * looked up in the database of the root directory that the process lives in, which is read once.
 * That one speaks for the path: of a file that was replaced it has the name, and no version.
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
 * Of @file, which @mmap maps or once did: none, where nothing is known. Valid until
 * mapped_packages_free(); NULL only without memory.
 */
const struct packages *mapped_packages_find(struct mapped_packages *packages,
					    const struct buildid_mmap *mmap,
					    const struct buildid_file *file);
/* The same of what is at the path of @file, which it maps, @now. */
const struct packages *mapped_packages_now(struct mapped_packages *packages,
					   const struct buildid_mmap *mmap,
					   const struct buildid_file *file,
					   const struct current_file *now);

/* Where it goes on for weeks: forget all, when that is much. */
void mapped_packages_make_room(struct mapped_packages *packages);

/* On stderr, as of @command: how many notes were malformed, and files could not be read. */
void mapped_packages_report(const struct mapped_packages *packages, const char *command);

#endif
