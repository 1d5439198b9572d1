/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Timeline: of each path which content was there when, who ran it, and where samples fell. Paths
 * of several contents come first.
 */
#ifndef TOOL_TIMELINE_H
#define TOOL_TIMELINE_H

#include <stdbool.h>
#include <stdio.h>

#include "stacks.h"

/* False without memory. */
bool timeline_put(FILE *file, const struct stacks *stacks);

#endif
