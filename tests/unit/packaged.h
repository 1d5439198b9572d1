/* SPDX-License-Identifier: GPL-2.0 */
/* Packaged: small ELF files with notes of packages, and files below a root directory. */
#ifndef TESTS_PACKAGED_H
#define TESTS_PACKAGED_H

#include <stddef.h>

#include "content/package.h"

/* What the note of a package has behind the string that is given. */
enum packaged_end {
	PACKAGED_NUL,
	PACKAGED_PADDING, /* many NULs */
	PACKAGED_NOTHING,
};

/* An ELF file at @path with a note for each of @notes, a build-id first; up to a NULL. */
void packaged_write(const char *path, const char *const *notes, enum packaged_end end);
/* The same of one note of @size bytes as they are. */
void packaged_write_bytes(const char *path, const void *note, size_t size);

/* Write @text to @path below @root, with the directories that it needs. */
void packaged_file(const char *root, const char *path, const char *text);

/* Of the one package of @found; NULL for what is not to be known. */
void packaged_expect(const struct packages *found, enum package_text which, const char *text);
/* Whether @found is what somebody asks for as @text, which is well-formed. */
enum package_match packaged_match(const struct packages *found, const char *text);

#endif
