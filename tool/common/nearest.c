// SPDX-License-Identifier: GPL-2.0
/* Nearest: by the edit distance with swaps of neighbours, where no letter is edited twice. */

#include <string.h>

#include "nearest.h"

/* No name is longer; a word that is would take memory by its length. */
#define LENGTH_MAX 32

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* For the first @at letters of @word, from the rows for one and two fewer. */
static void fill_row(size_t rows[3][LENGTH_MAX + 1], const char *word, size_t at, const char *name)
{
	size_t *row = rows[at % 3], *above = rows[(at + 2) % 3], *before = rows[(at + 1) % 3];
	size_t i;

	row[0] = at;
	for (i = 1; i <= strlen(name); i++) {
		row[i] = least(least(above[i], row[i - 1]) + 1,
			       above[i - 1] + (word[at - 1] != name[i - 1]));
		if (at > 1 && i > 1 && word[at - 1] == name[i - 2] && word[at - 2] == name[i - 1])
			row[i] = least(row[i], before[i - 2] + 1);
	}
}

static size_t distance_of(const char *word, const char *name)
{
	size_t rows[3][LENGTH_MAX + 1] = {};
	size_t at;

	for (at = 0; at <= strlen(name); at++)
		rows[0][at] = at;
	for (at = 1; at <= strlen(word); at++)
		fill_row(rows, word, at, name);
	return rows[strlen(word) % 3][strlen(name)];
}

void nearest_offer(struct nearest *nearest, const char *name)
{
	size_t length = strlen(nearest->word), distance;

	if (length > LENGTH_MAX || strlen(name) > LENGTH_MAX)
		return;
	distance = distance_of(nearest->word, name);
	if (distance > (length + 2) / 3 || (nearest->name && nearest->distance <= distance))
		return;
	nearest->name = name;
	nearest->distance = distance;
}
