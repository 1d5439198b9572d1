/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Flame graph: the tree of stacks as SVG, within a page or as a file of its own; and folded, a
 * line for each stack, for other programs.
 */
#ifndef TOOL_FLAME_GRAPH_H
#define TOOL_FLAME_GRAPH_H

#include <stdbool.h>
#include <stdio.h>

#include "stacks.h"

#define FLAME_DEPTH_MAX 300

/* What is too narrow to be seen, or too deep. */
struct flame_losses {
	uint64_t frames, samples;
};

/* The svg element. False without memory. */
bool flame_graph_put(FILE *file, const struct stacks *stacks, struct flame_losses *losses);
/* With a head, the style and the script. */
bool flame_graph_file(FILE *file, const struct stacks *stacks, struct flame_losses *losses);
/* "program;lib.so@0123abcd`function;... COUNT" */
bool flame_graph_fold(FILE *file, const struct stacks *stacks);

#endif
