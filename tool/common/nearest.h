/* SPDX-License-Identifier: GPL-2.0 */
/* Nearest: of several names the one that a mistyped word is meant to be. */
#ifndef TOOL_NEAREST_H
#define TOOL_NEAREST_H

#include <stddef.h>

/**
 * struct nearest - begins with @word and zeros
 * @word: as it was typed
 * @name: the nearest of those offered, or NULL while none is near
 * @distance: of @name
 */
struct nearest {
	const char *word;
	const char *name;
	size_t distance;
};

/* Near is a letter in three that is wrong, missing, too much or swapped with the next. */
void nearest_offer(struct nearest *nearest, const char *name);

#endif
