/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Page: one HTML file that loads nothing and sends nothing, with a search, for all commands that
 * write one: a head, sections, and what is missing in it.
 */
#ifndef TOOL_PAGE_H
#define TOOL_PAGE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/output.h"

/* The last one is all zeros. */
struct page_section {
	const char *id, *heading;
	const char *about;		     /* or NULL */
	bool (*put)(FILE *file, void *data); /* false without memory */
};

struct page {
	const char *title;
	void (*summary)(FILE *file, void *data);
	const char *search; /* what one may look for */
	const struct page_section *sections;
	void *data; /* of the functions */
};

/* A file of ours at @path, see open_own(). NULL after the error was printed. */
FILE *page_open(const char *path, struct output *out);
/* Into @file of page_open(), which is closed. False after the error was printed. */
bool page_finish(const struct page *page, FILE *file, const char *path, struct output *out);
/* Both. */
bool page_write(const struct page *page, const char *path, struct output *out);
/* The same for a file of another kind, which begins with @magic. */
bool page_file_write(const char *path, const char *magic, bool (*put)(FILE *file, void *data),
		     void *data, struct output *out);

/* An item of a list of what the page does not have; nothing for none. */
void page_loss(FILE *file, uint64_t count, const char *what);
/* A moment, nanoseconds since the epoch, as RFC 3339 in UTC. */
void page_moment(FILE *file, int64_t ns);

#endif
