// SPDX-License-Identifier: GPL-2.0
/* Stack pair: found by its build-id, as nothing else looks like one. */

#include <ctype.h>
#include <string.h>

#include "common/hex.h"
#include "stack_pair.h"
#include "stack_words.h"

/* lld's shortest, which only a "+" distinguishes from an address; and MD5's. */
#define DIGITS_MIN	 16
#define DIGITS_ALONE_MIN 32

#define LABEL "BuildId: "
/* Before the label: a path and some words. */
#define LOOK_BACK 8192

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	return at;
}

static const char *skip_digits(const char *at, const char *end)
{
	while (at < end && hex_digit(*at) >= 0)
		at++;
	return at;
}

static bool starts_with(const char *at, const char *end, const char *text)
{
	size_t length = strlen(text);

	return (size_t)(end - at) >= length && !memcmp(at, text, length);
}

static bool ends_with(const char *line, const char *at, const char *text)
{
	size_t length = strlen(text);

	return (size_t)(at - line) >= length && !memcmp(at - length, text, length);
}

static bool read_id(const char *at, const char *end, struct build_id *id)
{
	char text[BUILD_ID_TEXT];
	size_t size = (size_t)(end - at);

	if (size < DIGITS_MIN || size >= sizeof(text))
		return false;
	memcpy(text, at, size);
	text[size] = '\0';
	return build_id_parse(id, text);
}

/* Digits, perhaps after 0x, and nothing else in the word. */
static bool read_place(const char *at, const char *end, bool prefixed, struct stack_pair *pair)
{
	bool prefix = starts_with(at, end, "0x");
	const char *digits = at + 2 * prefix, *last = skip_digits(digits, end);

	if (prefixed > prefix || (last < end && (isalnum((unsigned char)*last) || *last == '_')))
		return false;
	pair->digits_at = at;
	pair->end = last;
	return word_is_hex((struct word){ digits, (size_t)(last - digits) }, 1, &pair->place);
}

/* "])", and "<0x1234>" after that */
static bool read_bracketed(const char *at, const char *end, struct stack_pair *pair)
{
	if (!starts_with(at, end, "])"))
		return false;
	at = skip_blanks(at + 2, end);
	if (at == end || *at != '<' || !read_place(at + 1, end, true, pair) || pair->end == end ||
	    *pair->end != '>')
		return false;
	pair->end++;
	return true;
}

static bool read_behind(const char *id, const char *at, const char *end, struct stack_pair *pair)
{
	const char *next = skip_blanks(at, end);
	bool is_long = at - id >= DIGITS_ALONE_MIN;

	if (read_bracketed(at, end, pair))
		return true;
	if (next < end && *next == '+')
		return read_place(skip_blanks(next + 1, end), end, false, pair);
	if (next == at && (at == end || *at != ':'))
		return false;
	return is_long && read_place(next + (next == at), end, true, pair);
}

/* The last "+0x1234" or "pc 1234" before the label. */
static bool read_before(const char *line, const char *label, struct stack_pair *pair)
{
	const char *at;

	if (label - line > LOOK_BACK)
		line = label - LOOK_BACK;
	for (at = label; at > line; at--) {
		if (at[-1] == '+' && read_place(skip_blanks(at, label), label, true, pair))
			return true;
		if (ends_with(line, at, " pc ") && read_place(at, label, false, pair))
			return true;
	}
	return false;
}

static bool read_pair(const char *line, const char *at, const char *last, const char *end,
		      struct stack_pair *pair)
{
	if (!read_id(at, last, &pair->id))
		return false;
	pair->at = at;
	pair->is_address = ends_with(line, at, LABEL);
	if (!pair->is_address)
		return read_behind(at, last, end, pair);
	if (!read_before(line, at - strlen(LABEL), pair))
		return false;
	pair->end = last + (last < end && *last == ')');
	return true;
}

static bool begins(const char *line, const char *at)
{
	return hex_digit(*at) >= 0 &&
	       (at == line || (!isalnum((unsigned char)at[-1]) && at[-1] != '_'));
}

/* Where the next DIGITS_MIN digits are, or NULL: one of them is at each multiple of that. */
static const char *find_digits(const char *at, const char *end)
{
	const char *last;

	while (end - at >= DIGITS_MIN) {
		for (last = at + DIGITS_MIN; last > at && hex_digit(last[-1]) >= 0; last--)
			;
		if (last == at)
			return at;
		at = last;
	}
	return NULL;
}

bool stack_pair_find(const char *line, const char *at, const char *end, struct stack_pair *pair)
{
	const char *last;

	for (; (at = find_digits(at, end)); at = last) {
		last = skip_digits(at, end);
		if (begins(line, at) && read_pair(line, at, last, end, pair))
			return true;
	}
	return false;
}

/* In a list of them, the next follows. */
static bool ends_there(const char *at, const char *end)
{
	return at == end || strchr(SEPARATORS, *at);
}

bool stack_pair_begins(const char *line, const char *end, struct build_id *id, bool *indented)
{
	const char *at;

	*indented = skip_blanks(line, end) > line;
	end = word_last_end(line, end);
	if (end - line < DIGITS_ALONE_MIN || hex_digit(end[-DIGITS_ALONE_MIN]) < 0)
		return false;
	for (at = end; at > line && hex_digit(at[-1]) >= 0; at--)
		;
	return end - at >= DIGITS_ALONE_MIN && begins(line, at) && read_id(at, end, id);
}

/* "+ 1234" at the start of a line is what diff prints of any number. */
bool stack_pair_goes_on(const char *line, const char *end, bool indented, struct stack_pair *pair)
{
	const char *at = skip_blanks(line, end);

	pair->at = at;
	pair->is_address = false;
	return at < end && *at == '+' && read_place(at + 1, end, !indented || at == line, pair) &&
	       ends_there(pair->end, end);
}
