/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Evidence: whether two files have the same content, as far as their records prove it.
 *
 * An identity is what somebody wrote into a file, or a hash of a sample of it. If two that are
 * computed from the content differ, the contents differ. If they are equal, that is only a hint:
 * ids can be passed to the linker, a build system may set "redacted" in all Go programs, or a
 * section may be added after the id was computed. Contents are proved equal only by an fs-verity
 * digest, for which the kernel checks each page, or by being one version of one inode: by its
 * times, which are valid beyond the life of a file_id.
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

/* The same, ignoring changes that leave the content alone: chmod(2), unlink(2). */
bool evidence_not_written(const struct buildid_file *before, const struct buildid_file *now);

enum evidence evidence_of(const struct buildid_file *one, const struct buildid_file *other);

#endif
