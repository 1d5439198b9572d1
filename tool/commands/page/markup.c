// SPDX-License-Identifier: GPL-2.0
/* Markup: character by character, as UTF-8. */

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "common/utf8.h"
#include "markup.h"

#define CUT_MIN 3

/* Beside controls these are the only characters that XML 1.0 does not allow. */
static bool is_allowed(uint32_t code)
{
	return !utf8_is_control(code) && code != 0xfffe && code != 0xffff;
}

static const char *entity_of(char c)
{
	switch (c) {
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '&':
		return "&amp;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

/* The bytes of the first character, which is put. */
static size_t put_character(FILE *file, const char *text)
{
	const char *entity = entity_of(*text);
	uint32_t code;
	size_t length = utf8_decode(text, &code);

	if (entity)
		fputs(entity, file);
	else if (length && is_allowed(code))
		fwrite(text, 1, length, file);
	else
		fputs(UTF8_REPLACEMENT, file);
	return length ? length : 1;
}

void markup_text(FILE *file, const char *text)
{
	while (*text)
		text += put_character(file, text);
}

void markup_text_cut(FILE *file, const char *text, size_t characters)
{
	if (characters < CUT_MIN)
		return;
	if (!text[utf8_length(text, characters)]) {
		markup_text(file, text);
		return;
	}
	for (characters--; characters--;)
		text += put_character(file, text);
	fputs("…", file);
}
