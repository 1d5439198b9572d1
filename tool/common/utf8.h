/* SPDX-License-Identifier: GPL-2.0 */
/* UTF-8: names of files are any bytes, but JSON has to be UTF-8. */
#ifndef TOOL_UTF8_H
#define TOOL_UTF8_H

#include <stdbool.h>

bool utf8_valid(const char *text);

/*
 * @text as valid UTF-8, with U+FFFD for each invalid byte. To be freed; NULL
 * without memory.
 */
char *utf8_repair(const char *text);

#endif
