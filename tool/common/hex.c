// SPDX-License-Identifier: GPL-2.0

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

int hex_digit(char digit)
{
	if (digit >= '0' && digit <= '9')
		return digit - '0';
	if (digit >= 'a' && digit <= 'f')
		return digit - 'a' + 10;
	if (digit >= 'A' && digit <= 'F')
		return digit - 'A' + 10;
	return -1;
}
