/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Output: a line of text for people or an object of JSON, by the same calls, so that
 * neither form can lack what the other has.
 *
 *	out_begin(out);
 *	out_number(out, "pid", 7, pid);
 *	out_string(out, "comm", 15, comm);
 *	out_number(out, "seq", OUT_HIDDEN, seq);
 *	out_end(out);
 *
 * In JSON a field has a key; with a key of NULL it is left out. In text it has
 * a column of at least that many characters, 0 for as many as it takes; with
 * OUT_HIDDEN it is left out. A string in a row of its own is an out_pair_*.
 */
#ifndef TOOL_OUTPUT_H
#define TOOL_OUTPUT_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define OUT_HIDDEN  (-1)
#define OUT_ENDLESS INT_MAX

enum out_style {
	OUT_PLAIN,
	OUT_GOOD,
	OUT_WEAK,
	OUT_BAD,
};

struct output_line {
	char *text;
	size_t size, room;
};

struct output {
	FILE *file;
	bool json;
	bool colour;
	bool started; /* text: this line has a column */
	int columns;  /* text: of the terminal that this line takes */
	/*
	 * Of the terminal, OUT_ENDLESS for lines of any length on one; 0 where there is none:
	 * then bytes that are no UTF-8 are as they are.
	 */
	int width;
	const char *source;	 /* JSON: a field of each line, unless it is NULL */
	struct output_line line; /* as far as it goes */
};

void out_init(struct output *out, FILE *file, bool json);

/* Lines of text as wide as the terminal, if there is one, or with @full as they are; its rows. */
int out_fit(struct output *out, bool full);

void out_begin(struct output *out);
void out_end(struct output *out);
/* Write what there is of lines that are not ended by out_end(); out_free() behind the last. */
void out_flush(struct output *out);
/* The errno of the first write that failed, or 0. */
int out_write_error(void);
void out_free(struct output *out);

/* A @value of NULL is null, and "-" in text. */
void out_styled(struct output *out, enum out_style style, const char *key, int width,
		const char *value);
static inline void out_string(struct output *out, const char *key, int width, const char *value)
{
	if (out->json || width != OUT_HIDDEN)
		out_styled(out, OUT_PLAIN, key, width, value);
}
/* Text: more of the column before, without a blank; @plain is printable. In JSON nothing. */
void out_more(struct output *out, const char *text);
void out_more_plain(struct output *out, const char *plain);
void out_more_number(struct output *out, uint64_t value);
void out_more_hex(struct output *out, uint64_t value);
/*
 * Where lines have a width, a text column of exactly @width, of a longer value the
 * beginning and the end; elsewhere out_styled(). out_room(): what is left of this line.
 */
void out_fitted(struct output *out, enum out_style style, const char *key, int width,
		const char *value);
int out_room(const struct output *out);
void out_number(struct output *out, const char *key, int width, uint64_t value);
void out_signed(struct output *out, const char *key, int width, int64_t value);
/*
 * Hexadecimal in text. In JSON a number, and as KEY_hex a string beside it: readers that have
 * floating point only, as jq before 1.7, round those of the kernel.
 */
void out_address(struct output *out, const char *key, int width, uint64_t value);
void out_null(struct output *out, const char *key);
/* A list in JSON, "(word)" for each in text; @words ends with NULL. */
void out_words(struct output *out, const char *key, int width, const char *const *words);

/* A list of objects in JSON; in text nothing. */
void out_list_begin(struct output *out, const char *key);
void out_list_end(struct output *out);
void out_item_begin(struct output *out);
void out_item_end(struct output *out);

/* What somebody else wrote, as it is. */
void out_bytes(struct output *out, const char *bytes, size_t size);
/* @value within a string of JSON in that, without quotes. */
void out_in_string(struct output *out, const char *value);

/* Rows "label  value" in text, fields of one object in JSON. */
void out_pair_string(struct output *out, const char *key, const char *value);
void out_pair_number(struct output *out, const char *key, uint64_t value);
void out_pair_words(struct output *out, const char *key, const char *const *words);

/*
 * "buildid: OBJECT: reason" on stderr, and in JSON {"type","error","object"} as a line of the
 * output besides, for programs that read only that.
 */
void out_error(struct output *out, const char *object, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
