// SPDX-License-Identifier: GPL-2.0
/*
 * Source lines: the only file that knows libdw. It believes what a file says, so this
 * runs in the process of symbols.c that has nothing to lose.
 */

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdlib.h>

#include "common/array.h"
#include "common/hash_map.h"
#include "common/shared_library.h"
#include "source_lines.h"

/* Names without "dwarf_". */
#define FUNCTIONS(F)      \
	F(begin_elf)      \
	F(end)            \
	F(addrdie)        \
	F(nextcu)         \
	F(offdie)         \
	F(dieoffset)      \
	F(ranges)         \
	F(getsrc_die)     \
	F(linesrc)        \
	F(lineno)         \
	F(getfuncs)       \
	F(child)          \
	F(siblingof)      \
	F(tag)            \
	F(haspc)          \
	F(entrypc)        \
	F(attr_integrate) \
	F(attr)           \
	F(formstring)     \
	F(formudata)      \
	F(diename)        \
	F(getsrcfiles)    \
	F(filesrc)

static struct library {
	bool loaded;
#define POINTER(name) __typeof__(dwarf_##name) *name;
	FUNCTIONS(POINTER)
#undef POINTER
} library;

/* Ranges may overlap: so many before an address are looked at. */
#define OVERLAPS_MAX 32
/* Blocks within blocks of one function. */
#define DEPTH_MAX 4096

struct range {
	uint64_t start, end;
	Dwarf_Off die;
};

struct ranges {
	struct range *all; /* by start */
	size_t count;
};

struct source_lines {
	Elf *elf;
	Dwarf *dwarf;
	struct ranges units; /* when they were needed */
	bool indexed;
	struct ranges *functions; /* of each unit that was needed */
	size_t nr_functions;
	struct hash_map functions_of; /* from a unit's offset */
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

/* ----------------------------------------------------------------- ranges -- */

/* Those of @die; false only without memory. */
static bool add_ranges(struct ranges *ranges, Dwarf_Die *die)
{
	const Dwarf_Off at = library.dieoffset(die);
	Dwarf_Addr base, start, end;
	ptrdiff_t next = 0;

	while ((next = library.ranges(die, next, &base, &start, &end)) > 0) {
		if (!array_reserve(ranges->all, ranges->count))
			return false;
		ranges->all[ranges->count++] = (struct range){ start, end, at };
	}
	return true;
}

static int compare_ranges(const void *a, const void *b)
{
	const struct range *one = a, *other = b;

	return COMPARE(one->start, other->start);
}

static void sort_ranges(struct ranges *ranges)
{
	array_sort(ranges->all, ranges->count, compare_ranges);
}

static int compare_start(const void *a, const void *b)
{
	const struct range *one = a, *other = b;

	return one->start <= other->start ? -1 : 1;
}

/* Of several that have @address the one that begins last: it lies within the others. */
static bool find_range(struct source_lines *lines, const struct ranges *ranges, uint64_t address,
		       Dwarf_Die *die)
{
	const struct range key = { .start = address };
	size_t i, least;

	i = array_lower_bound(&key, ranges->all, ranges->count, sizeof(key), compare_start);
	least = i > OVERLAPS_MAX ? i - OVERLAPS_MAX : 0;
	while (i-- > least)
		if (address < ranges->all[i].end)
			return library.offdie(lines->dwarf, ranges->all[i].die, die);
	return false;
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
		    !add_ranges(&lines->units, &unit))
			break;
		if (next <= offset)
			break;
		offset = next;
	}
	sort_ranges(&lines->units);
}

static bool find_unit(struct source_lines *lines, uint64_t address, Dwarf_Die *unit)
{
	if (library.addrdie(lines->dwarf, address, unit))
		return true;
	if (!lines->indexed)
		make_index(lines);
	return find_range(lines, &lines->units, address, unit);
}

/* -------------------------------------------------------------- functions -- */

static int add_function(Dwarf_Die *function, void *ranges)
{
	return add_ranges(ranges, function) ? DWARF_CB_OK : DWARF_CB_ABORT;
}

/*
 * Of one unit, which is gone through once: dwarf_getscopes() does it for each address, and not
 * what is in a namespace, as all of Rust is.
 */
static const struct ranges *functions_of(struct source_lines *lines, Dwarf_Die *unit)
{
	const Dwarf_Off at = library.dieoffset(unit);
	uint32_t index = hash_map_get(&lines->functions_of, at, UINT32_MAX);
	struct ranges *functions;

	if (index != UINT32_MAX)
		return &lines->functions[index];
	index = (uint32_t)lines->nr_functions;
	if (!array_reserve(lines->functions, lines->nr_functions) ||
	    !hash_map_set(&lines->functions_of, at, index))
		return NULL;
	functions = &lines->functions[lines->nr_functions++];
	*functions = (struct ranges){};
	library.getfuncs(unit, add_function, functions, 0);
	sort_ranges(functions);
	return functions;
}

