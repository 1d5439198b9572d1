/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Locate: where a file with a given content is. Every candidate is opened, and counts only if
 * content_is() accepts the open file.
 */
#ifndef TOOL_LOCATE_H
#define TOOL_LOCATE_H

#include "content.h"

enum request_kind {
	REQUEST_FILE,
	REQUEST_KERNEL,
	REQUEST_MODULE,
	REQUEST_VDSO,
};

/* A content that a recording refers to. */
struct request {
	enum request_kind kind;
	struct build_id id;
	const char *path;     /* as it was mapped or named, see content_name.h */
	const uint32_t *pids; /* some processes that had it mapped */
	size_t nr_pids;
	bool at_once;  /* skip searches that may take seconds */
	bool ours;     /* only a file that nobody else may write to; no server is asked */
	bool doubtful; /* a module, and the id may be another's: the name has to match */
	bool any;      /* any process may answer, for a caller that shows which one did */
};

struct located_file {
	int fd;
	enum content_part part;
	char *path;	    /* what was opened; NULL if only we can open it */
	char *name;	    /* the name for debug_dir_put() */
	const char *source; /* "mapped", "path", "kernel", "debuginfod" ... */
};

struct buildid;
struct locator;

/* @servers: ask debuginfod, too. NULL only without memory. */
struct locator *locator_new(bool servers);
void locator_free(struct locator *locator);
/* Let it query @module, which the caller owns, about mapped files. */
void locator_ask(struct locator *locator, struct buildid *module);

/*
 * Tried in this order. A file: the path, the mappings of processes now, the path in the
 * root of the processes that had it, each if content_is_ours(); the same once more for
 * files of other users, but then only the mappings of processes that had it; debuginfod.
 * The kernel: /proc/kallsyms if it is the running one, its ELF file. A module: the path,
 * the file of the loaded module with that build-id or name, any of that name in
 * /lib/modules. The vdso: of this process, of those. False with @reason, which is about
 * the path itself if it exists.
 */
bool locate_request(struct locator *locator, const struct request *request,
		    struct located_file *file, struct reason *reason);
/*
 * A file by its own path only, here or in the root of a process that had it, even if others can
 * write to it.
 */
bool locate_at_path(struct locator *locator, const struct request *request,
		    struct located_file *file);
/* The running kernel's ELF file, or a loaded module's, if @id is theirs. */
bool locate_kernel(const struct build_id *id, struct located_file *file);
/*
 * If only @id is known: from .build-id in /usr/lib/debug and /usr/lib, else what any process has
 * mapped, each if content_is_ours(). Files known to the module need not be opened to see their ids,
 * and files of other users are not.
 */
bool locate_by_id(struct locator *locator, const struct build_id *id, struct located_file *file,
		  struct reason *reason);
/*
 * What any process has mapped of files that other users can write to, so that the id may be forged:
 * for use if no other place has it, and to be shown as such. The source is "mapped-other".
 */
bool locate_of_others(struct locator *locator, const struct build_id *id, struct located_file *file,
		      struct reason *reason);
/* From the servers only. */
bool locate_on_servers(struct locator *locator, const struct build_id *id,
		       struct located_file *file, struct reason *reason);
/* The separate debug file of @id: from /usr/lib/debug, with @servers from debuginfod. */
bool locate_debug(struct locator *locator, const struct build_id *id, bool servers,
		  struct located_file *file, struct reason *reason);
void located_file_free(struct located_file *file);

#endif
