/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Symbol files: the symbols of contents, by build-id. Each content is searched for wherever it may
 * be, at most every half minute until it is found, and counts only if its own build-id is the
 * requested one; without a build-id, only the very same file counts.
 */
#ifndef TOOL_SYMBOL_FILES_H
#define TOOL_SYMBOL_FILES_H

#include "common/build_id.h"
#include "common/reason.h"
#include "elf_member.h"
#include "file_version.h"
#include "symbols.h"

struct symbol_files;

struct symbol_files_options {
	const char *directory;	/* used instead of ~/.debug, or NULL */
	bool no_servers;	/* do not ask debuginfod */
	bool raw;		/* do not demangle names */
	struct buildid *module; /* to be asked what is mapped, or NULL */
};

/* Where the content was seen. */
struct symbol_place {
	struct build_id id;	     /* of size 0 for none */
	struct file_version version; /* for a content without a build-id */
	const char *path;	     /* "" when only the content is known */
	bool vdso;
	uint32_t pid;
	uint64_t addr; /* in that process if it has not exited, else 0 */
	uint64_t offset;
	bool is_elf_address; /* @offset is an address in the file's address space */
	/* Of a content within the file: @offset and @id are its own, @version is the file's. */
	struct embedded_elf inside;
};

/* NULL only without memory. */
struct symbol_files *symbol_files_new(const struct symbol_files_options *options);
void symbol_files_free(struct symbol_files *files);

/*
 * The ELF file within the one at @place, which has no id itself, around the offset. False if there
 * is none, or the file was not found. The caller frees the name.
 */
bool symbol_files_look_inside(struct symbol_files *files, const struct symbol_place *place,
			      struct elf_member *member);

/*
 * The symbol at @place, valid until the next call, and in @source where the file was found:
 * "mapped", "path", "kept", "debug", "debuginfod" ... False with @reason, and @source NULL when
 * there is no file.
 */
bool symbol_files_find(struct symbol_files *files, const struct symbol_place *place,
		       struct symbol *symbol, const char **source, struct reason *reason);

#endif
