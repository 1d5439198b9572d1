// SPDX-License-Identifier: GPL-2.0
/* Symbol table: by libelf, which checks each string and each entry that it returns. */

#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/array.h"
#include "symbol_table.h"
#include "xz.h"

/* Functions may be nested: how many before an address are checked. */
#define NESTED_MAX 32

struct reading {
	struct symbol_table *table;
	Elf *elf;
	GElf_Shdr header; /* of the symbols */
	Elf_Data *data;
};

/*
 * perf's order of names at one address, so that both show the same: with a size, not
 * weak, global, with fewer underscores in front.
 */
static unsigned int rank_of(const GElf_Sym *symbol, const char *name)
{
	unsigned int binding = GELF_ST_BIND(symbol->st_info);
	size_t underscores = strspn(name, "_");

	return (symbol->st_size != 0) * 64U + (binding != STB_WEAK) * 32U +
	       (binding == STB_GLOBAL) * 16U + (underscores > 15 ? 0 : 15 - (unsigned)underscores);
}

/* The end of the section that @symbol is in if that is code, else 0. */
static uint64_t code_end(Elf *elf, const GElf_Sym *symbol)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	if (symbol->st_shndx != SHN_UNDEF && symbol->st_shndx < SHN_LORESERVE)
		section = elf_getscn(elf, symbol->st_shndx);
	if (!section || !gelf_getshdr(section, &header) || !(header.sh_flags & SHF_EXECINSTR) ||
	    symbol->st_value < header.sh_addr ||
	    symbol->st_value - header.sh_addr >= header.sh_size)
		return 0;
	return header.sh_addr + header.sh_size;
}

/* Assemblers' labels, which are not functions: "$x", ".L12". */
static bool is_label(const char *name)
{
	return *name == '$' || *name == '.';
}

/* False only without memory. */
static bool symbol_table_add(struct reading *reading, const GElf_Sym *symbol)
{
	struct symbol_table *table = reading->table;
	unsigned int type = GELF_ST_TYPE(symbol->st_info);
	const char *name;
	uint64_t end;
	char *copy;

	if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE)
		return true;
	end = code_end(reading->elf, symbol);
	name = end ? elf_strptr(reading->elf, reading->header.sh_link, symbol->st_name) : NULL;
	if (!name || !*name || is_label(name))
		return true;
	if (symbol->st_size && symbol->st_size < end - symbol->st_value)
		end = symbol->st_value + symbol->st_size;
	copy = strdup(name);
	if (!copy || !array_reserve(table->functions, table->count)) {
		free(copy);
		return false;
	}
	table->functions[table->count++] = (struct function){
		.start = symbol->st_value,
		.end = end,
		.name = copy,
		.rank = rank_of(symbol, name),
	};
	return true;
}

static bool add_all(struct reading *reading)
{
	GElf_Sym symbol;
	int i = 0;

	while (gelf_getsym(reading->data, i++, &symbol))
		if (!symbol_table_add(reading, &symbol))
			return false;
	return true;
}

static bool find_section(struct reading *reading, uint32_t type)
{
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(reading->elf, section)))
		if (gelf_getshdr(section, &reading->header) && reading->header.sh_type == type &&
		    (reading->data = elf_getdata(section, NULL)))
			return true;
	return false;
}

/* Adds those of the first section of @type. */
static bool read_section(struct symbol_table *table, Elf *elf, uint32_t type)
{
	struct reading reading = { .table = table, .elf = elf };

	return find_section(&reading, type) && add_all(&reading);
}

static Elf_Data *find_debugdata(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	const char *name;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_PROGBITS)
			continue;
		name = elf_strptr(elf, names, header.sh_name);
		if (name && !strcmp(name, ".gnu_debugdata"))
			return elf_rawdata(section, NULL);
	}
	return NULL;
}

/*
 * MiniDebugInfo, which Fedora's stripped files have: an ELF file in a section, compressed, with
 * the symbols that .dynsym lacks.
 */
static bool read_debugdata(struct symbol_table *table, Elf *elf)
{
	const Elf_Data *data = find_debugdata(elf);
	Elf *inner;
	size_t size;
	char *inside = data && data->d_buf ? xz_decode(data->d_buf, data->d_size, &size) : NULL;
	bool good;

	inner = inside ? elf_memory(inside, size) : NULL;
	good = inner && read_section(table, inner, SHT_SYMTAB);
	elf_end(inner);
	free(inside);
	return good;
}

static int symbol_table_compare(const void *a, const void *b)
{
	const struct function *one = a, *other = b;
	int result = COMPARE(one->start, other->start);

	if (!result)
		result = COMPARE(other->rank, one->rank);
	return result ? result : strcmp(one->name, other->name);
}

