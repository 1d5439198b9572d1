// SPDX-License-Identifier: GPL-2.0
/* UTF-8: names of files are any bytes, JSON is not. */

#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "utf8.h"

#define REPLACEMENT "\xef\xbf\xbd"

/* What the second byte may be rules out overlong forms and surrogates. */
static const struct lead {
	unsigned char first, last;
	unsigned char low, high;
	unsigned char length;
} leads[] = {
	{ 0x01, 0x7f, 0x00, 0x00, 1 }, { 0xc2, 0xdf, 0x80, 0xbf, 2 }, { 0xe0, 0xe0, 0xa0, 0xbf, 3 },
	{ 0xe1, 0xec, 0x80, 0xbf, 3 }, { 0xed, 0xed, 0x80, 0x9f, 3 }, { 0xee, 0xef, 0x80, 0xbf, 3 },
	{ 0xf0, 0xf0, 0x90, 0xbf, 4 }, { 0xf1, 0xf3, 0x80, 0xbf, 4 }, { 0xf4, 0xf4, 0x80, 0x8f, 4 },
};

static const struct lead *lead_of(unsigned char byte)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(leads); i++)
		if (byte >= leads[i].first && byte <= leads[i].last)
			return &leads[i];
	return NULL;
}

/*
 * The length in bytes of the first character at @text, which ends in a NUL;
 * 0 when no valid one starts there.
 */
static size_t character_length(const char *text)
{
	const unsigned char *byte = (const unsigned char *)text;
	const struct lead *lead = lead_of(byte[0]);
	size_t i;

	if (!lead)
		return 0;
	if (lead->length > 1 && (byte[1] < lead->low || byte[1] > lead->high))
		return 0;
	for (i = 2; i < lead->length; i++)
		if ((byte[i] & 0xc0) != 0x80)
			return 0;
	return lead->length;
}

bool utf8_valid(const char *text)
{
	size_t length;

	for (; *text; text += length) {
		length = character_length(text);
		if (!length)
			return false;
	}
	return true;
}

char *utf8_repair(const char *text)
{
	char *repaired = malloc(strlen(text) * strlen(REPLACEMENT) + 1);
	char *end = repaired;

	if (!repaired)
		return NULL;

	while (*text) {
		size_t length = character_length(text);

		if (length)
			end = mempcpy(end, text, length);
		else
			end = mempcpy(end, REPLACEMENT, strlen(REPLACEMENT));
		text += length ? length : 1;
	}
	*end = '\0';
	return repaired;
}
