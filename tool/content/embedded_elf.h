/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Embedded ELF: an ELF file in another file, and mapped directly from it: a library in an APK or
 * another zip, uncompressed and page-aligned.
 */
#ifndef TOOL_EMBEDDED_ELF_H
#define TOOL_EMBEDDED_ELF_H

#include <stdbool.h>
#include <stdint.h>

#include "common/reason.h"

struct embedded_elf {
	uint64_t first, last; /* offsets in the file for which the answer is the same */
	uint64_t start;	      /* of the ELF file */
	uint64_t size;	      /* as far as it has segments and sections */
	char *name;	      /* of the member of a zip, else NULL; the caller frees it */
};

/*
 * The ELF file with the segment that has the byte at @offset in the file at @fd. False if there is
 * none, or the file itself is one. @budget is the number of reads left, and decremented: the file
 * may be made to take long. Does not use libelf.
 */
bool embedded_elf_find(int fd, uint64_t offset, unsigned int *budget, struct embedded_elf *found);

/* The one that begins at @start, which may be 0; without a name. */
bool embedded_elf_at(int fd, uint64_t start, unsigned int *budget, struct embedded_elf *found);

/* A copy as a separate file in memory: a descriptor, or -1 with @reason. */
int embedded_elf_copy(int fd, uint64_t start, uint64_t size, struct reason *reason);

#endif
