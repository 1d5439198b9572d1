// SPDX-License-Identifier: GPL-2.0
/*
 * UTF-8. Not libunistring's u8_check(), as loading that library would double the tool's start-up
 * time, by 350,000 instructions.
 */

#include <stdlib.h>
#include <string.h>

#include "utf8.h"

size_t utf8_decode(const char *text, uint32_t *character)
{
	/* Smaller codes have a shorter form, so overlong forms are invalid. */
	static const uint32_t least[] = { 0, 1, 0x80, 0x800, 0x10000 };
	unsigned char lead = (unsigned char)*text;
	size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
	uint32_t code = length == 1 ? lead : lead & (0x7fU >> length);
	size_t i;

	if ((lead >= 0x80 && lead < 0xc0) || lead >= 0xf8)
		return 0;
	for (i = 1; i < length; i++) {
		if ((text[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | (text[i] & 0x3f);
	}
	if (code < least[length] || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
		return 0;
	*character = code;
	return length;
}

bool utf8_is_control(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code <= 0x9f);
}

size_t utf8_length(const char *text, size_t characters)
{
	const char *end = text;
	uint32_t code;
	size_t length;

	for (; *end && characters; characters--, end += length ? length : 1)
		length = utf8_decode(end, &code);
	return (size_t)(end - text);
}

bool utf8_valid(const char *text)
{
	uint32_t code;
	size_t length;

	for (; *text; text += length) {
		length = utf8_decode(text, &code);
		if (!length)
			return false;
	}
	return true;
}

static bool is_control_in_a_line(uint32_t code)
{
	return code != '\n' && utf8_is_control(code);
}

char *utf8_printable(const char *text)
{
	char *repaired = malloc(strlen(text) * strlen(UTF8_REPLACEMENT) + 1);
	char *end = repaired;
	uint32_t code;

	if (!repaired)
		return NULL;

	while (*text) {
		size_t length = utf8_decode(text, &code);

		if (length && !is_control_in_a_line(code))
			end = mempcpy(end, text, length);
		else
			end = mempcpy(end, UTF8_REPLACEMENT, strlen(UTF8_REPLACEMENT));
		text += length ? length : 1;
	}
	*end = '\0';
	return repaired;
}
