/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Content: whether a file is what a build-id names. Paths, names and servers prove nothing: only
 * the file itself does.
 */
#ifndef TOOL_CONTENT_H
#define TOOL_CONTENT_H

#include <stdbool.h>
#include <sys/stat.h>

#include "common/build_id.h"
#include "common/reason.h"

/* The files that perf stores for one build-id, named as content_part_name() says. */
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
 * Whether the file at @fd is @part of what @id names, and complete; else false with
 * @reason. Of kallsyms only the format is checked, as it has no build-id.
 */
bool content_is(int fd, const struct build_id *id, enum content_part part, struct reason *reason);

enum content_likeness {
	CONTENT_EQUAL,	   /* or unknown, as one cannot be read */
	CONTENT_SAME_CODE, /* as after strip(1): symbols of the one are right for the other */
	CONTENT_DIFFERENT,
};

/* Compare two uncompressed files with the same build-id, as an id proves nothing. */
enum content_likeness content_compare(int one, int other);

/*
 * Tells who may have written the content of an open file. A build-id is not a signature: another
 * user's file may have the id of one of ours and any content.
 */
enum content_owner {
	CONTENT_OURS,	/* this user or root */
	CONTENT_COPIED, /* another user, before the copy: to be replaced by a file of ours */
	CONTENT_OTHERS, /* another user, at any time */
};

/* The mode bit of a copy of another user's file; the kernel does not look at it. */
#define CONTENT_COPY S_ISVTX

enum content_owner content_owner(int fd);
/* CONTENT_OURS. */
bool content_is_ours(int fd);

#endif
