/* SPDX-License-Identifier: GPL-2.0 */
/*
 * ELF files: a file's own build-id, whether the file is complete, and its layout.
 * Files are untrusted, so what libelf reads is bounded.
 */
#ifndef TOOL_ELF_FILE_H
#define TOOL_ELF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/build_id.h"

struct elf_info {
	uint16_t kind;	       /* BUILDID_KIND_NONE, _GNU or _GO */
	uint16_t reason;       /* enum buildid_reason, as far as libelf can say */
	struct build_id id;    /* of that kind */
	uint64_t id_offset;    /* of its bytes in the file, or in what was decompressed */
	bool compressed;       /* the other fields describe the decompressed file */
	const char *problem;   /* or why it cannot be decompressed; valid until the next call */
	bool truncated;	       /* what the loader maps, or sections, are missing */
	bool sections_missing; /* only sections are missing, as in a debug file */
	bool symbols;	       /* has a symbol table, not only a dynamic one */
};

/*
 * Read only the identity of the file at @fd, whose position is undefined afterwards. The
 * same notes count as for the module: GNU's, from a segment, else from a section;
 * else Go's in the same order.
 */
void elf_file_id(int fd, struct elf_info *info);
/* All of @info, even for a file compressed like kernel modules. */
void elf_file_info(int fd, struct elf_info *info);
/* The GNU build-id, in the same way; false if it has none. */
bool elf_file_build_id(int fd, struct build_id *id);
/* The same without a file, from notes as the kernel shows them in /sys. */
bool elf_notes_build_id(const void *notes, size_t size, struct build_id *id);
/* Whether the @size bytes at @offset are those of a section of code. */
bool elf_file_has_code(int fd, uint64_t offset, uint64_t size);

/* Whether two files have the same segments of code, at the same places and with the same bytes. */
bool elf_file_same_code(int one, int other);

/*
 * Each package note of the file at @fd (owner FDO, type 0xcafe1a7e), from its segments, else from
 * its sections. False if the file could not be read.
 */
bool elf_file_package_notes(int fd, void (*found)(void *data, const char *text, size_t size),
			    void *data);

/* Where a file is to be mapped. */
struct elf_layout {
	uint64_t start;	      /* address of the byte at the offset asked for */
	uint64_t first, last; /* offsets around it with the same distance in memory */
	uint64_t id;	      /* address of the identity's bytes */
	bool debug_info;      /* the file itself has it */
};

/*
 * The layout of the ELF file at @fd for the bytes at @offset and @id_offset. False
 * when it is not an ELF file, or no segment has them.
 */
bool elf_file_layout(int fd, uint64_t offset, uint64_t id_offset, struct elf_layout *layout);

/* The most segments that share a page. */
#define ELF_OFFSETS_MAX 8

/*
 * Where in the ELF file at @fd the byte may be that is mapped @distance (modulo 2^64) after the
 * byte at @offset, which two segments may both have. Returns how many.
 */
size_t elf_file_offsets(int fd, uint64_t offset, uint64_t distance,
			uint64_t found[ELF_OFFSETS_MAX]);

#endif
