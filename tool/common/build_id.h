/* SPDX-License-Identifier: GPL-2.0 */
/* Build-id: bytes that name a content, and their digits. */
#ifndef TOOL_BUILD_ID_H
#define TOOL_BUILD_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buildid.h"

/* As hex digits, with a NUL. */
#define BUILD_ID_TEXT (2 * BUILDID_ID_MAX + 1)

struct build_id {
	size_t size; /* 0 for none */
	uint8_t bytes[BUILDID_ID_MAX];
};

/* What a content has in place of a name. */
struct identity {
	uint16_t kind;	 /* enum buildid_kind */
	uint16_t reason; /* enum buildid_reason: why it is not a GNU build-id */
	struct build_id id;
};

/* False when there are more than BUILDID_ID_MAX of @bytes, or none. */
bool build_id_set(struct build_id *id, const void *bytes, size_t size);
/* From hex digits of any case, and nothing else. */
bool build_id_parse(struct build_id *id, const char *text);
/* Lower case; returns @text. */
const char *build_id_text(const struct build_id *id, char text[BUILD_ID_TEXT]);
bool build_id_equal(const struct build_id *one, const struct build_id *other);
/* 20 bytes are a hash mostly, so the first ones will do for a table. */
size_t build_id_hash(const struct build_id *id);

#endif
