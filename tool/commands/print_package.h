/* SPDX-License-Identifier: GPL-2.0 */
/* Print package: which package a content is of, the same in every command. */
#ifndef TOOL_PRINT_PACKAGE_H
#define TOOL_PRINT_PACKAGE_H

#include "common/output.h"
#include "content/package.h"

/*
 * In JSON the keys of @packages, each with @prefix before it; what is not known of a package is
 * left out, but for its name, version, origin and URL. NULL is none.
 */
void print_package(struct output *out, const char *prefix, const struct packages *packages);

/*
 * For the end of a line of text: "(openssl 3.0.11)", with what is there @now, unless that is
 * NULL, "(openssl 3.0.11 -> 3.0.13)". To be freed; NULL when neither is known.
 */
char *package_tail(const struct packages *packages, const struct packages *now);

#endif
