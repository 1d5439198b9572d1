/* SPDX-License-Identifier: GPL-2.0 */
/* ELF notes: a file's own build-id as libelf reads it. */
#ifndef TOOL_ELF_NOTES_H
#define TOOL_ELF_NOTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buildid.h"

struct elf_id {
	uint16_t kind;	 /* BUILDID_KIND_NONE, _GNU or _GO */
	uint16_t reason; /* enum buildid_reason, as far as libelf can say */
	size_t size;
	uint64_t offset; /* of the bytes in the file */
	uint8_t bytes[BUILDID_ID_MAX];
};

/*
 * Read the build-id of what is open at @fd, whose position is left anywhere.
 * The same notes count as for the module: GNU's, from a segment, else from a
 * section; else Go's in the same order. Always fills @id.
 */
void elf_notes_read(int fd, struct elf_id *id);

/* What else there is to know of a file before it is taken for a content. */
struct elf_info {
	struct elf_id id;
	bool compressed;     /* the facts are of what is inside */
	const char *problem; /* else why it cannot be had; until the next call */
	bool cut_short;	     /* what the loader maps, or sections, are missing */
	bool sections_cut;   /* likewise, but sections only, as of a debug file */
	bool symbols;	     /* has a symbol table, not only a dynamic one */
};

/*
 * As elf_notes_read(), and also into a file that is compressed as kernel modules
 * are (gzip, xz, zstd). Always fills @info; the identity's offset is then that in
 * what was unpacked.
 */
void elf_notes_look(int fd, struct elf_info *info);
/* The same without a file: notes as the kernel has them in /sys. */
bool elf_notes_parse(const void *notes, size_t size, struct elf_id *id);
/* The same for an image in memory, which stays the caller's. */
void elf_notes_look_memory(void *image, size_t size, struct elf_info *info);

/* Where a file wants to be in memory. */
struct elf_layout {
	uint64_t start;	 /* address of the byte at an offset asked for */
	uint64_t id;	 /* address of the identity's bytes */
	bool debug_info; /* is in the file itself */
};

/*
 * Of what is open at @fd, with the byte at @offset mapped, where the identity is
 * at @id_offset; false when it is no ELF file, or its segments do not say.
 */
bool elf_notes_layout(int fd, uint64_t offset, uint64_t id_offset, struct elf_layout *layout);

#endif
