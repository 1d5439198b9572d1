/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Open our own file for writing, where others may have created something with that name.
 *
 * A program that runs as root in /tmp would follow a link that somebody left there, and overwrite
 * whatever it finds. The kernel refuses some of that (fs.protected_symlinks and the like); this
 * does not depend on their settings.
 */
#ifndef TOOL_OPEN_OWN_H
#define TOOL_OPEN_OWN_H

#include <stdbool.h>
#include <stddef.h>

#include "reason.h"

/*
 * An empty file for writing, of mode 0600 if it did not exist. An existing one is truncated if it
 * is ours, has no other link, and is empty or begins with @magic, so that a mistyped name does no
 * harm.
 *
 * @chosen: the user gave this very name. Then symbolic links are followed, if each of them and its
 *	directory belong to us or to root; and pipes and devices are accepted, if nobody else could
 *	have put them there. Any other name must be that of a regular file.
 *
 * Returns a descriptor, or -1 with @reason.
 */
int open_own(const char *path, bool chosen, const void *magic, size_t size, struct reason *reason);

#endif
