// SPDX-License-Identifier: GPL-2.0
/* Stack words: a word ends at a separator, or at a NUL, which strchr(3) finds in any text. */

#include <ctype.h>
#include <string.h>

#include "common/hex.h"
#include "stack_words.h"

/* Fast path: most characters are letters and digits, which are not separators. */
static inline bool is_separator(char c, const char *separators)
{
	static const bool is_in_words[256] = {
		['0' ... '9'] = true, ['A' ... 'Z'] = true, ['a' ... 'z'] = true,
		['_'] = true,	      ['.'] = true,	    ['-'] = true,
	};

	if (is_in_words[(unsigned char)c])
		return false;
	while (*separators && *separators != c)
		separators++;
	return *separators == c;
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
	const char *end;

	for (; word.length && *list; list = *end ? end + 1 : end) {
		for (end = list; *end && *end != ' '; end++)
			;
		if ((size_t)(end - list) == word.length && !strncasecmp(word.at, list, word.length))
			return true;
	}
	return false;
}

bool text_has(const char *at, const char *end, const char *part)
{
	size_t length = strlen(part);

	while ((size_t)(end - at) >= length &&
	       (at = memchr(at, *part, (size_t)(end - at) - length + 1))) {
		if (!memcmp(at, part, length))
			return true;
		at++;
	}
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
		const int digit = hex_digit(word.at[i]);

		if (digit < 0)
			return false;
		*value = *value << 4 | (uint64_t)digit;
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
	while (end > at && is_blank(end[-1]))
		end--;
	return end;
}
