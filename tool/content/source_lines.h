/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Source lines: where in a source file an address of an ELF file comes from. By libdw,
 * which is loaded when it is first needed.
 */
#ifndef TOOL_SOURCE_LINES_H
#define TOOL_SOURCE_LINES_H

#include <stdbool.h>
#include <stdint.h>

struct source_lines;

/* Load libdw, for good; false where it is not installed. */
bool source_lines_load(void);

/* Of the ELF file at @fd; NULL when it has no debug info. */
struct source_lines *source_lines_new(int fd);
/* The source file, valid until source_lines_free(), and @line; NULL when not known. */
const char *source_lines_find(struct source_lines *lines, uint64_t address, int *line);
void source_lines_free(struct source_lines *lines);

#endif
