/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Symbols: functions and source lines of one content, by offset in the file. All that is known
 * of the function around a place is read at once, as others in it will be asked for.
 *
 * Files are anybody's, and libelf, libdw and the demangler are not made for files that
 * mean harm. So each file is read by a process of its own, which may open nothing, has
 * limits on memory and time, and, where the caller is root, no rights. One that dies
 * costs the names of its own file.
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
	/* From the start of the function that is not inlined: the last of @into, if there are. */
	uint64_t function_offset;
	const char *source; /* path of the source file, NULL when not known */
	uint32_t line;
	const struct symbol_frame *into; /* what it was inlined into, from inner to outer */
	size_t nr_into;
};

/*
 * Of the ELF file at @fd; @debug is its separate debug file, or -1. Both are the
 * caller's, and may be closed. @raw: names as they are in the file, not demangled. NULL
 * with errno.
 */
struct symbols *symbols_new(int fd, int debug, bool raw);
/*
 * False when nothing is known of @place, an offset in the file or an address as the file has it;
 * else @symbol, which is valid until the next call. A separate debug file by itself has no offsets.
 */
bool symbols_find(struct symbols *symbols, uint64_t place, bool is_address, struct symbol *symbol);
/*
 * Whether the process that reads the file has ended, by its limits or by the file's
 * doing, after so many @answers. Then only what is around what was asked before is known.
 */
bool symbols_ended(const struct symbols *symbols, uint64_t *answers);
void symbols_free(struct symbols *symbols);

#endif
