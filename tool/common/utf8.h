/* SPDX-License-Identifier: GPL-2.0 */
/* UTF-8: names of files are any bytes, but JSON has to be UTF-8. */
#ifndef TOOL_UTF8_H
#define TOOL_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* U+FFFD, in the place of what is not valid. */
#define UTF8_REPLACEMENT "\xef\xbf\xbd"

/*
 * Decode the first character of @text, which is not empty: returns its length in bytes, with its
 * code point in @code; 0 if it is invalid.
 */
size_t utf8_decode(const char *text, uint32_t *code);

/* A control character: C0, C1 or DEL. */
bool utf8_is_control(uint32_t code);

/* The bytes of the first @characters of @text, or of all; each invalid byte counts as one. */
size_t utf8_length(const char *text, size_t characters);

bool utf8_valid(const char *text);

/*
 * @text with U+FFFD for each invalid byte and each control character except newline. The caller
 *	frees it; NULL without memory.
 */
char *utf8_printable(const char *text);

#endif
