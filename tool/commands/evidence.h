/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Evidence: whether two files have the same content, as far as their records prove it.
 *
 * An identity is what somebody wrote into a file, or a hash of a sample of it. Where two
 * differ that are computed from the content, the contents differ. Where they are equal
 * that is a hint: a linker is told an id, a build system has all Go programs say "redacted",
 * a section is added behind the id. Only an fs-verity digest, of which the kernel checks each
 * page, proves that contents are the same, and so does one version of one inode: by its times,
 * which hold beyond the life of a file_id.
 */
#ifndef TOOL_EVIDENCE_H
#define TOOL_EVIDENCE_H

#include <stdbool.h>

#include "libbuildid/libbuildid.h"

enum evidence {
	EVIDENCE_SAME,
	EVIDENCE_OTHER,
	EVIDENCE_NONE, /* their bytes have to be compared */
};

/* The same, but for what moves no content: chmod(2), or that the file lost a name. */
bool evidence_not_written(const struct buildid_file *before, const struct buildid_file *now);

enum evidence evidence_of(const struct buildid_file *one, const struct buildid_file *other);

#endif
