/* SPDX-License-Identifier: GPL-2.0 */
/* Symbol table: the functions of one ELF file, by address. */
#ifndef TOOL_SYMBOL_TABLE_H
#define TOOL_SYMBOL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "code_range.h"

/* A function, as in the symbol table: addresses are the file's own. */
struct function {
	uint64_t start;
	uint64_t end;	   /* first address after it */
	const char *name;  /* belongs to the table */
	unsigned int rank; /* the highest of several at one address is shown */
};

struct symbol_table {
	struct function *functions; /* by start, each once */
	size_t count;
	struct function *aliases; /* what else these are called, by name */
	size_t nr_aliases;
};

/*
 * Fill @table from .symtab of the file at @fd, with @dynamic from .dynsym and .gnu_debugdata if it
 * has none. Everything in the file is checked. False if it has no functions, or without memory.
 */
bool symbol_table_read(struct symbol_table *table, int fd, bool dynamic);
/* From .dynsym alone. */
bool symbol_table_read_exported(struct symbol_table *table, int fd);
/* The function at @address, or NULL; @range is narrowed to where the answer holds. */
const struct function *symbol_table_find(const struct symbol_table *table, uint64_t address,
					 struct code_range *range);
/*
 * One that is also called @name, under that name, in *@alias. False if there is none, or several.
 */
bool symbol_table_find_alias(const struct symbol_table *table, const char *name,
			     struct function *alias);
void symbol_table_free(struct symbol_table *table);

#endif
