/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Locate: where a file with a given content is. Every candidate is opened and
 * taken only when content_is() says so of what is open.
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

/* A content that somebody used. */
struct request {
	enum request_kind kind;
	struct build_id id;
	const char *path;     /* as it was mapped, with or without " (deleted)" */
	const uint32_t *pids; /* some processes that had it mapped */
	size_t nr_pids;
	bool path_first; /* for who wants a path that will last */
	bool at_once;	 /* not by what may take seconds */
};

struct found {
	int fd;
	enum content_part part;
	char *path;	    /* what was opened; NULL when nothing else can open it */
	char *name;	    /* what debug_dir_put() is to call it */
	const char *source; /* "mapped", "path", "kernel", "debuginfod" ... */
};

struct locate;

/* @servers: ask debuginfod, too. NULL only without memory. */
struct locate *locate_new(bool servers);
void locate_free(struct locate *locate);

/*
 * Candidates, in this order. A file: mapped by a process now, the path in the root
 * of those that had it, the path, debuginfod. The kernel: /proc/kallsyms if it is
 * the running one, its ELF file. A module: the path, where the loaded module of
 * that build-id or name should be, any of that name in /lib/modules. The vdso: of this process, of those.
 * False with @reason, which is about the path itself where there is something.
 */
bool locate_find(struct locate *locate, const struct request *request, struct found *found,
		 struct reason *reason);
/* The running kernel's ELF file, or a loaded module's, when @id is theirs. */
bool locate_kernel(const struct build_id *id, struct found *found);
/* From the servers only. */
bool locate_on_servers(struct locate *locate, const struct build_id *id, struct found *found,
		       struct reason *reason);
/* The debug file of @id: from /usr/lib/debug, with @servers from debuginfod. */
bool locate_debug(struct locate *locate, const struct build_id *id, bool servers,
		  struct found *found, struct reason *reason);
void found_free(struct found *found);

#endif
