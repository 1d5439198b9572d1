// SPDX-License-Identifier: GPL-2.0
/* Identity: a record's kind, reason and bytes, as far as perf can hold them. */

#include "identity.h"

static void set_build_id(struct perfdata_identity *identity, const uint8_t *bytes, size_t size)
{
	if (!bytes || size > PERFDATA_ID_MAX || !build_id_set(&identity->id, bytes, size))
		identity->reason = "its build-id is longer than the 20 bytes that fit";
}

static void set_none(struct perfdata_identity *identity)
{
	identity->known = true;
	identity->reason = "it has no build-id";
}

void identity_of_file(const struct buildid_file *file, struct perfdata_identity *identity)
{
	const uint8_t *bytes;
	size_t size;

	*identity = (struct perfdata_identity){};
	if (file->kind == BUILDID_KIND_GNU) {
		bytes = buildid_file_id_bytes(file, &size);
		set_build_id(identity, bytes, size);
		return;
	}
	switch (file->reason) {
	case BUILDID_REASON_NOT_READ:
		identity->reason = "on FUSE, where only those that map a file read it";
		break;
	case BUILDID_REASON_IO:
	case BUILDID_REASON_INTERRUPTED:
	case BUILDID_REASON_CHANGING:
	case BUILDID_REASON_UNREADABLE:
	case BUILDID_REASON_DENIED:
		identity->reason = "it could not be read";
		break;
	default:
		set_none(identity);
		break;
	}
}

void identity_of_image(const struct buildid_image *image, struct perfdata_identity *identity)
{
	const uint8_t *bytes;
	size_t size;

	*identity = (struct perfdata_identity){};
	bytes = buildid_image_id_bytes(image, &size);
	if (image->kind == BUILDID_KIND_NONE)
		set_none(identity);
	else
		set_build_id(identity, image->kind == BUILDID_KIND_GNU ? bytes : NULL, size);
}
