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

#include "code_range.h"

struct source_lines;

/* Load libdw, permanently; false if it is not installed. */
bool source_lines_load(void);

/* For the ELF file at @fd; NULL if it has no debug info. */
struct source_lines *source_lines_new(int fd);

/* Deeper than any compiler's inlining. */
#define SOURCE_FRAMES_MAX 256

/* A function; or an inlined function, with the place of its call in @into. */
struct source_scope {
	const char *function; /* linkage name, if it has one; NULL if unknown */
	const char *source;   /* path, NULL when not known */
	int line;
	uint32_t into; /* index of a scope before this one */
};

/* From @start on, up to the next one. */
struct source_row {
	uint64_t start;
	const char *source; /* path, NULL when not known */
	int line;
	uint32_t scope; /* index: the innermost inlined function */
};

struct source_part {
	/*
	 * By index; the first is not inlined: the symbol table has it, perhaps with a better name.
	 */
	struct source_scope *scopes;
	size_t nr_scopes;
	const struct source_row *rows; /* by start, the first being that of the range */
	size_t nr_rows;
	uint64_t function_start; /* of the first scope, 0 when not known */
};

/*
 * What is around @address: @range is narrowed to one function or less, and @part describes each
 * place in it. Valid until the next call, texts until source_lines_free(). False only without
 * memory.
 */
bool source_lines_find(struct source_lines *lines, uint64_t address, struct code_range *range,
		       struct source_part *part);
void source_lines_free(struct source_lines *lines);

#endif
