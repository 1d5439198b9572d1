// SPDX-License-Identifier: GPL-2.0
/*
 * Source lines: the only file that uses libdw. As libdw trusts files, this runs in the unprivileged
 * process of symbols.c.
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
	F(child)           \
	F(siblingof)       \
	F(tag)             \
	F(entrypc)         \
	F(attr_integrate)  \
	F(attr)            \
	F(formstring)      \
	F(formudata)       \
	F(formref_die)     \
	F(diename)         \
	F(getsrcfiles)     \
	F(filesrc)

static struct library {
	bool loaded;
#define POINTER(name) __typeof__(dwarf_##name) *name;
	FUNCTIONS(POINTER)
#undef POINTER
} library;

/* Ranges may overlap: how many before an address are checked. */
#define OVERLAPS_MAX 32
/* Blocks within blocks of one function. */
#define DEPTH_MAX 4096

#define NOT_KNOWN UINT32_MAX

struct range {
	uint64_t start, end;
	uint64_t of; /* offset of a unit, or index of a function's block */
};

struct ranges {
	struct range *all; /* by start */
	size_t count;
};

/* A piece of code: a function, an inlined function, or a block. */
struct block {
	Dwarf_Off die;
	size_t first, end; /* of its ranges */
	uint32_t next;	   /* index of the first block that is not within this one */
	bool is_function;
	bool is_inlined;
	bool is_last; /* so deep that its contents are unknown */
};

/* All blocks of one unit, found in one walk: libdw would walk again for each lookup. */
struct unit {
	struct block *blocks; /* nested, outer ones first */
	size_t nr_blocks;
	struct range *parts; /* ranges of all of them */
	size_t nr_parts;
	struct ranges functions;
};

/* A function, or a part of one: blocks have the scope of what is around them. */
struct node {
	uint32_t scope; /* NOT_KNOWN if too much is inlined */
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
	struct ranges units;  /* from the units themselves, once needed */
	bool indexed;
	struct picture picture;
	struct unit *read; /* the units that were needed */
	size_t nr_read;
	struct hash_map by_offset; /* of these */
	const char **names;
	size_t nr_names;
	struct hash_map by_origin; /* of these */
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

/* Add the ranges of @die, for @of; false only without memory. */
static bool add_ranges(struct ranges *ranges, Dwarf_Die *die, uint64_t of)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t next = 0;

	while ((next = library.ranges(die, next, &base, &start, &end)) > 0) {
		if (!array_reserve(ranges->all, ranges->count))
			return false;
		ranges->all[ranges->count++] = (struct range){ start, end, of };
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
 * Of several ranges with @address, the one that begins last: it lies within the others. Narrows
 * @around to where the result holds.
 */
static const struct range *find_range(const struct ranges *ranges, uint64_t address,
				      struct code_range *around)
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
			return &ranges->all[i];
		}
		code_range_from(around, ranges->all[i].end);
	}
	return NULL;
}

/* From .debug_aranges; clang writes none, and in some files it is incomplete. */
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
					   &range.of)) {
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
		    !add_ranges(&lines->units, &unit, offset + header))
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
	const struct range *range = find_range(&lines->listed, address, around);

	if (!range) {
		if (!lines->indexed)
			make_index(lines);
		range = find_range(&lines->units, address, around);
	}
	return range && library.offdie(lines->dwarf, range->of, unit);
}

/* ----------------------------------------------------------------- blocks -- */

enum kind {
	KIND_OTHER, /* has no blocks in it */
	KIND_AROUND,
	KIND_BLOCK,
	KIND_INLINED,
	KIND_FUNCTION,
};

static enum kind kind_of(Dwarf_Die *die)
{
	switch (library.tag(die)) {
	case DW_TAG_subprogram:
		return KIND_FUNCTION;
	case DW_TAG_inlined_subroutine:
		return KIND_INLINED;
	case DW_TAG_lexical_block:
	case DW_TAG_try_block:
	case DW_TAG_catch_block:
	case DW_TAG_with_stmt:
		return KIND_BLOCK;
	case DW_TAG_module:
	case DW_TAG_namespace:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_entry_point:
		return KIND_AROUND;
	default:
		return KIND_OTHER;
	}
}

