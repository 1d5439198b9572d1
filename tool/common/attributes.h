/* SPDX-License-Identifier: GPL-2.0 */
/* Attributes of a file or directory: owner, group, mode, ACLs and other xattrs. */
#ifndef TOOL_ATTRIBUTES_H
#define TOOL_ATTRIBUTES_H

#include <stdbool.h>

#include "reason.h"

/*
 * Give @to, which will replace @from, all attributes of @from, and drop those it inherited from its
 * directory. Set-user-ID, a file's set-group-ID and capabilities belong to the content and are not
 * copied. False with @reason if an attribute cannot be kept.
 */
bool attributes_copy(int from, int to, struct reason *reason);

#endif
