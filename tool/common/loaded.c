// SPDX-License-Identifier: GPL-2.0
/* Loaded: by dlopen(3). */

#include <dlfcn.h>
#include <string.h>

#include "loaded.h"

const char *loaded_open(const char *soname, const struct loaded_function *functions, size_t count,
			void *pointers)
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
