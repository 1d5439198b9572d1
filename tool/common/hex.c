// SPDX-License-Identifier: GPL-2.0
/* Hex digits. */

#include <errno.h>

#include "hex.h"

char *hex_format(char *text, const uint8_t *bytes, size_t size)
{
	static const char digits[] = "0123456789abcdef";
	char *end = text;

	while (size--) {
		*end++ = digits[*bytes >> 4];
		*end++ = digits[*bytes++ & 15];
	}
	*end = '\0';
	return text;
}

ssize_t hex_parse(uint8_t *bytes, size_t room, const char *text)
{
	size_t size;
	int high, low;

	for (size = 0; *text; text += 2) {
		high = hex_digit(text[0]);
		low = hex_digit(text[1]);
		if (high < 0 || low < 0)
			return -EINVAL;
		if (size == room)
			return -E2BIG;
		bytes[size++] = (uint8_t)(high << 4 | low);
	}
	return (ssize_t)size;
}
