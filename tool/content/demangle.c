// SPDX-License-Identifier: GPL-2.0
/* Demangle: by __cxa_demangle() of libstdc++. */

#include <stddef.h>
#include <string.h>

#include "common/array.h"
#include "common/shared_library.h"
#include "demangle.h"

/* The demangler recurses, and takes room on the stack for each character. */
#define NAME_MAX_LENGTH 4096

static struct library {
	bool loaded;
	char *(*demangle)(const char *name, char *buffer, size_t *size, int *status);
} library;

bool demangle_load(void)
{
	static const struct shared_function functions[] = {
		{ "__cxa_demangle", offsetof(struct library, demangle) },
	};

	if (!library.loaded)
		library.loaded = !shared_library_open("libstdc++.so.6", functions,
						      ARRAY_SIZE(functions), &library);
	return library.loaded;
}

char *demangle(const char *name)
{
	int status;

	if (!library.loaded || strncmp(name, "_Z", 2) || strlen(name) > NAME_MAX_LENGTH)
		return NULL;
	return library.demangle(name, NULL, NULL, &status);
}
