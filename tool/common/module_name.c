// SPDX-License-Identifier: GPL-2.0
/* Module name: the last component of a path, without suffixes. */

#include <string.h>

#include "module_name.h"

void module_name(const char *path, char name[MODULE_NAME_ROOM])
{
	const char *base = basename(path);
	size_t size, i;

	base += *base == '[';
	size = strcspn(base, "]@.");
	if (size >= MODULE_NAME_ROOM)
		size = 0;
	for (i = 0; i < size; i++)
		name[i] = base[i] == '-' ? '_' : base[i];
	name[size] = '\0';
}
