/* SPDX-License-Identifier: GPL-2.0 */
/* Stale page: by process and by path what runs an old content, and which one is there now. */
#ifndef TOOL_STALE_PAGE_H
#define TOOL_STALE_PAGE_H

#include "stale_scan.h"

struct output;
struct stale_page;

/* NULL without memory. @max: STALE_PAGE_MAX, a limit for processes and for their files. */
struct stale_page *stale_page_new(size_t max);
void stale_page_free(struct stale_page *page);

#define STALE_PAGE_MAX 262144

/* @tail: what is known of packages, or NULL; @note: what is to be said besides, or NULL. */
void stale_page_add(struct stale_page *page, const struct stale *stale, const char *tail,
		    const char *note);
/*
 * Into the file at @path. @failed: something was not looked at because of an error, which was
 * printed. False after an error was printed.
 */
bool stale_page_write(struct stale_page *page, const struct stale_scan *scan, bool failed,
		      const char *path, struct output *out);

#endif
