// SPDX-License-Identifier: GPL-2.0
/*
 * Source lines: the only file that knows libdw. It believes what a file says, so this
 * runs in the process of symbols.c that has nothing to lose.
 */

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "common/array.h"
#include "common/hash_map.h"
#include "common/shared_library.h"
#include "source_lines.h"

/* Names without "dwarf_". */
#define FUNCTIONS(F)       \
	F(begin_elf)       \
	F(end)             \
	F(getaranges)      \
	F(onearange)       \
	F(getarangeinfo)   \
	F(nextcu)          \
	F(offdie)          \
	F(dieoffset)       \
	F(ranges)          \
	F(getsrclines)     \
	F(onesrcline)      \
	F(lineaddr)        \
	F(lineendsequence) \
	F(linesrc)         \
	F(lineno)          \
	F(getfuncs)        \
	F(child)           \
	F(siblingof)       \
	F(tag)             \
	F(entrypc)         \
	F(attr_integrate)  \
	F(attr)            \
	F(formstring)      \
	F(formudata)       \
	F(diename)         \
	F(getsrcfiles)     \
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

#define NOT_KNOWN UINT32_MAX

struct range {
	uint64_t start, end;
	Dwarf_Off die;
};

struct ranges {
	struct range *all; /* by start */
	size_t count;
};

/* A function, or a part of one: blocks are of the same scope as what is around them. */
struct node {
	uint32_t scope; /* NOT_KNOWN where too much is inlined */
	size_t inlined; /* functions so far */
};

/* From @start on, up to the next one. */
struct segment {
	uint64_t start;
	uint32_t node;
};

/* What source_lines_find() has found. */
struct picture {
	struct node *nodes;
	size_t nr_nodes;
	struct segment *segments; /* by start */
	size_t nr_segments;
	struct source_scope *scopes;
	size_t nr_scopes;
	struct source_row *rows;
	size_t nr_rows;
};

struct source_lines {
	Elf *elf;
	Dwarf *dwarf;
	struct ranges listed; /* units, as .debug_aranges has them */
	struct ranges units;  /* as they say themselves, when that was needed */
	bool indexed;
	struct picture picture;
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

/*
 * Of several that have @address the one that begins last: it lies within the others. @around is
 * narrowed to where that is so, or to where there is none.
 */
static bool find_range(struct source_lines *lines, const struct ranges *ranges, uint64_t address,
		       struct code_range *around, Dwarf_Die *die)
{
	const struct range key = { .start = address };
	size_t i, least;

