/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOOL_HEX_H
#define TOOL_HEX_H

#include <stddef.h>
#include <stdint.h>

/* Two lower-case digits a byte and a NUL, into @text, which is returned. */
char *hex_format(char *text, const uint8_t *bytes, size_t size);
/* The value of a digit of either case, -1 for any other character. */
int hex_digit(char digit);

#endif
