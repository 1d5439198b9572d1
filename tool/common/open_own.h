/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Open one's own file for writing, where others may have put something of that name.
 *
 * A program that runs as root in /tmp writes to wherever a link leads that somebody left
 * there, and over whatever it finds. The kernel refuses some of that, as
 * fs.protected_symlinks and its kin say; this refuses it whatever they say.
 */
#ifndef TOOL_OPEN_OWN_H
#define TOOL_OPEN_OWN_H

#include <stdbool.h>
#include <stddef.h>

#include "reason.h"

/*
 * An empty file for writing, of mode 0600 if it did not exist. One that did is emptied if
 * it is ours alone, and either is empty or begins with @magic, so that a name that was
 * mistyped costs nothing.
 *
 * @chosen: the user said this very name. Then symbolic links are followed, if each of them
 * and the directory that it is in belong to us or to root; and pipes and devices are taken
 * as they are, if nobody else can have put them there. A name that is not the user's choice
 * may only be that of a regular file.
 *
 * Returns a descriptor, or -1 with @reason.
 */
int open_own(const char *path, bool chosen, const void *magic, size_t size, struct reason *reason);

#endif
