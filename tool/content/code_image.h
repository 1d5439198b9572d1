/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Code image: the functions of one ELF file with their bytes, and what an address in it is
 * called, so that references in two files can be compared by name. For a process that may read
 * what anybody wrote; see file_reader.h.
 */
#ifndef TOOL_CODE_IMAGE_H
#define TOOL_CODE_IMAGE_H

#include "symbol_table.h"

struct code_section;
struct code_label;

struct code_image {
	struct symbol_table functions;
	uint16_t machine;
	bool fixed; /* linked for one address: references may be absolute */
	struct Elf *elf;
	struct code_section *sections; /* that are in memory, by address */
	size_t nr_sections;
	struct code_label *labels; /* what is no function of the file, by address */
	size_t nr_labels;
};

/* Where an address is. */
struct code_place {
	const char *name; /* of a function, an object, what is imported there; or of the section */
	uint64_t offset;  /* in that; 0 of a section */
	enum {
		CODE_PLACE_FUNCTION,
		CODE_PLACE_OBJECT,
		CODE_PLACE_IMPORT,     /* a slot for an address of another file */
		CODE_PLACE_TRAMPOLINE, /* an entry of the PLT that jumps there */
		CODE_PLACE_SECTION,
	} kind;
};

/*
 * Functions are those of .symtab of the file at @fd, else of its debug file at @debug, which may
 * be -1; with @exported, and where there are no others, those of .dynsym. NULL, or why not. What it
 * takes stays until the process ends.
 */
const char *code_image_open(struct code_image *image, int fd, int debug, bool exported);
/* Whether all functions have a name, as far as they ever had one, and not those exported only. */
bool code_image_names_all(int fd, int debug);

/* From @start up to @end; NULL where the file does not have all of it. */
const unsigned char *code_image_bytes(const struct code_image *image, uint64_t start, uint64_t end);
/* Where in the file @address is, whose bytes it has. */
uint64_t code_image_offset(const struct code_image *image, uint64_t address);
/* False when nothing is there. */
bool code_image_place(const struct code_image *image, uint64_t address, struct code_place *place);
/* Bytes of all sections of code. */
uint64_t code_image_size(const struct code_image *image);

#endif
