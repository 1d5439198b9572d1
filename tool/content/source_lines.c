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
	F(ranges)     \
	F(getsrc_die) \
	F(linesrc)    \
	F(lineno)

static struct library {
	bool loaded;
#define POINTER(name) __typeof__(dwarf_##name) *name;
	FUNCTIONS(POINTER)
#undef POINTER
} library;

/* Units' ranges may overlap: so many before an address are looked at. */
#define OVERLAPS_MAX 32

struct range {
	uint64_t start, end;
	Dwarf_Off unit;
};

struct source_lines {
	Elf *elf;
	Dwarf *dwarf;
	struct range *ranges; /* by start, when they were needed */
	size_t nr_ranges;
	bool indexed;
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

static bool add_ranges(struct source_lines *lines, Dwarf_Die *unit, Dwarf_Off at)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t next = 0;

	while ((next = library.ranges(unit, next, &base, &start, &end)) > 0) {
		if (!array_reserve(lines->ranges, lines->nr_ranges))
			return false;
		lines->ranges[lines->nr_ranges++] = (struct range){ start, end, at };
	}
	return true;
}

static int compare_ranges(const void *a, const void *b)
{
	const struct range *one = a, *other = b;

	return COMPARE(one->start, other->start);
}

/* clang writes none, and some files have one of a part only. */
static void make_index(struct source_lines *lines)
{
	Dwarf_Off offset = 0, next;
	Dwarf_Die unit;
	size_t header;

	lines->indexed = true;
	while (!library.nextcu(lines->dwarf, offset, &next, &header, NULL, NULL, NULL)) {
		if (library.offdie(lines->dwarf, offset + header, &unit) &&
		    !add_ranges(lines, &unit, offset + header))
			break;
		if (next <= offset)
			break;
		offset = next;
	}
	array_sort(lines->ranges, lines->nr_ranges, compare_ranges);
}

static int compare_start(const void *a, const void *b)
{
	const struct range *one = a, *other = b;

	return one->start <= other->start ? -1 : 1;
}

static bool find_unit(struct source_lines *lines, uint64_t address, Dwarf_Die *unit)
{
	const struct range key = { .start = address };
	size_t i, least;

	if (library.addrdie(lines->dwarf, address, unit))
		return true;
	if (!lines->indexed)
		make_index(lines);
	i = array_lower_bound(&key, lines->ranges, lines->nr_ranges, sizeof(key), compare_start);
	least = i > OVERLAPS_MAX ? i - OVERLAPS_MAX : 0;
	while (i-- > least)
		if (address < lines->ranges[i].end)
			return library.offdie(lines->dwarf, lines->ranges[i].unit, unit);
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
	free(lines->ranges);
	free(lines);
}
