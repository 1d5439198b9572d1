/* SPDX-License-Identifier: GPL-2.0 */
/* Debug dir: what its two files share. */
#ifndef TOOL_DEBUG_DIR_INTERNAL_H
#define TOOL_DEBUG_DIR_INTERNAL_H

#include <limits.h>

#include "debug_dir.h"

#define LINKS ".build-id"
#define MARKS ".buildid"
/* As gdb and LLVM append it to the link of a build-id. */
#define DEBUG_SUFFIX ".debug"

struct debug_dir {
	int fd;
	char *path;
	int marks; /* the directory of marks, or -1 */
	int lock;
};

/* The entry that a link in @directory leads to, after @up; the caller frees it. */
char *debug_dir_read_entry(int directory, const char *link, const char *up,
			   const struct build_id *id);
/* Replaces an existing one. */
bool debug_dir_put_link(const struct debug_dir *dir, int directory, const char *name,
			const char *target);
/* A directory below it, in which no symbolic link is followed; -1 with errno. */
int debug_dir_open_below(const struct debug_dir *dir, const char *path, bool create);
bool debug_dir_has_part(const struct debug_dir *dir, const char *entry, enum content_part part);
/* The file of an entry for debuggers, "" if there is none. */
const char *debug_dir_debugger_file(const struct debug_dir *dir, const char *entry);
/* The links for @id, if they are as debug_dir_put() makes them for @entry. */
void debug_dir_remove_links(const struct debug_dir *dir, const struct build_id *id,
			    const char *entry);
/* Its files and directories, not the links to it. */
void debug_dir_remove_entry(const struct debug_dir *dir, const char *entry);

bool debug_dir_put_mark(const struct debug_dir *dir, const struct build_id *id, const char *entry);
void debug_dir_remove_mark(const struct debug_dir *dir, const struct build_id *id);
/* The entry that the mark of @id is for; the caller frees it. */
char *debug_dir_marked_entry(const struct debug_dir *dir, const struct build_id *id);

#endif
