// SPDX-License-Identifier: GPL-2.0
/* Evidence: sizes, identities, versions, in this order. */

#include "evidence.h"
#include "print.h"

/* Of the fixed parts of their records. */
static bool is_same_version(const struct buildid_file *one, const struct buildid_file *other)
{
	return one->ino == other->ino && one->tree == other->tree &&
	       one->dev_major == other->dev_major && one->dev_minor == other->dev_minor &&
	       one->generation == other->generation && one->ctime == other->ctime &&
	       one->mtime == other->mtime && one->file_size == other->file_size;
}

bool evidence_not_written(const struct buildid_file *before, const struct buildid_file *now)
{
	struct buildid_file former = *before;

	former.ctime = now->ctime;
	return is_same_version(&former, now);
}

/* Else it says what its owner chose, or depends on a salt. */
static bool is_computed(uint16_t kind)
{
	return kind == BUILDID_KIND_GNU || kind == BUILDID_KIND_GO || kind == BUILDID_KIND_HTLHASH;
}

static enum evidence evidence_compare(const struct identity *one, const struct identity *other)
{
	bool equal = one->kind == other->kind && build_id_equal(&one->id, &other->id);

	if (equal)
		return one->kind == BUILDID_KIND_FSVERITY ? EVIDENCE_SAME : EVIDENCE_NONE;
	if (one->kind == BUILDID_KIND_COOKIE && other->kind == BUILDID_KIND_COOKIE)
		return EVIDENCE_OTHER;
	return is_computed(one->kind) && is_computed(other->kind) ? EVIDENCE_OTHER : EVIDENCE_NONE;
}

enum evidence evidence_of(const struct buildid_file *one, const struct buildid_file *other)
{
	const struct identity of_one = print_identity_of(one), of_other = print_identity_of(other);
	enum evidence evidence;

	/* What was not read may be of any size by now. */
	if (!of_one.id.size || !of_other.id.size)
		return EVIDENCE_NONE;
	/* 0 of what could not be opened: what has an identity has bytes. */
	if (one->file_size && other->file_size && one->file_size != other->file_size)
		return EVIDENCE_OTHER;
	evidence = evidence_compare(&of_one, &of_other);
	return evidence == EVIDENCE_NONE && is_same_version(one, other) ? EVIDENCE_SAME : evidence;
}
