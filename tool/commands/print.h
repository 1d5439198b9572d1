/* SPDX-License-Identifier: GPL-2.0 */
/* Print: how a record looks, for people and in JSON; the same in every command. */
#ifndef TOOL_PRINT_H
#define TOOL_PRINT_H

#include <stdbool.h>

#include "common/build_id.h"
#include "common/output.h"
#include "content/elf_member.h"
#include "content/package.h"
#include "layout.h"
#include "libbuildid/libbuildid.h"
#include "perfdata/perfdata.h"

/* Longest identity as text, with the kind before it and a NUL. */
#define PRINT_ID_MAX 1024

/**
 * struct print_view - how mon shows its lines
 * @layout: the columns
 * @real: CLOCK_REALTIME less CLOCK_MONOTONIC, nanoseconds
 * @note: what is to be said of it besides, or NULL
 * @news: with the layout's column for it, NEWS_* of this line
 * @former: the identity before, or NULL
 * @packages: which package the file is of, or NULL where that is not asked for
 * @member: what is mapped from within the file, or NULL
 */
struct print_view {
	struct layout layout;
	int64_t real;
	unsigned int news;
	const char *note;
	const struct identity *former;
	const struct packages *packages;
	const struct elf_member *member;
};

/* That of its file; "" when none is known. */
const char *print_path(const struct buildid_event *event);

/* That of the record of a file, a kernel image or a cookie. */
struct identity print_identity_of(const void *record);

/*
 * An identity as one word: hex digits of a GNU build-id, those of another kind after
 * the kind and a colon, "(reason)" where there is none.
 */
const char *print_identity(const struct identity *identity, char text[PRINT_ID_MAX]);
/* As a column: of lines that fit a terminal the beginning, as in git, with the kind. */
void print_put_identity(struct output *out, int width, const struct identity *identity);
/* print_identity() of print_identity_of(); "(unresolved)" for NULL. */
const char *print_id(const void *record, char text[PRINT_ID_MAX]);
/* print_id() as a column. */
void print_put_id(struct output *out, int width, const void *record);
/*
 * In text: @path, or NULL if it is there already, in what is left of the line beside the file's
 * flags, a word each, and @tail behind it, unless that is NULL.
 */
void print_put_mapped(struct output *out, const char *path, const struct buildid_file *file,
		      const char *tail);
/*
 * A path, or "": in JSON "path", and "path_bytes" where it is no UTF-8; in text what is left of
 * the line beside "(@note)" and then @tail, each unless it is NULL.
 */
void print_put_path(struct output *out, const char *path, const char *note, const char *tail);
/* What an equal identity was no proof of. */
#define PRINT_SAME_ID "same id, other content"
/* Which version of which file, in JSON: inode, times, size, file_id. */
void print_version(struct output *out, const struct buildid_file *file);
/* As in /proc/PID/maps, into @text, which is returned. */
char *print_prot(const struct buildid_mmap *mmap, char text[static 5]);

/*
 * The line of a mapping with its file, of the kernel or a module, a cookie, a fork, exec
 * or exit, or a loss; nothing for other records. Without @view there is no time of day.
 */
void print_event(struct output *out, const struct buildid_event *event,
		 const struct print_view *view);
/*
 * An ELF file within the file at @path: in text as a column its identity, then "PATH!NAME"; in JSON
 * keys that begin with member.
 */
void print_member(struct output *out, const char *path, const struct elf_member *member);
/* The names of the columns, a line of text. */
void print_header(struct output *out, const struct print_view *view);

/* "lost 12 records, 8 of mappings (ring full), 3 identities (unresolved)" */
void print_lost_text(const struct buildid_lost *lost, char text[256]);

/*
 * The kernel or a module by itself, as perf buildid-list prints it. In text @name and
 * @path are left out where they are NULL.
 */
void print_image(struct output *out, const struct buildid_image *image, const char *name,
		 const char *path);

/* By itself. */
void print_file_member(struct output *out, const char *path, const struct elf_member *member);

/* A file by itself; @path replaces the record's unless it is NULL. */
void print_file(struct output *out, const struct buildid_file *file, const char *path);

/*
 * A DSO of a perf.data as perf buildid-list prints it. @file: NULL, or the path of a file
 * with this content, where the DSO itself has only a name.
 */
void print_dso(struct output *out, const struct perfdata_dso *dso, const char *file);

#endif
