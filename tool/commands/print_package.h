/* SPDX-License-Identifier: GPL-2.0 */
/* Print package: the package of a content, in the same way in every command. */
#ifndef TOOL_PRINT_PACKAGE_H
#define TOOL_PRINT_PACKAGE_H

#include "common/output.h"
#include "content/package.h"

/*
 * In JSON the keys of @packages, each prefixed by @prefix; unknown fields are omitted, except name,
 * version, origin and URL. NULL means no package.
 */
void print_package(struct output *out, const char *prefix, const struct packages *packages);

/*
 * For the end of a line of text: "(openssl 3.0.11)", with what is there @now, unless that is NULL,
 * "(openssl 3.0.11 -> 3.0.13)". The caller frees it; NULL if neither is known.
 */
char *package_tail(const struct packages *packages, const struct packages *now);

#endif
