/* SPDX-License-Identifier: GPL-2.0 */
/* Attributes of a file or directory: owner, group, mode, ACLs and other xattrs. */
#ifndef TOOL_ATTRIBUTES_H
#define TOOL_ATTRIBUTES_H

#include <stdbool.h>

#include "reason.h"

/*
 * @to, which is to take the place of @from, gets all of its attributes, and loses what it
 * has from its directory; but not set-user-ID, set-group-ID of a file and capabilities, which
 * are of the content. False with @reason where one cannot be kept.
 */
bool attributes_copy(int from, int to, struct reason *reason);

#endif
