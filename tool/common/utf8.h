/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOOL_UTF8_H
#define TOOL_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/*
 * The length in bytes of the first character at @text, which ends in a NUL;
 * 0 when no valid one starts there.
 */
size_t utf8_character(const char *text);

bool utf8_valid(const char *text);

/*
 * @text as valid UTF-8, each byte that is none as U+FFFD. To be freed; NULL
 * without memory.
 */
char *utf8_repair(const char *text);

#endif
