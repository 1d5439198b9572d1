// SPDX-License-Identifier: GPL-2.0
/* Stack words: a word ends at a separator, or at a NUL, which strchr(3) finds in any text. */

#include <ctype.h>
#include <string.h>

#include "common/hex.h"
#include "stack_words.h"

/* No separator is a letter or a digit, of which most of a line are. */
static inline bool is_separator(char c, const char *separators)
{
	return !isalnum((unsigned char)c) && strchr(separators, c);
}

struct word word_next(const char *at, const char *end, const char *separators)
{
	struct word word;

	while (at < end && is_separator(*at, separators))
		at++;
	word.at = at;
	while (at < end && !is_separator(*at, separators))
		at++;
	word.length = (size_t)(at - word.at);
	return word;
}

bool word_is(struct word word, const char *text)
{
	return word.length == strlen(text) && !strncasecmp(word.at, text, word.length);
}

bool word_is_one_of(struct word word, const char *list)
{
	const char *end = list + strlen(list);
	struct word one = word_next(list, end, BLANKS);

	for (; one.length; one = word_next(word_end(one), end, BLANKS))
		if (one.length == word.length && !strncasecmp(word.at, one.at, one.length))
			return true;
	return false;
}

bool word_is_decimal(struct word word, uint64_t *value)
{
	size_t i;

	*value = 0;
	for (i = 0; i < word.length; i++) {
		if (!isdigit((unsigned char)word.at[i]) || *value > UINT64_MAX / 10 - 1)
			return false;
		*value = *value * 10 + (uint64_t)(word.at[i] - '0');
	}
	return word.length;
}

bool word_is_hex(struct word word, size_t least, uint64_t *value)
{
	size_t i;

	*value = 0;
	if (word.length < least || word.length > 16)
		return false;
	for (i = 0; i < word.length; i++) {
		if (hex_digit(word.at[i]) < 0)
			return false;
		*value = *value << 4 | (uint64_t)hex_digit(word.at[i]);
	}
	return word.length;
}

bool word_is_prefixed(struct word word, uint64_t *value)
{
	if (word.length < 3 || word.at[0] != '0' || word.at[1] != 'x')
		return false;
	return word_is_hex((struct word){ word.at + 2, word.length - 2 }, 1, value);
}

const char *word_last_end(const char *at, const char *end)
{
	while (end > at && strchr(BLANKS, end[-1]))
		end--;
	return end;
}