	i = array_lower_bound(&key, ranges->all, ranges->count, sizeof(key), compare_start);
	least = i > OVERLAPS_MAX ? i - OVERLAPS_MAX : 0;
	if (i < ranges->count)
		code_range_until(around, ranges->all[i].start);
	if (i)
		code_range_from(around, ranges->all[i - 1].start);
	while (i-- > least) {
		if (address < ranges->all[i].end) {
			code_range_until(around, ranges->all[i].end);
			return library.offdie(lines->dwarf, ranges->all[i].die, die);
		}
		code_range_from(around, ranges->all[i].end);
	}
	return false;
}

/* What .debug_aranges says; clang writes none, and some files have one of a part only. */
static void read_list(struct source_lines *lines)
{
	struct ranges *listed = &lines->listed;
	Dwarf_Word length;
	Dwarf_Aranges *all;
	struct range range;
	size_t count, i;

	if (library.getaranges(lines->dwarf, &all, &count))
		return;
	for (i = 0; i < count && array_reserve(listed->all, listed->count); i++)
		if (!library.getarangeinfo(library.onearange(all, i), &range.start, &length,
					   &range.die)) {
			range.end = range.start + length;
			listed->all[listed->count++] = range;
		}
	sort_ranges(listed);
}

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

static bool find_unit(struct source_lines *lines, uint64_t address, struct code_range *around,
		      Dwarf_Die *unit)
{
	if (find_range(lines, &lines->listed, address, around, unit))
		return true;
	if (!lines->indexed)
		make_index(lines);
	return find_range(lines, &lines->units, address, around, unit);
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

/* Where @function begins, 0 when not known; parts of it may be before that. */
static uint64_t entry_of(Dwarf_Die *function, uint64_t address, struct code_range *around)
{
	Dwarf_Addr entry;

	if (library.entrypc(function, &entry))
		return 0;
	if (entry > address)
		code_range_until(around, entry);
	else
		code_range_from(around, entry);
	return entry;
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

/* Where @inlined was called. */
static void find_call(Dwarf_Die *unit, Dwarf_Die *inlined, struct source_scope *scope)
{
	Dwarf_Word file, line;
	Dwarf_Files *files;
	size_t count;

	if (!number_of(inlined, DW_AT_call_file, &file) ||
	    !number_of(inlined, DW_AT_call_line, &line) || !line || line > INT32_MAX ||
	    library.getsrcfiles(unit, &files, &count) || file >= count)
		return;
	scope->source = library.filesrc(files, file, NULL, NULL);
	scope->line = (int)line;
}

/* ---------------------------------------------------------------- picture -- */

/* One look at a unit: what is in @range of it goes into @picture. */
struct painting {
	struct picture *picture;
	Dwarf_Die *unit;
	const struct code_range *range;
	bool failed; /* without memory */
};

static int compare_segments(const void *a, const void *b)
{
	const struct segment *one = a, *other = b;

	return one->start <= other->start ? -1 : 1;
}

/* The index of the first segment that begins behind @address. */
static size_t segment_behind(const struct picture *picture, uint64_t address)
{
	const struct segment key = { .start = address };

	return array_lower_bound(&key, picture->segments, picture->nr_segments, sizeof(key),
				 compare_segments);
}

/* Have a segment begin at @address, which is in the range. */
static bool split(struct picture *picture, uint64_t address)
{
	size_t at = segment_behind(picture, address), behind = picture->nr_segments - at;
	struct segment *segments;

	if (picture->segments[at - 1].start == address)
		return true;
	if (!array_reserve(picture->segments, picture->nr_segments))
		return false;
	segments = picture->segments + at;
	memmove(segments + 1, segments, behind * sizeof(*segments));
	*segments = (struct segment){ address, segments[-1].node };
	picture->nr_segments++;
	return true;
}

/* What of @from up to @end is @parent's becomes @node's; whether any is. */
static bool paint_range(struct painting *painting, uint64_t from, uint64_t end, uint32_t parent,
			uint32_t node)
{
	struct picture *picture = painting->picture;
	const struct code_range *range = painting->range;
	bool any = false;
	size_t i, last;

	if (from < range->first)
		from = range->first;
	if (from >= end || from > range->last)
		return false;
	if (!split(picture, from) || (end <= range->last && !split(picture, end))) {
		painting->failed = true;
		return false;
	}
	i = segment_behind(picture, from) - 1;
	last = segment_behind(picture, end - 1);
	for (; i < last; i++)
		if (picture->segments[i].node == parent) {
			picture->segments[i].node = node;
			any = true;
		}
	return any;
}

static bool paint_ranges(struct painting *painting, Dwarf_Die *die, uint32_t parent, uint32_t node)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t next = 0;
	bool any = false;

	while ((next = library.ranges(die, next, &base, &start, &end)) > 0)
		any |= paint_range(painting, start, end, parent, node);
	return any;
}

static bool add_scope(struct painting *painting, Dwarf_Die *inlined, uint32_t into, uint32_t *index)
{
	struct picture *picture = painting->picture;
	struct source_scope *scope;

	if (!array_reserve(picture->scopes, picture->nr_scopes)) {
		painting->failed = true;
		return false;
	}
	*index = (uint32_t)picture->nr_scopes;
	scope = &picture->scopes[picture->nr_scopes++];
	*scope = (struct source_scope){ .into = into };
	if (!inlined)
		return true;
	scope->function = name_of(inlined);
	find_call(painting->unit, inlined, scope);
	return true;
}

/* The next one; without @known it is not told what is inlined there. */
static bool add_node(struct painting *painting, struct node node, Dwarf_Die *die, bool known)
{
	struct picture *picture = painting->picture;

	if (library.tag(die) == DW_TAG_inlined_subroutine && node.scope != NOT_KNOWN)
		known = known && ++node.inlined < SOURCE_FRAMES_MAX &&
			add_scope(painting, die, node.scope, &node.scope);
	if (!known)
		node.scope = NOT_KNOWN;
	if (!array_reserve(picture->nodes, picture->nr_nodes)) {
		painting->failed = true;
		return false;
	}
	picture->nodes[picture->nr_nodes++] = node;
	return true;
}

/* What is in the blocks of @die, which is node @parent. An address is that of the first one. */
static void paint(struct painting *painting, Dwarf_Die *die, uint32_t parent, size_t depth)
{
	struct picture *picture = painting->picture;
	uint32_t node;
	Dwarf_Die child;

	if (library.child(die, &child))
		return;
	do {
		node = (uint32_t)picture->nr_nodes;
		if (may_hold_code(&child) && paint_ranges(painting, &child, parent, node) &&
		    add_node(painting, picture->nodes[parent], &child, depth < DEPTH_MAX) &&
		    depth < DEPTH_MAX)
			paint(painting, &child, node, depth + 1);
	} while (!painting->failed && !library.siblingof(&child, &child));
}

/* The range as a whole, of @function; NULL when there is no entry for one. */
static bool begin(struct painting *painting, Dwarf_Die *function, bool known)
{
	struct picture *picture = painting->picture;
	struct node node;

	picture->nr_nodes = picture->nr_segments = picture->nr_scopes = picture->nr_rows = 0;
	if (!add_scope(painting, NULL, 0, &node.scope) ||
	    !array_reserve(picture->nodes, picture->nr_nodes) ||
	    !array_reserve(picture->segments, picture->nr_segments))
		return false;
	if (function)
		picture->scopes[0].function = name_of(function);
	node = (struct node){ .scope = known ? 0 : NOT_KNOWN };
	picture->nodes[picture->nr_nodes++] = node;
	picture->segments[picture->nr_segments++] = (struct segment){ painting->range->first, 0 };
	return true;
}

/* ------------------------------------------------------------------- rows -- */

struct table {
	Dwarf_Lines *lines;
	size_t count, at;
};

static uint64_t line_address(const struct table *table, size_t index)
{
	Dwarf_Addr address;

	if (library.lineaddr(library.onesrcline(table->lines, index), &address))
		return UINT64_MAX;
	return address;
}

/* How many lines begin at @address or before; libdw has sorted them. */
static size_t count_until(const struct table *table, uint64_t address)
{
	size_t low = 0, high = table->count, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (line_address(table, middle) <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Of the line in which @row begins. */
static void set_line(const struct table *table, size_t index, struct source_row *row)
{
	Dwarf_Line *found = library.onesrcline(table->lines, index);
	bool ended;
	int line;

	if (!found || library.lineendsequence(found, &ended) || ended ||
	    library.lineno(found, &line) || line <= 0)
		return;
	row->source = library.linesrc(found, NULL, NULL);
	row->line = line;
}

/* From @start on; what does not differ from the row before is of that. */
static bool add_row(struct picture *picture, const struct table *table, size_t lines,
		    const struct segment *segment, uint64_t start)
{
	uint32_t scope = picture->nodes[segment->node].scope;
	struct source_row row = { .start = start, .scope = scope == NOT_KNOWN ? 0 : scope };
	const struct source_row *before = picture->nr_rows ? &picture->rows[picture->nr_rows - 1] :
							     NULL;

	if (scope != NOT_KNOWN && lines)
		set_line(table, lines - 1, &row);
	if (before && before->scope == row.scope && before->source == row.source &&
	    before->line == row.line)
		return true;
	if (!array_reserve(picture->rows, picture->nr_rows))
		return false;
	picture->rows[picture->nr_rows++] = row;
	return true;
}

/* A row begins where a segment or a line does. */
static bool add_rows(struct picture *picture, const struct table *table,
		     const struct code_range *range)
{
	size_t lines = count_until(table, range->first), segment = 0;
	uint64_t start = range->first, next;

	for (;;) {
		if (!add_row(picture, table, lines, &picture->segments[segment], start))
			return false;
		next = lines < table->count ? line_address(table, lines) : UINT64_MAX;
		if (segment + 1 < picture->nr_segments &&
		    picture->segments[segment + 1].start < next)
			next = picture->segments[segment + 1].start;
		if (next > range->last || next == UINT64_MAX)
			return true;
		start = next;
		segment += segment + 1 < picture->nr_segments &&
			   picture->segments[segment + 1].start == start;
		while (lines < table->count && line_address(table, lines) <= start)
			lines++;
	}
}

bool source_lines_find(struct source_lines *lines, uint64_t address, struct code_range *range,
		       struct source_part *part)
{
	struct picture *picture = &lines->picture;
	struct painting painting = { .picture = picture, .range = range };
	struct table table = {};
	Dwarf_Die unit, function;
	const struct ranges *functions = NULL;
	bool known, named;

	*part = (struct source_part){};
	known = find_unit(lines, address, range, &unit);
	if (known && !(functions = functions_of(lines, &unit)))
		return false;
	named = functions && find_range(lines, functions, address, range, &function);
	painting.unit = &unit;
	if (named)
		part->function_start = entry_of(&function, address, range);
	else
		known = known && !is_split(&unit);
	if (!begin(&painting, named ? &function : NULL, known))
		return false;
	if (named)
		paint(&painting, &function, 0, 0);
	if (known && library.getsrclines(&unit, &table.lines, &table.count))
		table.count = 0;
	if (painting.failed || !add_rows(picture, &table, range))
		return false;
	part->scopes = picture->scopes;
	part->nr_scopes = picture->nr_scopes;
	part->rows = picture->rows;
	part->nr_rows = picture->nr_rows;
	return true;
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
	if (new->dwarf) {
		read_list(new);
		return new;
	}
	source_lines_free(new);
	return NULL;
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
	free(lines->picture.nodes);
	free(lines->picture.segments);
	free(lines->picture.scopes);
	free(lines->picture.rows);
	free(lines->listed.all);
	free(lines->functions);
	hash_map_free(&lines->functions_of);
	free(lines->units.all);
	free(lines);
}
