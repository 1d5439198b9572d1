/* SPDX-License-Identifier: GPL-2.0 */
/* Hex digits: of identities, addresses and paths. */
#ifndef TOOL_HEX_H
#define TOOL_HEX_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Two lower-case digits a byte and a NUL, into @text, which is returned. */
char *hex_format(char *text, const uint8_t *bytes, size_t size);
/*
 * The bytes that pairs of digits of either case stand for: how many, -EINVAL for any
 * other text, -E2BIG when there are more than @room.
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
