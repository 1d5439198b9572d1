/* SPDX-License-Identifier: GPL-2.0 */
/* Build-id: the bytes of an identity, of any kind, and their hex digits. */
#ifndef TOOL_BUILD_ID_H
#define TOOL_BUILD_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buildid.h"

/* Hex digits and a NUL. */
#define BUILD_ID_TEXT (2 * BUILDID_ID_MAX + 1)

struct build_id {
	size_t size; /* 0 for none */
	uint8_t bytes[BUILDID_ID_MAX];
};

/* What identifies a content. */
struct identity {
	uint16_t kind;	 /* enum buildid_kind */
	uint16_t reason; /* enum buildid_reason: why it is not a GNU build-id */
	struct build_id id;
};

/* False if @size is 0 or more than BUILDID_ID_MAX. */
bool build_id_set(struct build_id *id, const void *bytes, size_t size);
/* Accepts only hex digits, of either case. */
bool build_id_parse(struct build_id *id, const char *text);
/* Lower case; returns @text. */
const char *build_id_text(const struct build_id *id, char text[BUILD_ID_TEXT]);
/* All zeros, which some builds write instead of an id; perf does not count it as one either. */
bool build_id_is_blank(const struct build_id *id);
bool build_id_equal(const struct build_id *one, const struct build_id *other);

#endif
