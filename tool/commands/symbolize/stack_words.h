/* SPDX-License-Identifier: GPL-2.0 */
/* Stack words: the words of a line, and what numbers they are. */
#ifndef TOOL_STACK_WORDS_H
#define TOOL_STACK_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BLANKS	   " \n\t\r"
#define SEPARATORS BLANKS ",;:=|()[]{}\"'"

/* Includes NUL, as strchr(3) does. */
static inline bool is_blank(char c)
{
	return !c || c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

struct word {
	const char *at;
	size_t length;
};

/* The next one at or after @at; of length 0 after the last. */
struct word word_next(const char *at, const char *end, const char *separators);
static inline const char *word_end(struct word word)
{
	return word.at + word.length;
}
/* Whether the text from @at to @end has @part somewhere; for texts that are short. */
bool text_has(const char *at, const char *end, const char *part);
/* The end of the text without trailing blanks. */
const char *word_last_end(const char *at, const char *end);
bool word_is(struct word word, const char *text);
/* Whether it is one of @list, "a b c". */
bool word_is_one_of(struct word word, const char *list);
bool word_is_decimal(struct word word, uint64_t *value);
/* Of @least to 16 digits, without 0x. */
bool word_is_hex(struct word word, size_t least, uint64_t *value);
/* "0x1234" */
bool word_is_prefixed(struct word word, uint64_t *value);

#endif
