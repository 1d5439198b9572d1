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
	if (digit >= '0' && digit <= '9')
		return digit - '0';
	if (digit >= 'a' && digit <= 'f')
		return digit - 'a' + 10;
	if (digit >= 'A' && digit <= 'F')
		return digit - 'A' + 10;
	return -1;
}

#endif
