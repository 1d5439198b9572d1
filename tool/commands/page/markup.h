/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Markup: text of anybody's within HTML and SVG, as text: nothing in it is a tag, an entity or
 * the end of an attribute, and what XML does not allow is replaced.
 */
#ifndef TOOL_MARKUP_H
#define TOOL_MARKUP_H

#include <stddef.h>
#include <stdio.h>

/* Within an element, or an attribute in double quotes. */
void markup_text(FILE *file, const char *text);
/* The first @characters of it, with an ellipsis where there are more; nothing for less than 3. */
void markup_text_cut(FILE *file, const char *text, size_t characters);

#endif
