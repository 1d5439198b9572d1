/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Symbol files: the symbols of contents, by build-id. Each content is looked for
 * wherever it may be, at most every half minute until it is found, and counts only when
 * its own build-id is the one asked for; one without a build-id when it is the very file.
 */
#ifndef TOOL_SYMBOL_FILES_H
#define TOOL_SYMBOL_FILES_H

#include "common/build_id.h"
#include "common/reason.h"
#include "file_version.h"
#include "symbols.h"

struct symbol_files;

struct symbol_files_options {
	const char *directory; /* in place of ~/.debug, or NULL */
	bool no_servers;       /* do not ask debuginfod */
	bool raw;	       /* names as they are in the file */
};

/* Where the content was seen. */
struct symbol_place {
	struct build_id id;	     /* of size 0 for none */
	struct file_version version; /* of a content without */
	const char *path;	     /* "" when only the content is known */
	bool vdso;
	uint32_t pid;
	uint64_t addr; /* in that process if it has not exited, else 0 */
	uint64_t offset;
	bool is_elf_address; /* @offset is none, but an address as the file has it */
};

/* NULL only without memory. */
struct symbol_files *symbol_files_new(const struct symbol_files_options *options);
void symbol_files_free(struct symbol_files *files);

/*
 * The symbol at @place, to be freed, and in @source where the file was found: "mapped",
 * "path", "kept", "debug", "debuginfod" ... False with @reason, and @source NULL when there is no
 * file.
 */
bool symbol_files_find(struct symbol_files *files, const struct symbol_place *place,
		       struct symbol *symbol, const char **source, struct reason *reason);

#endif
