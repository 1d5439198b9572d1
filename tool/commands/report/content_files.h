/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Content files: the file of a content, and its debug file, wherever they are: at the path, in a
 * process, in ~/.debug, in /usr/lib/debug, on servers; each only if its own build-id is the one.
 */
#ifndef TOOL_CONTENT_FILES_H
#define TOOL_CONTENT_FILES_H

#include "content/debug_dir.h"
#include "content/locate.h"

struct content_files {
	struct debug_dir *dir; /* NULL when there is none */
	struct locator *here, *there;
	bool no_servers;
};

/* A content: @id, unless its size is 0, and where it may be. */
struct content_request {
	struct build_id id;
	const char *path; /* or NULL */
	bool vdso;
	bool the_file; /* the one at @path, which the user named, whatever it is */
};

struct content_file {
	int fd, debug; /* or -1 */
	const char *source;
	char path[4096]; /* of what was opened, "" where it has none */
};

/* @directory in place of ~/.debug, unless it is NULL. False only without memory. */
bool content_files_open(struct content_files *files, const char *directory, bool no_servers);
void content_files_close(struct content_files *files);
/* With @debug the debug file, too, of what has no symbol table. False with @reason. */
bool content_files_find(struct content_files *files, const struct content_request *request,
			bool debug, struct content_file *file, struct reason *reason);
void content_file_close(struct content_file *file);

#endif
