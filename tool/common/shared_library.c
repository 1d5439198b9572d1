// SPDX-License-Identifier: GPL-2.0
/* Shared libraries: by dlopen(3). */

#include <dlfcn.h>
#include <string.h>

#include "shared_library.h"

const char *shared_library_open(const char *soname, const struct shared_function *functions,
				size_t count, void *pointers)
{
	void *library = dlopen(soname, RTLD_LAZY | RTLD_LOCAL);
	size_t i;

	if (!library)
		return dlerror();
	for (i = 0; i < count; i++) {
		void *symbol = dlsym(library, functions[i].name);

		if (!symbol)
			return dlerror();
		memcpy((char *)pointers + functions[i].offset, &symbol, sizeof(symbol));
	}
	return NULL;
}
