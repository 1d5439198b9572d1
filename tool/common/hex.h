/* SPDX-License-Identifier: GPL-2.0 */
/* Hex digits: of identities, addresses and paths. */
#ifndef TOOL_HEX_H
#define TOOL_HEX_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Write two lower-case digits per byte and a NUL to @text, and return it. */
char *hex_format(char *text, const uint8_t *bytes, size_t size);
/*
 * Parse pairs of digits of either case. Returns the number of bytes, -EINVAL for any other text,
 * -E2BIG for more than @room bytes.
 */
ssize_t hex_parse(uint8_t *bytes, size_t room, const char *text);
/* The value of a digit of either case, -1 for any other character. */
static inline int hex_digit(char digit)
{
	static const int8_t values[256] = {
		['0'] = 1, 2,  3,  4,  5,  6,	       7,  8,  9,  10, ['a'] = 11,
		12,	   13, 14, 15, 16, ['A'] = 11, 12, 13, 14, 15, 16,
	};

	return values[(unsigned char)digit] - 1;
}

#endif
