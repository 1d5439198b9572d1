/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Source lines: where in the source an address of an ELF file comes from, with the functions
 * that were inlined there. By libdw, which is loaded when it is first needed.
 */
#ifndef TOOL_SOURCE_LINES_H
#define TOOL_SOURCE_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct source_lines;

/* Load libdw, for good; false where it is not installed. */
bool source_lines_load(void);

/* Of the ELF file at @fd; NULL when it has no debug info. */
struct source_lines *source_lines_new(int fd);

/* Deeper than any compiler's inlining. */
#define SOURCE_FRAMES_MAX 256

/* A function, and where in the source it is: at the address, or where it calls the inner one. */
struct source_frame {
	const char *function; /* as the linker names it, if it does; NULL when not known */
	uint64_t start;	      /* of the outermost function, 0 when not known */
	const char *source;   /* path, NULL when not known */
	int line;
};

/*
 * What is at @address: the function that was inlined last, what that was inlined into, and so
 * on. How many, 0 for nothing known; texts are valid until source_lines_free(). The last is no
 * inlined function: the symbol table has it, too, maybe by a better name.
 */
size_t source_lines_find(struct source_lines *lines, uint64_t address,
			 struct source_frame frames[SOURCE_FRAMES_MAX]);
void source_lines_free(struct source_lines *lines);

#endif
