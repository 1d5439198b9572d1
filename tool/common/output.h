/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Output: a line of text for people or an object of JSON, by the same calls, so that neither form
 * can lack what the other has.
 *
 *	out_begin(out);
 *	out_number(out, "pid", 7, pid);
 *	out_string(out, "comm", 15, comm);
 *	out_number(out, "seq", OUT_HIDDEN, seq);
 *	out_end(out);
 *
 * In JSON a field has a key; with a key of NULL it is omitted. In text it has a column of at least
 * that many characters, 0 for as many as needed; with OUT_HIDDEN it is omitted. A string in its own
 * row is an out_pair_*.
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
	int columns;  /* text: columns of the terminal that this line has taken */
	/*
	 * Of the terminal, OUT_ENDLESS for lines of any length; 0 without a terminal: then invalid
	 * UTF-8 is written unchanged.
	 */
	int width;
	const char *source;	 /* JSON: a field of each line, unless it is NULL */
	struct output_line line; /* the line so far */
};

void out_init(struct output *out, FILE *file, bool json);

/* Fit lines of text to the terminal, if there is one, unless @full; returns its rows. */
int out_fit(struct output *out, bool full);

void out_begin(struct output *out);
void out_end(struct output *out);
/* Write what there is of lines that are not ended by out_end(); out_free() after the last. */
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
/* Text: continue the previous column, without a blank; @plain is printable. In JSON nothing. */
void out_more(struct output *out, const char *text);
void out_more_plain(struct output *out, const char *plain);
void out_more_number(struct output *out, uint64_t value);
void out_more_hex(struct output *out, uint64_t value);
/*
 * If lines have a width, a text column of exactly @width, with beginning and end of a longer value;
 * otherwise out_styled(). out_room(): what is left of this line.
 */
void out_fitted(struct output *out, enum out_style style, const char *key, int width,
		const char *value);
int out_room(const struct output *out);
void out_number(struct output *out, const char *key, int width, uint64_t value);
/* JSON alone: with a digit behind the point. */
void out_rate(struct output *out, const char *key, double value);
void out_signed(struct output *out, const char *key, int width, int64_t value);
/*
 * Hexadecimal in text. In JSON a number, and also a string as KEY_hex: readers with floating point
 * only, such as jq before 1.7, round kernel addresses.
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

/* Write @bytes unchanged. */
void out_bytes(struct output *out, const char *bytes, size_t size);
/* Write @value as part of a JSON string in such bytes, without quotes. */
void out_in_string(struct output *out, const char *value);

/* Rows "label  value" in text, fields of one object in JSON. */
void out_pair_string(struct output *out, const char *key, const char *value);
void out_pair_number(struct output *out, const char *key, uint64_t value);
void out_pair_words(struct output *out, const char *key, const char *const *words);

/*
 * "buildid: OBJECT: reason" on stderr; with JSON also {"type","error","object"} as a line of
 * output, for programs that read only that.
 */
void out_error(struct output *out, const char *object, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