/* A block without code is not added, see @added. False only without memory. */
static bool add_block(struct unit *unit, Dwarf_Die *die, enum kind kind, size_t depth, bool *added)
{
	struct ranges parts = { unit->parts, unit->nr_parts };
	bool good = add_ranges(&parts, die, 0);
	const size_t first = unit->nr_parts;
	const uint32_t index = (uint32_t)unit->nr_blocks;
	size_t i;

	unit->parts = parts.all;
	unit->nr_parts = parts.count;
	*added = good && parts.count > first;
	if (!*added)
		return good;
	if (!array_reserve(unit->blocks, unit->nr_blocks))
		return false;
	unit->blocks[unit->nr_blocks++] = (struct block){
		.die = library.dieoffset(die),
		.first = first,
		.end = parts.count,
		.is_function = kind == KIND_FUNCTION,
		.is_inlined = kind == KIND_INLINED,
		.is_last = depth == DEPTH_MAX,
	};
	for (i = first; kind == KIND_FUNCTION && i < parts.count; i++) {
		if (!array_reserve(unit->functions.all, unit->functions.count))
			return false;
		unit->functions.all[unit->functions.count] = unit->parts[i];
		unit->functions.all[unit->functions.count++].of = index;
	}
	return true;
}

/*
 * All blocks of the functions in @die, which may be in a namespace, as all of Rust's are, or in
 * another function. False only without memory.
 */
static bool source_lines_walk(struct unit *unit, Dwarf_Die *die, bool in_block, size_t depth)
{
	size_t index;
	Dwarf_Die child;
	enum kind kind;
	bool added;

	if (depth == DEPTH_MAX || library.child(die, &child))
		return true;
	do {
		kind = kind_of(&child);
		if (kind == KIND_OTHER)
			continue;
		index = unit->nr_blocks;
		added = kind == KIND_FUNCTION || (kind != KIND_AROUND && in_block);
		if ((added && !add_block(unit, &child, kind, depth + 1, &added)) ||
		    !source_lines_walk(unit, &child, added, depth + 1))
			return false;
		if (added)
			unit->blocks[index].next = (uint32_t)unit->nr_blocks;
	} while (!library.siblingof(&child, &child));
	return true;
}

/* NULL only without memory. */
static const struct unit *read_unit(struct source_lines *lines, Dwarf_Die *die)
{
	const Dwarf_Off at = library.dieoffset(die);
	uint32_t index = hash_map_get(&lines->by_offset, at, UINT32_MAX);
	struct unit *unit;

	if (index != UINT32_MAX)
		return &lines->read[index];
	index = (uint32_t)lines->nr_read;
	if (!array_reserve(lines->read, lines->nr_read) ||
	    !hash_map_set(&lines->by_offset, at, index))
		return NULL;
	unit = &lines->read[lines->nr_read++];
	*unit = (struct unit){};
	if (!source_lines_walk(unit, die, false, 0))
		return NULL;
	sort_ranges(&unit->functions);
	return unit;
}

/* -------------------------------------------------------------- functions -- */

/*
 * Split DWARF: the inlined functions are described in another file, so a line may belong to any of
 * them.
 */
static bool is_split(Dwarf_Die *unit)
{
	Dwarf_Attribute attribute;

	return library.attr(unit, DW_AT_dwo_name, &attribute) ||
	       library.attr(unit, DW_AT_GNU_dwo_name, &attribute);
}

/* The entry of @function, 0 if unknown; parts of it may be before that. */
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

