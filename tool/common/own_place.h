/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The place that a path leads to: a directory, and a name in it. The path is walked here, component
 * by component, so that links that others may have put there are not followed:
 * fs.protected_symlinks does not cover links in the middle of a path, nor reading. entry.h then
 * operates on the result.
 *
 * The last component may be a link only if both it and its directory belong to us or to root.
 * Earlier links may also belong to the owner of their directory, who controls all of it anyway.
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
	int there;    /* an O_PATH handle of what has the name; -1 if nothing does */
	bool is_proc; /* it is the target of a link in /proc, and may have no name at all */
};

/* @follow: follow a link as the last component, too; else the place is the link's */
bool own_place_open(struct own_place *place, const char *path, bool follow, struct reason *reason);
void own_place_close(struct own_place *place);

/* For messages: the path without links; the caller frees it. NULL without memory. */
char *own_place_path(const struct own_place *place);

/* Open what is there. */
int own_place_reopen(const struct own_place *place, int flags);
/*
 * Open it if it is our file, has no other link, and is empty or begins with @magic; -1 with
 * @reason.
 */
int own_place_open_file(const struct own_place *place, int flags, const void *magic, size_t size,
			struct reason *reason);

/*
 * Whether a new file may replace what is there: nothing, or a regular file that is ours, has no
 * other link, and is empty or begins with @magic.
 */
bool own_place_is_free(const struct own_place *place, const void *magic, size_t size,
		       struct reason *reason);

/* Remove our own file @path. */
void own_place_remove(const char *path);

#endif
