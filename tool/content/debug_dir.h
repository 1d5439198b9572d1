/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Debug dir: the directory that perf takes contents from, as perf lays it out:
 *
 *	.build-id/ab/cdef... -> ../../usr/bin/ls/abcdef...
 *	usr/bin/ls/abcdef.../elf, debug, probes
 *	[kernel.kallsyms]/abcdef.../kallsyms, elf
 *	[vdso]/abcdef.../vdso, probes
 *
 * A file is complete under its name, or not there. The link comes last: without
 * it perf sees nothing of an entry. Files are links to the file that was given
 * where that can be, else copies.
 */
#ifndef TOOL_DEBUG_DIR_H
#define TOOL_DEBUG_DIR_H

#include "content.h"

#define DEBUG_DIR_KERNEL "[kernel.kallsyms]"
#define DEBUG_DIR_VDSO	 "[vdso]"

struct debug_dir;

/* What is put. */
struct debug_item {
	const struct build_id *id;
	const char *name; /* the path, or one of the names in brackets */
	enum content_part part;
	int fd;	       /* open for reading, the position matters not */
	bool may_link; /* else always a copy */
};

/* @path NULL is ~/.debug; with @create it is made if need be. NULL with @reason. */
struct debug_dir *debug_dir_open(const char *path, bool create, struct reason *reason);
void debug_dir_close(struct debug_dir *dir);
const char *debug_dir_path(const struct debug_dir *dir);
/* The directory itself, as of open(2). */
int debug_dir_fd(const struct debug_dir *dir);

/*
 * Whether @name can be that of an entry: an absolute path without "." and "..",
 * not below .build-id, or one word in brackets.
 */
bool debug_dir_is_name(const char *name);

/*
 * The directory of the entry that the link for @id leads to, "usr/bin/ls/abcd...",
 * when that is of the shape above. Free it; NULL when there is none.
 */
char *debug_dir_entry(const struct debug_dir *dir, const struct build_id *id);

/*
 * Open @part of an entry after it was checked by content_is(), so that a hard link
 * that was overwritten in place counts as missing. -1 when there is none.
 */
int debug_dir_find(const struct debug_dir *dir, const struct build_id *id, enum content_part part);

/*
 * Put a file in. It, or its copy, is checked by content_is() first. A debug file
 * goes to the entry that is there. False with @reason; nothing is left then.
 */
bool debug_dir_put(struct debug_dir *dir, const struct debug_item *item, struct reason *reason);

#endif
