/* SPDX-License-Identifier: GPL-2.0 */
/* Copy: what is in one file into another. */
#ifndef TOOL_COPY_H
#define TOOL_COPY_H

#include <stdbool.h>

#include "reason.h"

/*
 * All of @from into @to, which is empty: holes stay holes, blocks are shared where
 * the file system can. False with @reason, also when @from was written to meanwhile,
 * as the copy may then be of two contents.
 */
bool copy_file(int from, int to, struct reason *reason);

#endif
