/* SPDX-License-Identifier: GPL-2.0 */
/*
 * File version: identifies the file and its state in a record of the module. Used to find a content
 * without a build-id, as two files may share any other identity.
 */
#ifndef TOOL_FILE_VERSION_H
#define TOOL_FILE_VERSION_H

#include <stdbool.h>
#include <stdint.h>

#include "buildid.h"

/* As in struct buildid_file. */
struct file_version {
	uint64_t ino, user_ino;
	int64_t ctime;
	uint64_t size;
	uint32_t dev_major, dev_minor; /* only comparable among versions, not with an open file */
};

void file_version_set(struct file_version *version, const struct buildid_file *file);
/* Whether the file at @fd is that, and unmodified since. */
bool file_version_is(const struct file_version *version, int fd);
bool file_version_equal(const struct file_version *one, const struct file_version *other);

#endif
