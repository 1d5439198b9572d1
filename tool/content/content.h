/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Content: whether a file is what a build-id names. Paths, names and servers
 * say nothing here: only what is in the file does.
 */
#ifndef TOOL_CONTENT_H
#define TOOL_CONTENT_H

#include <stdbool.h>

#include "common/build_id.h"
#include "common/reason.h"

/* What of a content a file holds; named in ~/.debug as in content_part_name(). */
enum content_part {
	CONTENT_ELF,
	CONTENT_DEBUG, /* sections for a debugger, without the rest */
	CONTENT_VDSO,
	CONTENT_KALLSYMS, /* a kernel's symbols, as text */
	CONTENT_PARTS,
};

/* "elf", "debug", "vdso", "kallsyms". */
const char *content_part_name(enum content_part part);

/*
 * Whether the file at @fd holds @part of what @id names, all of it. For kallsyms
 * only whether it looks like it, as nothing in it says of which kernel it is.
 */
bool content_is(int fd, const struct build_id *id, enum content_part part, struct reason *reason);

#endif
