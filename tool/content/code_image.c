// SPDX-License-Identifier: GPL-2.0
/*
 * Code image: by libelf, which checks what it returns.
 *
 * Calls to other files go through the PLT and slots of the GOT, which have no symbols: a slot
 * is called what its relocation names, and an entry of the PLT, which is a jump through a slot,
 * what that slot is.
 */

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "code_image.h"
#include "common/array.h"

struct code_section {
	uint64_t start, end, offset;
	const char *name;
	const unsigned char *bytes; /* NULL where the file has none */
	bool code;
};

struct code_label {
	uint64_t start, end;
	const char *name;
	int kind;
};

/* An entry of the PLT, and "jmp *slot(%rip)" in it. */
#define PLT_ENTRY 16
#define JUMP_SIZE 6

/* ----------------------------------------------------------------- sections -- */

static int compare_sections(const void *a, const void *b)
{
	const struct code_section *one = a, *other = b;

	return COMPARE(one->start, other->start);
}

static const unsigned char *bytes_of(Elf_Scn *section, const GElf_Shdr *header)
{
	const Elf_Data *data = header->sh_type == SHT_NOBITS ? NULL : elf_rawdata(section, NULL);

	return data && data->d_size >= header->sh_size ? data->d_buf : NULL;
}

static const char *add_section(struct code_image *image, Elf_Scn *section, const GElf_Shdr *header,
			       size_t names)
{
	const char *name = elf_strptr(image->elf, names, header->sh_name);

	if (!(header->sh_flags & SHF_ALLOC) || !header->sh_size ||
	    header->sh_size > UINT64_MAX - header->sh_addr)
		return NULL;
	if (!array_reserve(image->sections, image->nr_sections))
		return "out of memory";
	image->sections[image->nr_sections++] = (struct code_section){
		.start = header->sh_addr,
		.end = header->sh_addr + header->sh_size,
		.offset = header->sh_offset,
		.name = name ? name : "",
		.bytes = bytes_of(section, header),
		.code = header->sh_flags & SHF_EXECINSTR,
	};
	return NULL;
}

static const char *read_sections(struct code_image *image)
{
	const char *problem = NULL;
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	size_t names;

	if (elf_getshdrstrndx(image->elf, &names))
		return "has no sections";
	while (!problem && (section = elf_nextscn(image->elf, section)))
		if (gelf_getshdr(section, &header))
			problem = add_section(image, section, &header, names);
	array_sort(image->sections, image->nr_sections, compare_sections);
	return problem;
}

/* Of sections that overlap, as no linker makes them, the last one. */
static const struct code_section *section_at(const struct code_image *image, uint64_t address)
{
	size_t low = 0, high = image->nr_sections, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (image->sections[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < image->sections[low - 1].end ? &image->sections[low - 1] : NULL;
}

const unsigned char *code_image_bytes(const struct code_image *image, uint64_t start, uint64_t end)
{
	const struct code_section *section = section_at(image, start);

	if (!section || !section->bytes || end < start || end > section->end)
		return NULL;
	return section->bytes + (start - section->start);
}

uint64_t code_image_offset(const struct code_image *image, uint64_t address)
{
	const struct code_section *section = section_at(image, address);

	return section ? address - section->start + section->offset : 0;
}

uint64_t code_image_size(const struct code_image *image)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < image->nr_sections; i++)
		if (image->sections[i].code)
			sum += image->sections[i].end - image->sections[i].start;
	return sum;
}

/* ------------------------------------------------------------------- labels -- */

static int compare_labels(const void *a, const void *b)
{
	const struct code_label *one = a, *other = b;
	int result = COMPARE(one->start, other->start);

	if (!result)
		result = COMPARE(one->kind, other->kind);
	return result ? result : strcmp(one->name, other->name);
}

static bool add_label(struct code_image *image, uint64_t start, uint64_t size, const char *name,
		      int kind)
{
	if (!name || !*name || !size || size > UINT64_MAX - start)
		return true;
	if (!array_reserve(image->labels, image->nr_labels))
		return false;
	image->labels[image->nr_labels++] = (struct code_label){ start, start + size, name, kind };
	return true;
}

static bool add_objects(struct code_image *image, Elf *elf, Elf_Scn *section,
			const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Sym symbol;
	int i;

	for (i = 0; data && gelf_getsym(data, i, &symbol); i++)
		if (GELF_ST_TYPE(symbol.st_info) == STT_OBJECT && symbol.st_shndx != SHN_UNDEF &&
		    !add_label(image, symbol.st_value, symbol.st_size,
			       elf_strptr(elf, header->sh_link, symbol.st_name), CODE_PLACE_OBJECT))
			return false;
	return true;
}

/* Those of @type, which the tables of a separate debug file have, too. */
static bool read_objects(struct code_image *image, Elf *elf, uint32_t type)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == type &&
		    !add_objects(image, elf, section, &header))
			return false;
	return true;
}

static const char *name_of_symbol(Elf *elf, uint32_t table, uint64_t index)
{
	Elf_Scn *section = elf_getscn(elf, table);
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
	GElf_Shdr header;
	GElf_Sym symbol;

	if (!data || index > INT32_MAX || !gelf_getshdr(section, &header) ||
	    !gelf_getsym(data, (int)index, &symbol))
		return NULL;
	return elf_strptr(elf, header.sh_link, symbol.st_name);
}

