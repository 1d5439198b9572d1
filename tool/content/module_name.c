// SPDX-License-Identifier: GPL-2.0
/* Module name: what the kernel calls a module, by what others call it. */

#include <string.h>

#include "module_name.h"

void module_name(const char *path, char name[MODULE_NAME_ROOM])
{
	const char *base = strrchr(path, '/');
	size_t size, i;

	base = base ? base + 1 : path;
	base += *base == '[';
	size = strcspn(base, "]@.");
	if (size >= MODULE_NAME_ROOM)
		size = 0;
	for (i = 0; i < size; i++)
		name[i] = base[i] == '-' ? '_' : base[i];
	name[size] = '\0';
}
