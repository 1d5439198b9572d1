// SPDX-License-Identifier: GPL-2.0
/* Identity: a record's kind, reason and bytes, as far as perf can hold them. */

#include "identity.h"

static void set_build_id(struct perfdata_identity *identity, const uint8_t *bytes, size_t size)
{
	if (!bytes || size > PERFDATA_ID_MAX || !build_id_set(&identity->id, bytes, size))
		identity->reason = "its build-id is longer than the 20 bytes that fit";
}

/*
 * Only a file that was read completely is known to have no build-id: perf, which reads with other
 * rights and limits, may have found one.
 */
static void set_none(struct perfdata_identity *identity, uint16_t reason)
{
	switch (reason) {
	case BUILDID_REASON_NOT_ELF:
	case BUILDID_REASON_NO_NOTE:
	case BUILDID_REASON_ANONYMOUS:
		identity->known = true;
		identity->reason = "it has no build-id";
		break;
	case BUILDID_REASON_TRUNCATED:
	case BUILDID_REASON_MALFORMED:
		identity->reason = "its headers or notes are damaged";
		break;
	case BUILDID_REASON_LIMIT:
		identity->reason = "it has more headers or notes than the module reads";
		break;
	case BUILDID_REASON_NOT_READ:
		identity->reason = "on FUSE or open for writing, where only those that map a file "
				   "read it";
		break;
	case BUILDID_REASON_NOT_REGULAR:
	case BUILDID_REASON_SECRET:
	case BUILDID_REASON_HUGETLB:
	case BUILDID_REASON_PSEUDO:
		identity->reason = "the module reads no file of its kind";
		break;
	default:
		identity->reason = "it could not be read";
		break;
	}
}

static void identity_set(struct perfdata_identity *identity, uint16_t kind, uint16_t reason,
			 const uint8_t *bytes, size_t size)
{
	*identity = (struct perfdata_identity){};
	if (kind == BUILDID_KIND_GNU)
		set_build_id(identity, bytes, size);
	else
		set_none(identity, reason);
}

void identity_of_file(const struct buildid_file *file, struct perfdata_identity *identity)
{
	size_t size;
	const uint8_t *bytes = buildid_file_id_bytes(file, &size);

	identity_set(identity, file->kind, file->reason, bytes, size);
}

void identity_of_image(const struct buildid_image *image, struct perfdata_identity *identity)
{
	size_t size;
	const uint8_t *bytes = buildid_image_id_bytes(image, &size);

	identity_set(identity, image->kind, image->reason, bytes, size);
}