static bool add_imports(struct code_image *image, Elf_Scn *section, const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Rela rela;
	int i;

	for (i = 0; data && gelf_getrela(data, i, &rela); i++)
		if (GELF_R_SYM(rela.r_info) &&
		    !add_label(image, rela.r_offset, sizeof(uint64_t),
			       name_of_symbol(image->elf, header->sh_link, GELF_R_SYM(rela.r_info)),
			       CODE_PLACE_IMPORT))
			return false;
	return true;
}

static bool read_imports(struct code_image *image)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;

	while ((section = elf_nextscn(image->elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_RELA &&
		    header.sh_flags & SHF_ALLOC && !add_imports(image, section, &header))
			return false;
	array_sort(image->labels, image->nr_labels, compare_labels);
	return true;
}

static const struct code_label *label_at(const struct code_image *image, size_t count,
					 uint64_t address)
{
	const struct code_label key = { .start = address, .kind = INT32_MAX };
	size_t low = array_lower_bound(&key, image->labels, count, sizeof(key), compare_labels);

	return low && address < image->labels[low - 1].end ? &image->labels[low - 1] : NULL;
}

/* What the entry at @start jumps through, among the first @count labels, or NULL. */
static const struct code_label *slot_of(const struct code_image *image, size_t count,
					const struct code_section *plt, uint64_t start)
{
	const unsigned char *entry = plt->bytes + (start - plt->start);
	const struct code_label *slot;
	int32_t distance;
	size_t i;

	for (i = 0; i + JUMP_SIZE <= PLT_ENTRY; i++) {
		if (entry[i] != 0xff || entry[i + 1] != 0x25)
			continue;
		memcpy(&distance, entry + i + 2, sizeof(distance));
		slot = label_at(image, count, start + i + JUMP_SIZE + (uint64_t)(int64_t)distance);
		if (slot && slot->kind == CODE_PLACE_IMPORT)
			return slot;
	}
	return NULL;
}

static bool read_trampolines(struct code_image *image)
{
	const struct code_section *plt;
	const struct code_label *slot;
	size_t count = image->nr_labels, i;
	uint64_t at;

	if (image->machine != EM_X86_64)
		return true;
	for (i = 0; i < image->nr_sections; i++) {
		plt = &image->sections[i];
		if (!plt->bytes || !plt->code || strncmp(plt->name, ".plt", 4) != 0)
			continue;
		for (at = plt->start; plt->end - at >= PLT_ENTRY; at += PLT_ENTRY) {
			slot = slot_of(image, count, plt, at);
			if (slot &&
			    !add_label(image, at, PLT_ENTRY, slot->name, CODE_PLACE_TRAMPOLINE))
				return false;
		}
	}
	array_sort(image->labels, image->nr_labels, compare_labels);
	return true;
}

bool code_image_place(const struct code_image *image, uint64_t address, struct code_place *place)
{
	struct code_range unused = { 0, UINT64_MAX };
	const struct function *function = symbol_table_find(&image->functions, address, &unused);
	const struct code_label *label = label_at(image, image->nr_labels, address);
	const struct code_section *section;

	*place = (struct code_place){ .kind = CODE_PLACE_SECTION };
	if (function) {
		place->kind = CODE_PLACE_FUNCTION;
		place->name = function->name;
		place->offset = address - function->start;
		return true;
	}
	if (label) {
		place->kind = label->kind;
		place->name = label->name;
		place->offset = address - label->start;
		return true;
	}
	section = section_at(image, address);
	if (section && !section->code)
		place->name = section->name;
	return place->name;
}

/* --------------------------------------------------------------------- open -- */

static bool has_symtab(int fd)
{
	struct symbol_table table;
	bool has = symbol_table_read(&table, fd, false);

	if (has)
		symbol_table_free(&table);
	return has;
}

bool code_image_names_all(int fd, int debug)
{
	return has_symtab(fd) || (debug >= 0 && has_symtab(debug));
}

static const char *code_image_read(struct code_image *image)
{
	const char *problem = read_sections(image);
	GElf_Ehdr header;

	if (problem)
		return problem;
	if (!gelf_getehdr(image->elf, &header))
		return "damaged: no ELF header";
	if (header.e_type != ET_EXEC && header.e_type != ET_DYN)
		return "not linked, so that no address in its code is known";
	image->machine = header.e_machine;
	image->fixed = header.e_type == ET_EXEC;
	if (read_objects(image, image->elf, SHT_SYMTAB) &&
	    read_objects(image, image->elf, SHT_DYNSYM) && read_imports(image) &&
	    read_trampolines(image))
		return NULL;
	return "out of memory";
}

static bool read_functions(struct code_image *image, int fd, int debug, bool exported)
{
	if (exported)
		return symbol_table_read_exported(&image->functions, fd);
	return symbol_table_read(&image->functions, fd, false) ||
	       (debug >= 0 && symbol_table_read(&image->functions, debug, false)) ||
	       symbol_table_read(&image->functions, fd, true);
}

static void code_image_close(struct code_image *image)
{
	symbol_table_free(&image->functions);
	free(image->sections);
	free(image->labels);
	elf_end(image->elf);
	*image = (struct code_image){};
}

const char *code_image_open(struct code_image *image, int fd, int debug, bool exported)
{
	const char *problem;

	*image = (struct code_image){};
	if (!read_functions(image, fd, debug, exported))
		return "no function in it has a name; install its debug symbols, or name a server "
		       "in DEBUGINFOD_URLS";
	elf_version(EV_CURRENT);
	image->elf = elf_begin(fd, ELF_C_READ, NULL);
	problem = image->elf ? code_image_read(image) : "not an ELF file";
	if (problem)
		code_image_close(image);
	return problem;
}