static bool may_hold_code(Dwarf_Die *die)
{
	switch (library.tag(die)) {
	case DW_TAG_inlined_subroutine:
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_with_stmt:
		return true;
	default:
		return false;
	}
}

/* The child of @die that has @address, in its place; false when there is none. */
static bool go_into(Dwarf_Die *die, uint64_t address)
{
	Dwarf_Die child;

	if (library.child(die, &child))
		return false;
	do {
		if (may_hold_code(&child) && library.haspc(&child, address) > 0) {
			*die = child;
			return true;
		}
	} while (!library.siblingof(&child, &child));
	return false;
}

/*
 * What was split off to a file of its own: there it is said which functions are inlined, and a
 * line may be that of any of them.
 */
static bool is_split(Dwarf_Die *unit)
{
	Dwarf_Attribute attribute;

	return library.attr(unit, DW_AT_dwo_name, &attribute) ||
	       library.attr(unit, DW_AT_GNU_dwo_name, &attribute);
}

/*
 * @dies: the function that has @address, and what is inlined there, from outer to inner; @count
 * is 0 where nothing is inlined and the function has no entry, as those of assemblers, and of
 * clang -gline-tables-only. False when it is not known, or too much.
 */
static bool find_functions(struct source_lines *lines, Dwarf_Die *unit, uint64_t address,
			   Dwarf_Die dies[SOURCE_FRAMES_MAX], size_t *count)
{
	const struct ranges *functions = functions_of(lines, unit);
	size_t depth = 0;
	Dwarf_Die die;

	*count = 0;
	if (!functions)
		return false;
	if (!find_range(lines, functions, address, &die))
		return !is_split(unit);
	dies[(*count)++] = die;
	while (go_into(&die, address)) {
		if (++depth > DEPTH_MAX)
			return false;
		if (library.tag(&die) != DW_TAG_inlined_subroutine)
			continue;
		if (*count == SOURCE_FRAMES_MAX)
			return false;
		dies[(*count)++] = die;
	}
	return true;
}

static const char *name_of(Dwarf_Die *die)
{
	static const unsigned int names[] = { DW_AT_linkage_name, DW_AT_MIPS_linkage_name };
	Dwarf_Attribute attribute;
	const char *name = NULL;
	size_t i;

	for (i = 0; !name && i < ARRAY_SIZE(names); i++)
		if (library.attr_integrate(die, names[i], &attribute))
			name = library.formstring(&attribute);
	return name ? name : library.diename(die);
}

static bool number_of(Dwarf_Die *die, unsigned int name, Dwarf_Word *number)
{
	Dwarf_Attribute attribute;

	return library.attr(die, name, &attribute) && !library.formudata(&attribute, number);
}

/* Where @inlined was called, into @frame. */
static void find_call(Dwarf_Die *unit, Dwarf_Die *inlined, struct source_frame *frame)
{
	Dwarf_Word file, line;
	Dwarf_Files *files;
	size_t count;

	if (!number_of(inlined, DW_AT_call_file, &file) ||
	    !number_of(inlined, DW_AT_call_line, &line) || !line || line > INT32_MAX ||
	    library.getsrcfiles(unit, &files, &count) || file >= count)
		return;
	frame->source = library.filesrc(files, file, NULL, NULL);
	frame->line = (int)line;
}

/* ------------------------------------------------------------------ lines -- */

static void find_line(Dwarf_Die *unit, uint64_t address, struct source_frame *frame)
{
	Dwarf_Line *found = library.getsrc_die(unit, address);
	int line;

	if (!found || library.lineno(found, &line) || line <= 0)
		return;
	frame->source = library.linesrc(found, NULL, NULL);
	frame->line = line;
}

size_t source_lines_find(struct source_lines *lines, uint64_t address,
			 struct source_frame frames[SOURCE_FRAMES_MAX])
{
	static Dwarf_Die dies[SOURCE_FRAMES_MAX];
	size_t count, i;
	Dwarf_Die unit;

	if (!find_unit(lines, address, &unit) ||
	    !find_functions(lines, &unit, address, dies, &count))
		return 0;
	frames[0] = (struct source_frame){};
	find_line(&unit, address, &frames[0]);
	if (!count)
		return 1;
	for (i = 0; i < count; i++) {
		if (i) {
			frames[i] = (struct source_frame){};
			find_call(&unit, &dies[count - i], &frames[i]);
		}
		frames[i].function = name_of(&dies[count - 1 - i]);
	}
	if (library.entrypc(&dies[0], &frames[count - 1].start))
		frames[count - 1].start = 0;
	return count;
}

void source_lines_free(struct source_lines *lines)
{
	size_t i;

	if (!lines)
		return;
	if (lines->dwarf)
		library.end(lines->dwarf);
	elf_end(lines->elf);
	for (i = 0; i < lines->nr_functions; i++)
		free(lines->functions[i].all);
	free(lines->functions);
	hash_map_free(&lines->functions_of);
	free(lines->units.all);
	free(lines);
}
