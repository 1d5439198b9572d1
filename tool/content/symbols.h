/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Symbols: functions and source lines of one content, by offset in the file. Everything about the
 * function around a place is read at once, as other places in it will follow.
 *
 * Files are untrusted, and libelf, libdw and the demangler are not made for hostile files. So each
 * file is read by a separate process, which may open nothing, has limits on memory and time, and
 * has no rights even if the caller is root. If it dies, only the names of its own file are lost.
 */
#ifndef TOOL_SYMBOLS_H
#define TOOL_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbols;

/* A function that another one was inlined into. */
struct symbol_frame {
	const char *function; /* NULL when not known */
	const char *source; /* where it calls that: path of the source file, NULL when not known */
	uint32_t line;
};

struct symbol {
	const char *function; /* NULL when not known */
	/* From the start of the outermost function: the last of @into, if there are any. */
	uint64_t function_offset;
	const char *source; /* path of the source file, NULL when not known */
	uint32_t line;
	const struct symbol_frame *into; /* what it was inlined into, from inner to outer */
	size_t nr_into;
};

/*
 * For the ELF file at @fd; @debug is its separate debug file, or -1. Both belong to the caller, who
 * may close them. @raw: names are not demangled. NULL with errno.
 */
struct symbols *symbols_new(int fd, int debug, bool raw);
/*
 * False if nothing is known about @place, an offset or address of the file; else @symbol is valid
 * until the next call. A separate debug file alone has no offsets.
 */
bool symbols_find(struct symbols *symbols, uint64_t place, bool is_address, struct symbol *symbol);
/*
 * Whether the process that reads the file has ended, by its limits or because of the file, after
 * @answers answers. Then only what was read before is known.
 */
bool symbols_ended(const struct symbols *symbols, uint64_t *answers);
void symbols_free(struct symbols *symbols);

#endif