/* Takes its name; one that finds no room is as unknown as one that the file does not have. */
static void add_alias(struct symbol_table *table, const struct function *alias,
		      const struct function *of)
{
	if (!strcmp(alias->name, of->name) || !array_reserve(table->aliases, table->nr_aliases))
		free((char *)(uintptr_t)alias->name);
	else
		table->aliases[table->nr_aliases++] = *alias;
}

static int compare_alias_names(const void *a, const void *b)
{
	const struct function *one = a, *other = b;
	int result = strcmp(one->name, other->name);

	return result ? result : COMPARE(one->start, other->start);
}

/* Keep only the first at each address; one without a size ends at the next. */
static void tidy(struct symbol_table *table)
{
	struct function *last = NULL, *function;
	size_t count = table->count, i;

	array_sort(table->functions, count, symbol_table_compare);
	table->count = 0;
	for (i = 0; i < count; i++) {
		function = &table->functions[i];
		if (last && function->start == last->start) {
			add_alias(table, function, last);
			continue;
		}
		if (last && last->rank < 64 && last->end > function->start)
			last->end = function->start;
		last = &table->functions[table->count++];
		*last = *function;
	}
	array_sort(table->aliases, table->nr_aliases, compare_alias_names);
}

static bool read_whole(struct symbol_table *table, Elf *elf)
{
	return read_section(table, elf, SHT_SYMTAB);
}

static bool read_dynamic(struct symbol_table *table, Elf *elf)
{
	bool good = read_whole(table, elf);

	if (good)
		return good;
	good = read_section(table, elf, SHT_DYNSYM);
	return read_debugdata(table, elf) || good;
}

static bool read_exported(struct symbol_table *table, Elf *elf)
{
	return read_section(table, elf, SHT_DYNSYM);
}

static bool symbol_table_read_by(struct symbol_table *table, int fd,
				 bool (*read)(struct symbol_table *table, Elf *elf))
{
	bool good = false;
	Elf *elf;

	*table = (struct symbol_table){};
	elf_version(EV_CURRENT);
	/* Read and not mapped, as in elf_file.c. */
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		good = read(table, elf);
	elf_end(elf);
	tidy(table);
	if (good && table->count)
		return true;
	symbol_table_free(table);
	return false;
}

bool symbol_table_read(struct symbol_table *table, int fd, bool dynamic)
{
	return symbol_table_read_by(table, fd, dynamic ? read_dynamic : read_whole);
}

bool symbol_table_read_exported(struct symbol_table *table, int fd)
{
	return symbol_table_read_by(table, fd, read_exported);
}

static int compare_start(const void *a, const void *b)
{
	const struct function *one = a, *other = b;

	return one->start <= other->start ? -1 : 1;
}

const struct function *symbol_table_find(const struct symbol_table *table, uint64_t address,
					 struct code_range *range)
{
	const struct function key = { .start = address };
	size_t i =
		array_lower_bound(&key, table->functions, table->count, sizeof(key), compare_start);
	size_t least = i > NESTED_MAX ? i - NESTED_MAX : 0;

	if (i < table->count)
		code_range_until(range, table->functions[i].start);
	if (i)
		code_range_from(range, table->functions[i - 1].start);
	while (i-- > least) {
		if (address < table->functions[i].end) {
			code_range_until(range, table->functions[i].end);
			return &table->functions[i];
		}
		code_range_from(range, table->functions[i].end);
	}
	return NULL;
}

static int compare_with_name(const void *a, const void *b)
{
	return strcmp(((const struct function *)a)->name, ((const struct function *)b)->name);
}

bool symbol_table_find_alias(const struct symbol_table *table, const char *name,
			     struct function *alias)
{
	const struct function key = { .name = name };
	const size_t i = array_lower_bound(&key, table->aliases, table->nr_aliases, sizeof(key),
					   compare_with_name);
	struct code_range unused = { 0, UINT64_MAX };
	const struct function *found;
	size_t next;

	if (i >= table->nr_aliases || compare_with_name(&table->aliases[i], &key) != 0)
		return false;
	/* Weak and strong ones of one name may be at one address. */
	for (next = i + 1; next < table->nr_aliases; next++) {
		if (compare_with_name(&table->aliases[next], &key) != 0)
			break;
		if (table->aliases[next].start != table->aliases[i].start)
			return false;
	}
	found = symbol_table_find(table, table->aliases[i].start, &unused);
	if (!found || found->start != table->aliases[i].start)
		return false;
	*alias = *found;
	alias->name = table->aliases[i].name;
	return true;
}

void symbol_table_free(struct symbol_table *table)
{
	size_t i;

	for (i = 0; i < table->nr_aliases; i++)
		free((char *)(uintptr_t)table->aliases[i].name);
	free(table->aliases);

	for (i = 0; i < table->count; i++)
		free((char *)(uintptr_t)table->functions[i].name);
	free(table->functions);
	*table = (struct symbol_table){};
}
