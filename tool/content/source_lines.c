// SPDX-License-Identifier: GPL-2.0
/*
 * Source lines: the only file that knows libdw. It believes what a file says, so this
 * runs in the process of symbols.c that has nothing to lose.
 */

#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/shared_library.h"
#include "source_lines.h"

/* Names without "dwarf_". */
#define FUNCTIONS(F)  \
	F(begin_elf)  \
	F(end)        \
	F(addrdie)    \
	F(nextcu)     \
	F(offdie)     \
	F(haspc)      \
	F(getsrc_die) \
	F(linesrc)    \
	F(lineno)

static struct library {
	bool loaded;
#define POINTER(name) __typeof__(dwarf_##name) *name;
	FUNCTIONS(POINTER)
#undef POINTER
} library;

struct source_lines {
	Elf *elf;
	Dwarf *dwarf;
};

bool source_lines_load(void)
{
#define FUNCTION(name) { "dwarf_" #name, offsetof(struct library, name) },
	static const struct shared_function functions[] = { FUNCTIONS(FUNCTION) };
#undef FUNCTION

	if (!library.loaded)
		library.loaded = !shared_library_open("libdw.so.1", functions,
						      ARRAY_SIZE(functions), &library);
	return library.loaded;
}

struct source_lines *source_lines_new(int fd)
{
	struct source_lines *new = library.loaded ? calloc(1, sizeof(*new)) : NULL;

	if (!new)
		return NULL;
	elf_version(EV_CURRENT);
	new->elf = elf_begin(fd, ELF_C_READ, NULL);
	if (new->elf)
		new->dwarf = library.begin_elf(new->elf, DWARF_C_READ, NULL);
	if (new->dwarf)
		return new;
	source_lines_free(new);
	return NULL;
}

/* clang writes no index of addresses: then each unit is asked. */
static bool find_unit(struct source_lines *lines, uint64_t address, Dwarf_Die *unit)
{
	Dwarf_Off offset = 0, next;
	size_t header;

	if (library.addrdie(lines->dwarf, address, unit))
		return true;
	while (!library.nextcu(lines->dwarf, offset, &next, &header, NULL, NULL, NULL)) {
		if (library.offdie(lines->dwarf, offset + header, unit) &&
		    library.haspc(unit, address) > 0)
			return true;
		if (next <= offset)
			break;
		offset = next;
	}
	return false;
}

const char *source_lines_find(struct source_lines *lines, uint64_t address, int *line)
{
	Dwarf_Die unit;
	Dwarf_Line *found = NULL;

	if (find_unit(lines, address, &unit))
		found = library.getsrc_die(&unit, address);
	if (!found || library.lineno(found, line) || *line <= 0)
		return NULL;
	return library.linesrc(found, NULL, NULL);
}

void source_lines_free(struct source_lines *lines)
{
	if (!lines)
		return;
	if (lines->dwarf)
		library.end(lines->dwarf);
	elf_end(lines->elf);
	free(lines);
}