/* The name of an inlined function; it refers to a function shared with other inlined copies. */
static const char *name_of_inlined(struct source_lines *lines, Dwarf_Die *inlined)
{
	Dwarf_Attribute attribute;
	Dwarf_Die origin;
	uint32_t index;

	if (!library.attr(inlined, DW_AT_abstract_origin, &attribute) ||
	    !library.formref_die(&attribute, &origin))
		return name_of(inlined);
	index = hash_map_get(&lines->by_origin, (uintptr_t)origin.addr, UINT32_MAX);
	if (index != UINT32_MAX)
		return lines->names[index];
	index = (uint32_t)lines->nr_names;
	if (!array_reserve(lines->names, lines->nr_names) ||
	    !hash_map_set(&lines->by_origin, (uintptr_t)origin.addr, index))
		return name_of(&origin);
	lines->names[lines->nr_names++] = name_of(&origin);
	return lines->names[index];
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

/* One look at a unit: its contents in @range go into @picture. */
struct painting {
	struct source_lines *lines;
	struct picture *picture;
	Dwarf_Die *die; /* of the unit */
	const struct unit *unit;
	const struct code_range *range;
	bool failed; /* without memory */
};

static int compare_segments(const void *a, const void *b)
{
	const struct segment *one = a, *other = b;

	return one->start <= other->start ? -1 : 1;
}

/* The index of the first segment that begins after @address. */
static size_t segment_behind(const struct picture *picture, uint64_t address)
{
	const struct segment key = { .start = address };

	return array_lower_bound(&key, picture->segments, picture->nr_segments, sizeof(key),
				 compare_segments);
}

/* Make a segment begin at @address, which is in the range. */
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

/* Assign what belongs to @parent between @from and @end to @node. Returns whether anything did. */
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

static bool paint_block(struct painting *painting, const struct block *block, uint32_t parent,
			uint32_t node)
{
	const struct range *parts = painting->unit->parts;
	bool any = false;
	size_t i;

	for (i = block->first; i < block->end; i++)
		any |= paint_range(painting, parts[i].start, parts[i].end, parent, node);
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
	scope->function = name_of_inlined(painting->lines, inlined);
	find_call(painting->die, inlined, scope);
	return true;
}

/* Add the next node; @node is what is around it. */
static bool add_node(struct painting *painting, struct node node, const struct block *block)
{
	struct picture *picture = painting->picture;
	bool known = !block->is_last;
	Dwarf_Die die;

	if (block->is_inlined && node.scope != NOT_KNOWN)
		known = known && ++node.inlined < SOURCE_FRAMES_MAX &&
			library.offdie(painting->lines->dwarf, block->die, &die) &&
			add_scope(painting, &die, node.scope, &node.scope);
	if (!known)
		node.scope = NOT_KNOWN;
	if (!array_reserve(picture->nodes, picture->nr_nodes)) {
		painting->failed = true;
		return false;
	}
	picture->nodes[picture->nr_nodes++] = node;
	return true;
}

/* Paint the contents of block @index, which is node @parent. The first one has an address. */
static void paint(struct painting *painting, uint32_t index, uint32_t parent)
{
	const struct block *blocks = painting->unit->blocks, *block;
	struct picture *picture = painting->picture;
	uint32_t node, i;

	for (i = index + 1; i < blocks[index].next && !painting->failed; i = block->next) {
		block = &blocks[i];
		node = (uint32_t)picture->nr_nodes;
		if (!block->is_function && paint_block(painting, block, parent, node) &&
		    add_node(painting, picture->nodes[parent], block))
			paint(painting, i, node);
	}
}

/* Start with the whole range, as part of @function; NULL if it has none. */
static bool source_lines_begin(struct painting *painting, Dwarf_Die *function, bool known)
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

/* The number of lines that begin at or before @address; libdw has sorted them. */
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

/* Set the source line in which @row begins. */
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

/* Add a row from @start on, unless it equals the previous one. */
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
	struct painting painting = { .lines = lines, .picture = picture, .range = range };
	const struct range *found = NULL;
	Dwarf_Die unit, function;
	struct table table = {};
	bool known, named;

	*part = (struct source_part){};
	known = find_unit(lines, address, range, &unit);
	painting.die = &unit;
	if (known) {
		painting.unit = read_unit(lines, &unit);
		if (!painting.unit)
			return false;
		found = find_range(&painting.unit->functions, address, range);
	}
	named = found &&
		library.offdie(lines->dwarf, painting.unit->blocks[found->of].die, &function);
	if (named)
		part->function_start = entry_of(&function, address, range);
	else
		known = known && !is_split(&unit);
	if (!source_lines_begin(&painting, named ? &function : NULL, known))
		return false;
	if (named)
		paint(&painting, (uint32_t)found->of, 0);
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
	for (i = 0; i < lines->nr_read; i++) {
		free(lines->read[i].blocks);
		free(lines->read[i].parts);
		free(lines->read[i].functions.all);
	}
	free(lines->picture.nodes);
	free(lines->picture.segments);
	free(lines->picture.scopes);
	free(lines->picture.rows);
	free(lines->listed.all);
	free(lines->read);
	hash_map_free(&lines->by_offset);
	free(lines->names);
	hash_map_free(&lines->by_origin);
	free(lines->units.all);
	free(lines);
}
