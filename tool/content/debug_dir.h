/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Debug dir: perf's build-id cache, ~/.debug, in perf's layout:
 *
 *	.build-id/ab/cdef... -> ../../usr/bin/ls/abcdef...
 *	.build-id/ab/cdef....debug -> ../../usr/bin/ls/abcdef.../debug, or else elf, or vdso
 *	usr/bin/ls/abcdef.../elf, debug, probes
 *	[kernel.kallsyms]/abcdef.../kallsyms, elf
 *	[vdso]/abcdef.../vdso, probes
 *	.buildid/abcdef... -> ../usr/bin/ls/abcdef...
 *
 * A file exists under its name only when it is complete. The symbolic link comes last, as perf
 * finds an entry only by it. The one with .debug is for gdb, LLVM and others that look for symbols
 * by build-id; perf ignores it. Files are hard links to the original where that is possible and
 * nobody else can write to it, else copies.
 *
 * What one process stores for weeks is marked in .buildid, which nobody else looks into: it
 * may remove that, and nothing else. The mark's time is that of the last use.
 */
#ifndef TOOL_DEBUG_DIR_H
#define TOOL_DEBUG_DIR_H

#include <stdint.h>

#include "content.h"

#define DEBUG_DIR_KERNEL "[kernel.kallsyms]"
#define DEBUG_DIR_VDSO	 "[vdso]"

struct debug_dir;

/* A file to be stored. */
struct debug_item {
	const struct build_id *id;
	const char *name; /* the path, or one of the names in brackets */
	enum content_part part;
	int fd;	       /* open for reading, at any position */
	bool may_link; /* else always a copy */
	bool stay;     /* an entry of that build-id keeps its name */
	uint64_t most; /* bytes outside of holes, for a copy; 0: as many as there are */
};

/* @path NULL is ~/.debug; with @create it is created if missing. NULL with @reason. */
struct debug_dir *debug_dir_open(const char *path, bool create, struct reason *reason);
void debug_dir_close(struct debug_dir *dir);
const char *debug_dir_path(const struct debug_dir *dir);
/* The directory itself, as of open(2). */
int debug_dir_fd(const struct debug_dir *dir);

/*
 * Whether @name is valid for an entry: an absolute path without "." and "..", not
 * below .build-id or a file of another entry, or one word in brackets.
 */
bool debug_dir_is_name(const char *name);

/*
 * The directory of the entry that the link for @id leads to, "usr/bin/ls/abcd...",
 * if it is one of the layout above. To be freed; NULL when there is none.
 */
char *debug_dir_entry(const struct debug_dir *dir, const struct build_id *id);

/*
 * Open @part of an entry if content_is() says that it still is that: a hard link may
 * have been overwritten in place. -1 when there is none.
 */
int debug_dir_find(const struct debug_dir *dir, const struct build_id *id, enum content_part part);

/* Replace @part, open as @fd, by a copy of it. */
bool debug_dir_copy(struct debug_dir *dir, const struct build_id *id, enum content_part part,
		    int fd);
/* Make the link for debuggers where it is missing or leads nowhere. */
bool debug_dir_link(const struct debug_dir *dir, const struct build_id *id);

/*
 * Store a file, after content_is() has checked it, or its copy. A debug file goes to
 * the entry that exists. False with @reason; nothing is left then.
 */
bool debug_dir_put(struct debug_dir *dir, const struct debug_item *item, struct reason *reason);

/*
 * Give an entry a further name, for readers who look for a file by the name that is in a recording
 * and its build-id, as hotspot does. Not for the process that marks: the entry stays from then on,
 * as with debug_dir_adopt(). False if that cannot be, or without an entry; true if it has that name
 * already.
 */
bool debug_dir_name(const struct debug_dir *dir, const struct build_id *id, const char *name);

/* ----------------------------------------------------------------- marks -- */

/*
 * Become the only process that marks; false with @reason, e.g. if another process is. From then on
 * what debug_dir_put() stores is marked, unless there was an entry without a mark.
 */
bool debug_dir_lock(struct debug_dir *dir, struct reason *reason);

/* An entry with a mark. */
struct debug_mark {
	struct build_id id;
	uint64_t bytes; /* that it takes of the disk, see debug_dir_cost() */
	int64_t used;	/* seconds since the epoch */
	bool module;	/* by its path, a kernel module's */
};

/* Returns whether to go on. */
typedef bool debug_dir_show(void *to, const struct debug_mark *mark);

/*
 * All entries with a mark. What a killed process left half done is removed. False when the
 * marks cannot be read, or @show returned it.
 */
bool debug_dir_read_marks(struct debug_dir *dir, debug_dir_show *show, void *to);
/* Of one entry; false when it has no mark. */
bool debug_dir_marked(const struct debug_dir *dir, const struct build_id *id,
		      struct debug_mark *mark);
/*
 * Keep it, as a user has asked for it: its mark is removed. Not for the process that marks.
 * debug_dir_put() does so, too.
 */
void debug_dir_adopt(const struct debug_dir *dir, const struct build_id *id);
/* Record that it was used now. */
void debug_dir_touch(struct debug_dir *dir, const struct build_id *id);
/* Remove an entry with its links and its mark; false when it has none. */
bool debug_dir_remove(struct debug_dir *dir, const struct build_id *id);
/*
 * What an entry takes of the disk that has @bytes in its files: with its directories, as if all
 * were its own, and 16 kB at least for each inode, of which filesystems have one for so many
 * bytes.
 */
uint64_t debug_dir_cost(const char *name, uint64_t bytes);
/* Whether the disk has so much room for us; true also when that is not known. */
bool debug_dir_has_room(const struct debug_dir *dir, uint64_t bytes);

#endif
