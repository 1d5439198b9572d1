/* SPDX-License-Identifier: GPL-2.0 */
/* Table: the contents that top shows, in what order, and as lines or JSON. */
#ifndef TOOL_TABLE_H
#define TOOL_TABLE_H

#include "commands/mapped_package.h"
#include "common/output.h"
#include "contents.h"

#define TABLE_FILTER_MAX 64

enum table_sort {
	TABLE_BY_PROCESSES,
	TABLE_BY_RATE,
	TABLE_BY_AGE, /* the youngest first */
	TABLE_BY_PATH,
	TABLE_SORTS,
};

extern const char *const table_sort_names[TABLE_SORTS];

/**
 * struct table - rows, and what they are made of
 * @contents: of which those with processes are shown, and new ones without
 * @packages: where packages are looked up; NULL for none
 * @sort: the order
 * @filter: a part of the path, identity or package; "" for all
 * @now: CLOCK_MONOTONIC
 * @rows: indexes of @contents, in the order they are shown
 * @count: of rows
 */
struct table {
	struct contents *contents;
	struct mapped_packages *packages;
	enum table_sort sort;
	char filter[TABLE_FILTER_MAX];
	uint64_t now;
	uint32_t *rows;
	size_t count;
};

/* False without memory. */
bool table_update(struct table *table);
void table_free(struct table *table);

/* Look up the package of content number @content; true where that was new. */
bool table_look_up(struct table *table, size_t content);

void table_print_header(struct output *out);
void table_print(struct output *out, const struct table *table, size_t content);

#endif
