/* SPDX-License-Identifier: GPL-2.0 */
/* Stack scan: goes through a line by the words that may be addresses by themselves. */
#ifndef TOOL_STACK_SCAN_H
#define TOOL_STACK_SCAN_H

#include "stack_words.h"

/* Around what may be an address: also in <...>, and those of a branch, FROM/TO. */
#define LIMITS SEPARATORS "<>/"

/* Least bare digits of an address: fewer are a number. */
#define BARE_DIGITS_MIN 8
/* The same after a label, where only "0010" and the like have to be excluded. */
#define LABELLED_DIGITS_MIN 5

/* The words of a line that matter for the next one. */
struct scan {
	const char *line, *end;
	struct word word, before;
	bool before_is_address;
	bool labelled; /* only what has a label counts */
};

/* From @at in the line that begins at @line. */
struct scan scan_start(const char *line, const char *at, const char *end);
/* False after the last word. */
bool scan_next(struct scan *scan);
/* "pc", "ip" or "rip" is before it. */
bool scan_has_label(const struct scan *scan, uint64_t *value);
bool scan_any_label(const char *line, const char *at, const char *end);
/* "[<ffffffff81000000>]", or "=> <...>" of ftrace; @length is up to the end of the brackets. */
bool scan_is_bracketed(const struct scan *scan, uint64_t *value, size_t *length);
/* Judged by the word and what is around it. */
bool scan_is_address(struct scan *scan, uint64_t *value);
/* In a place where no addresses are expected. */
bool scan_may_be_address(const struct scan *scan);

#endif
