// SPDX-License-Identifier: GPL-2.0
/* Stack scan: recognizes addresses anywhere in a line. */

#include <ctype.h>
#include <string.h>

#include "stack_scan.h"

bool scan_next(struct scan *scan)
{
	scan->before = scan->word;
	scan->word = word_next(word_end(scan->word), scan->end, LIMITS);
	return scan->word.length;
}

struct scan scan_start(const char *line, const char *at, const char *end)
{
	return (struct scan){ .line = line, .end = end, .word = { at, 0 } };
}

bool scan_has_label(const struct scan *scan, uint64_t *value)
{
	return word_is_one_of(scan->before, "pc ip rip eip") &&
	       (word_is_prefixed(scan->word, value) ||
		word_is_hex(scan->word, LABELLED_DIGITS_MIN, value));
}

static bool is_behind(const struct scan *scan, const char *text)
{
	size_t length = strlen(text);

	return (size_t)(scan->word.at - scan->line) >= length &&
	       !memcmp(scan->word.at - length, text, length);
}

bool scan_is_bracketed(const struct scan *scan, uint64_t *value, size_t *length)
{
	const char *last = word_end(scan->word);
	bool square;

	if (last == scan->end || *last != '>')
		return false;
	square = is_behind(scan, "[<");
	*length = scan->word.length + 1 + square;
	if ((!square && !is_behind(scan, "=> <") && !is_behind(scan, "=>  <")) ||
	    last + square >= scan->end || (square && last[1] != ']'))
		return false;
	return word_is_hex(scan->word, BARE_DIGITS_MIN, value);
}

/* "/0x90" of "name+0x3b/0x90" is a size, and a path may have any names. */
static bool is_place(const struct scan *scan)
{
	const char *at = scan->word.at;
	bool follows = scan->before.length && word_end(scan->before) == at - 1;

	if (at > scan->line && at[-1] == '/')
		return scan->before_is_address && follows;
	return !word_is(scan->before, "+");
}

bool scan_is_address(struct scan *scan, uint64_t *value)
{
	size_t length;
	bool is = (scan->labelled && scan_has_label(scan, value)) ||
		  scan_is_bracketed(scan, value, &length) ||
		  (!scan->labelled && word_is_prefixed(scan->word, value) && is_place(scan));

	scan->before_is_address = is;
	return is;
}

bool scan_any_label(const char *line, const char *at, const char *end)
{
	struct scan scan = scan_start(line, at, end);
	const size_t size = (size_t)(end - at);
	uint64_t value;

	/* All labels have one of these. */
	if (!memchr(at, 'p', size) && !memchr(at, 'P', size))
		return false;
	while (scan_next(&scan))
		if (scan_has_label(&scan, &value))
			return true;
	return false;
}

static bool has_letter(struct word word)
{
	size_t i;

	for (i = 0; i < word.length; i++)
		if (isalpha((unsigned char)word.at[i]))
			return true;
	return false;
}

bool scan_may_be_address(const struct scan *scan)
{
	uint64_t value;

	if (word_is(scan->before, "+"))
		return false;
	return word_is_prefixed(scan->word, &value) ?
		       scan->word.length >= BARE_DIGITS_MIN + 2 && is_place(scan) :
		       word_is_hex(scan->word, BARE_DIGITS_MIN, &value) && has_letter(scan->word);
}
