/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOOL_UTF8_H
#define TOOL_UTF8_H

#include <stdbool.h>

bool utf8_valid(const char *text);

/*
 * @text as valid UTF-8, each byte that is none as U+FFFD. To be freed; NULL
 * without memory.
 */
char *utf8_repair(const char *text);

#endif
