/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Content name: what tells several contents of one path apart where only names are
 * compared, as perf report does. The first keeps the path; each further one is
 * PATH@xxxxxxxx, with the first eight digits of its build-id, or with all of them where
 * another content has the same eight.
 */
#ifndef TOOL_CONTENT_NAME_H
#define TOOL_CONTENT_NAME_H

#include <stddef.h>

#include "build_id.h"

#define CONTENT_NAME_DIGITS 8
/* What it adds to a path: '@' and up to eight digits. */
#define CONTENT_NAME_SUFFIX (1 + CONTENT_NAME_DIGITS)

/* For the caller to free; NULL without memory. @id is not empty. */
char *content_name(const char *path, const struct build_id *id);
/* The same with all digits. */
char *content_name_in_full(const char *path, const struct build_id *id);
/* The length of the path in @name: of all of it, unless it is a name of content @id. */
size_t content_name_path(const char *name, const struct build_id *id);

#endif
