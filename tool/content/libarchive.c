// SPDX-License-Identifier: GPL-2.0
/* Libarchive: not linked, as it depends on libxml2, ICU, libstdc++ and ten others. */

#include <stdbool.h>
#include <stddef.h>

#include "common/array.h"
#include "common/shared_library.h"
#include "libarchive.h"

struct libarchive libarchive;

const char *libarchive_load(void)
{
#define FUNCTION(name) { "archive_" #name, offsetof(struct libarchive, name) },
	static const struct shared_function functions[] = { LIBARCHIVE_FUNCTIONS(FUNCTION) };
#undef FUNCTION
	static bool loaded;
	const char *problem = NULL;

	if (!loaded)
		problem = shared_library_open("libarchive.so.13", functions, ARRAY_SIZE(functions),
					      &libarchive);
	loaded = !problem;
	return problem;
}
