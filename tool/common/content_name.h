/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Content name: distinguishes several contents of one path for readers that compare only names,
 * such as perf report. The first keeps the path; each further one is PATH@xxxxxxxx, with the first
 * eight digits of its build-id, or with all of them if another content has the same eight.
 */
#ifndef TOOL_CONTENT_NAME_H
#define TOOL_CONTENT_NAME_H

#include <stddef.h>

#include "build_id.h"

#define CONTENT_NAME_DIGITS 8
/* What it adds to a path: '@' and up to eight digits. */
#define CONTENT_NAME_SUFFIX (1 + CONTENT_NAME_DIGITS)

/* The caller frees it; NULL without memory. @id is not empty. */
char *content_name(const char *path, const struct build_id *id);
/* The same with all digits. */
char *content_name_in_full(const char *path, const struct build_id *id);
/* The length of the path in @name, which is all of it unless it is a name for content @id. */
size_t content_name_path(const char *name, const struct build_id *id);

#endif
