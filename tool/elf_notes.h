/* SPDX-License-Identifier: GPL-2.0 */
/* ELF notes: a file's own build-id as libelf reads it. */
#ifndef TOOL_ELF_NOTES_H
#define TOOL_ELF_NOTES_H

#include <stddef.h>
#include <stdint.h>

#include "buildid.h"

struct elf_id {
	uint16_t kind;		/* BUILDID_KIND_NONE, _GNU or _GO */
	uint16_t reason;	/* enum buildid_reason, as far as libelf can say */
	size_t size;
	uint8_t bytes[BUILDID_ID_MAX];
};

/*
 * Read the build-id of what is open at @fd, whose position is left anywhere.
 * The same notes count as for the module: GNU's, from a segment, else from a
 * section; else Go's in the same order. Always fills @id.
 */
void elf_notes_read(int fd, struct elf_id *id);

#endif
