/* SPDX-License-Identifier: GPL-2.0 */
/* Lines: how a record looks, for people and in JSON. */
#ifndef TOOL_PRINT_H
#define TOOL_PRINT_H

#include <stdbool.h>

#include "common/output.h"
#include "libbuildid/libbuildid.h"
#include "perfdata/perfdata.h"

/* Longest identity as text, with the kind before it and a NUL. */
#define PRINT_ID_MAX 1024

struct print_clock {
	bool show;
	int64_t real; /* what CLOCK_REALTIME is ahead of CLOCK_MONOTONIC */
};

/* The path of the mapping itself, else its file's; "" when none is known. */
const char *print_path(const struct buildid_event *event);

/*
 * The identity as one word: hex digits of a GNU build-id, another kind's with
 * the kind and a colon before it, "(reason)" where there is none.
 */
const char *print_id(const struct buildid_file *file, char text[PRINT_ID_MAX]);
const char *print_cookie_id(const struct buildid_cookie *cookie, char text[PRINT_ID_MAX]);
/* Into a column of this line: print_id(); in text, the words of the file's flags. */
void print_put_id(struct output *out, const struct buildid_file *file);
void print_put_flags(struct output *out, const struct buildid_file *file);
/* As in /proc/PID/maps, into @text, which is returned. */
char *print_prot(const struct buildid_mmap *mmap, char text[static 5]);

/*
 * A mapping with its file, the kernel or a module, a cookie, a fork, exec or exit,
 * or a loss; nothing for other records.
 */
void print_event(struct output *out, const struct buildid_event *event,
		 const struct print_clock *clock);

/*
 * The kernel or a module by itself, as perf buildid-list has it. @name and
 * @path of its file may each be NULL in text, where not both are.
 */
void print_image(struct output *out, const struct buildid_image *image, const char *name,
		 const char *path);

/* A file by itself; @path replaces the record's unless it is NULL. */
void print_file(struct output *out, const struct buildid_file *file, const char *path);

/*
 * A content of a path in a perf.data, as perf buildid-list has it; @file is one with
 * that content, of which @dso has only a name, or NULL.
 */
void print_dso(struct output *out, const struct perfdata_dso *dso, const char *file);

#endif
