/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The place that a path leads to: a directory, and a name in it. The path is walked here,
 * component by component, so that a link that others can have put there is not followed:
 * fs.protected_symlinks is not for links in the middle of a path, nor for what only reads
 * where a link leads. What is then done, is done by entry.h.
 *
 * The last component may be a link only where it belongs to us or to root, and the directory
 * that it is in as well. One before it may also belong to the owner of its directory, whose
 * all of that is.
 */
#ifndef TOOL_OWN_PLACE_H
#define TOOL_OWN_PLACE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

#include "reason.h"

struct own_place {
	int directory;
	char name[NAME_MAX + 1];
	int there;    /* a handle (O_PATH) of what has the name; -1 for nothing */
	bool is_proc; /* it is at the end of a link of /proc, and may have no name at all */
};

/* @follow: links as the last component, too; else the place is that of the link */
bool own_place_open(struct own_place *place, const char *path, bool follow, struct reason *reason);
void own_place_close(struct own_place *place);

/* For a message: where it is, without links; to be freed. NULL without memory. */
char *own_place_path(const struct own_place *place);

/* Open what is there. */
int own_place_reopen(const struct own_place *place, int flags);
/* If it is a file of ours alone, and empty or begins with @magic; -1 with @reason. */
int own_place_open_file(const struct own_place *place, int flags, const void *magic, size_t size,
			struct reason *reason);

/*
 * Whether a new file may take the place of what is there: of nothing, or of a regular file
 * that is ours alone, and empty or begins with @magic.
 */
bool own_place_is_free(const struct own_place *place, const void *magic, size_t size,
		       struct reason *reason);

/* Remove our own file @path. */
void own_place_remove(const char *path);

#endif
